/** A block of code with a copy button. */

import { type ReactNode, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { highlight } from "./highlight.tsx";
import { Button, classes, Group, Stack, Text } from "./primitives/elements.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

interface CodeBlockProps {
  readonly title: string;
  readonly text: string;
  /** The text that the button copies. Default: `text`. */
  readonly copiedText?: string;
  readonly copyLabel?: string;
  /** Another button beside the copy button. */
  readonly beside?: ReactNode;
  /** Makes the copy button the main button of its page. */
  readonly isPrimary?: boolean;
  /** Shows the first lines of a long text, and all of it on request. */
  readonly isFoldable?: boolean;
}

/** A text with more lines is long. The styles of `.code-folded` show six. */
const MAX_LINES = 9;

export function CodeBlock(props: CodeBlockProps) {
  const { title, text, copiedText = text, copyLabel, beside, isPrimary, isFoldable = false } = props;
  const [isWhole, setWhole] = useState(false);
  const isFolded = isFoldable && !isWhole && text.split("\n").length > MAX_LINES;
  return (
    <Stack gap={0} className="code-block">
      <Group gap="xs" className="code-title" wrap={beside ? undefined : "nowrap"}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CopyButton
          text={copiedText}
          {...(copyLabel && { label: copyLabel })}
          {...(isPrimary && { isPrimary })}
        />
        {beside}
      </Group>
      {/* a single line wraps; lines of code scroll */}
      <ScrollRegion
        label={title}
        className={classes("code-text", text.includes("\n") && "code-lines", isFolded && "code-folded")}
      >
        <pre>{highlight(text)}</pre>
      </ScrollRegion>
      {isFolded && (
        <Button size="xs" variant="subtle" className="code-unfold" onClick={() => setWhole(true)}>
          Show all
        </Button>
      )}
    </Stack>
  );
}
