/** Text to be pasted elsewhere, with the button that copies it. */

import { Group, Stack, Text } from "@mantine/core";
import { Copy } from "./copy.tsx";
import { Scroll } from "./scroll.tsx";

interface CodeBlockProps {
  readonly title: string;
  readonly text: string;
  readonly copyLabel?: string;
}

export const CodeBlock = ({ title, text, copyLabel }: CodeBlockProps) => (
  <Stack gap={0} className="code-block">
    <Group justify="space-between" className="code-title" wrap="nowrap">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Copy text={text} {...(copyLabel ? { label: copyLabel } : {})} />
    </Group>
    <Scroll label={title} className="code-text">
      <pre>{text}</pre>
    </Scroll>
  </Stack>
);
