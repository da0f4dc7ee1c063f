import { Group, Text } from "@mantine/core";
import iconUrl from "../icon.svg";

export const Brand = () => (
  <Group gap="xs">
    <img src={iconUrl} width={28} height={28} alt="" />
    <Text fw={700} size="lg">
      Headwater
    </Text>
  </Group>
);
