/** The HTML snippet with switches for its options. */
import type { InstallPayload } from "@headwater/contract";
import { useState } from "react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Text } from "../../ui/primitives/elements.tsx";
import { Switch } from "../../ui/primitives/fields.tsx";
import { optionsOf, SNIPPET_OPTIONS, type SnippetOption, withOptions } from "./snippet-options.ts";

export function HtmlSnippet({ install }: { readonly install: InstallPayload }) {
  const [options, setOptions] = useState(() => optionsOf(install.browserSnippet));
  const toggle = (name: SnippetOption, isOn: boolean) =>
    setOptions(new Set([...options].filter((one) => one !== name).concat(isOn ? name : [])));
  return (
    <>
      <CodeBlock
        title="HTML snippet"
        text={withOptions(install.browserSnippet, options)}
        copyLabel="Copy snippet"
        isPrimary
        isFoldable
      />
      <fieldset className="tag-options">
        <legend>Options</legend>
        <Text size="sm" c="dimmed" className="tag-note">
          Options change the snippet above and are not saved. Copy the snippet again after each change. If
          your Content Security Policy allows it by hash, update the hash too.
        </Text>
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
    </>
  );
}
