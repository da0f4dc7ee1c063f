/** A block of code with a copy button. */

import { CopyButton } from "./copy-button.tsx";
import { highlight } from "./highlight.tsx";
import { Group, Stack, Text } from "./primitives/elements.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

interface CodeBlockProps {
  readonly title: string;
  readonly text: string;
  readonly copyLabel?: string;
  /** Makes the copy button the main button of its page. */
  readonly isPrimary?: boolean;
}

export const CodeBlock = ({ title, text, copyLabel, isPrimary }: CodeBlockProps) => (
  <Stack gap={0} className="code-block">
    <Group justify="space-between" className="code-title" wrap="nowrap">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <CopyButton text={text} {...(copyLabel && { label: copyLabel })} {...(isPrimary && { isPrimary })} />
    </Group>
    {/* a single line wraps; lines of code scroll, except on phones */}
    <ScrollRegion label={title} className={text.includes("\n") ? "code-text code-lines" : "code-text"}>
      <pre>{highlight(text)}</pre>
    </ScrollRegion>
  </Stack>
);
