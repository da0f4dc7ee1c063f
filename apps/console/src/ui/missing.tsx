import { Group, Text } from "@mantine/core";
import { Alone } from "./alone.tsx";
import { ButtonLink } from "./link.tsx";

export const Missing = () => (
  <Alone title="There is nothing here">
    <Text>No page of the console has this address. Perhaps a part of it was lost on its way to you.</Text>
    <Group>
      <ButtonLink to="/sources">To the sources</ButtonLink>
    </Group>
  </Alone>
);
