/** A snippet to copy, alone or as a message to the developer who adds it, between the notes of its comment. */
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Stack, Text } from "../../ui/primitives/elements.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import type { FrameworkExample } from "./framework-examples.ts";
import { type SnippetNote, splitSnippet } from "./snippet-notes.ts";

interface SnippetBlockProps {
  readonly example: FrameworkExample;
  readonly text: string;
}

export function SnippetBlock({ example, text }: SnippetBlockProps) {
  const { file, notes, code } = splitSnippet(text);
  const { instruction, label } = example;
  // the first note of a snippet without an instruction says where its code belongs
  const [before, after] = instruction
    ? [[{ text: instruction, code: "" }], notes]
    : [notes.slice(0, 1), notes.slice(1)];
  return (
    <>
      <Notes notes={before} />
      <CodeBlock
        title={file ?? `${label} snippet`}
        text={code}
        copiedText={text}
        copyLabel="Copy snippet"
        beside={<CopyButton text={toMessage(example, text)} label="Copy for a developer" />}
        isPrimary
        isFoldable
      />
      {after.length > 0 && <Notes notes={after} />}
    </>
  );
}

const Notes = ({ notes }: { readonly notes: readonly SnippetNote[] }) => (
  <Stack gap="xs" className="snippet-notes">
    {notes.map(({ text, code }) =>
      code.trimEnd().includes("\n") ? (
        <CodeBlock key={text} title={text.replaceAll("`", "").replace(/:$/, "")} text={code.trimEnd()} />
      ) : (
        <Text size="sm" key={text}>
          <TextWithCode text={text} />
          {code && <code className="code note-code">{code.trimEnd()}</code>}
        </Text>
      ),
    )}
  </Stack>
);

const SEE_COMMENT = "The comment at the top of the code says where the code belongs.";

const toMessage = ({ instruction = SEE_COMMENT }: FrameworkExample, snippet: string) =>
  `Please add Headwater to our site. ${instruction}

${snippet.trimEnd()}

To see whether events arrive, open this page: ${location.href}
`;
