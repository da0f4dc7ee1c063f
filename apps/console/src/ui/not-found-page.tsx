import { Group, Text } from "@mantine/core";
import { ButtonLink } from "./links.tsx";
import { StandalonePage } from "./standalone-page.tsx";

export const NotFoundPage = () => (
  <StandalonePage title="There is nothing here">
    <Text>No page of the console has this address. Perhaps a part of it was lost on its way to you.</Text>
    <Group>
      <ButtonLink to="/sources">To the sources</ButtonLink>
    </Group>
  </StandalonePage>
);
