/** The HTML snippet with switches for its options. */
import type { InstallPayload } from "@headwater/contract";
import { useState } from "react";
import { Text } from "../../ui/primitives/elements.tsx";
import { Switch } from "../../ui/primitives/fields.tsx";
import type { FrameworkExample } from "./framework-examples.ts";
import { SnippetBlock } from "./snippet-block.tsx";
import { optionsOf, SNIPPET_OPTIONS, type SnippetOption, withOptions } from "./snippet-options.ts";

interface HtmlSnippetProps {
  readonly install: InstallPayload;
  readonly example: FrameworkExample;
}

export function HtmlSnippet({ install: { browserSnippet }, example }: HtmlSnippetProps) {
  const [options, setOptions] = useState(() => optionsOf(browserSnippet));
  // open when the source's snippet has more than the one option of most
  const [isOpen] = useState([...options].some((name) => name !== "engagement"));
  const toggle = (name: SnippetOption, isOn: boolean) =>
    setOptions(new Set([...options].filter((one) => one !== name).concat(isOn ? name : [])));
  const labels = SNIPPET_OPTIONS.filter(({ name }) => options.has(name)).map(({ label }) => label);
  return (
    <>
      <SnippetBlock example={example} text={withOptions(browserSnippet, options)} />
      <details open={isOpen}>
        <summary>
          Options{" "}
          <span className="options-on">{labels.length === 0 ? "All off" : `On: ${labels.join(", ")}`}</span>
        </summary>
        <Text size="sm" c="dimmed" mt="xs" mb="sm">
          Options change the snippet above and are not saved. Copy the snippet again after each change. If
          your Content Security Policy allows it by hash, update the hash too.
        </Text>
        <fieldset className="tag-options" aria-label="Options">
          {SNIPPET_OPTIONS.map(({ name, label, help }) => (
            <Switch
              key={name}
              label={label}
              description={help}
              checked={options.has(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
          ))}
        </fieldset>
      </details>
    </>
  );
}
