import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionHeaderProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** What a part of a page is called, and what it is for. */
export const SectionHeader = ({ title, children }: SectionHeaderProps) => (
  <div>
    <Title order={2} size="h5">
      {title}
    </Title>
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  </div>
);
