import type { ReactNode } from "react";
import { Text, Title } from "./primitives/elements.tsx";

interface SectionHeaderProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** The title of a section and one line that explains it. */
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
