/** A snippet to copy, alone or as a message to the developer who adds it. */
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { FrameworkExample } from "./framework-examples.ts";

interface SnippetBlockProps {
  readonly example: FrameworkExample;
  readonly text: string;
}

export const SnippetBlock = ({ example, text }: SnippetBlockProps) => (
  <CodeBlock
    title={`${example.label} snippet`}
    text={text}
    copyLabel="Copy snippet"
    beside={<CopyButton text={toMessage(example, text)} label="Copy for a developer" />}
    isPrimary
    isFoldable
  />
);

const toMessage = ({ instruction }: FrameworkExample, snippet: string) =>
  `Please add Headwater to our site. ${instruction}

${snippet.trimEnd()}

This page shows when the first event arrives: ${location.href}
`;
