/** The script tag with switches for its options. The longer snippet queues calls that are made before the script has loaded. */
import type { InstallPayload } from "@headwater/contract";
import { Switch, Text } from "@mantine/core";
import { useState } from "react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { optionsOf, TAG_OPTIONS, type TagOption, toScriptTag } from "./script-tag.ts";

export function TagSection({ install }: { readonly install: InstallPayload }) {
  const [options, setOptions] = useState(() => optionsOf(install.browserSnippet));
  const toggle = (name: TagOption, isOn: boolean) =>
    setOptions(new Set([...options].filter((one) => one !== name).concat(isOn ? name : [])));
  return (
    <>
      <CodeBlock
        title="HTML snippet"
        text={toScriptTag(install, options)}
        copyLabel="Copy snippet"
        isPrimary
      />
      <fieldset className="tag-options">
        <legend>Options</legend>
        <Text size="sm" c="dimmed" className="tag-note">
          Options change the snippet above and are not saved. Copy the snippet after a change.
        </Text>
        {TAG_OPTIONS.map(({ name, label, help }) => (
          <Switch
            key={name}
            size="sm"
            label={label}
            description={help}
            checked={options.has(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
      <details className="more">
        <summary>Tag manager or early calls</summary>
        <Text size="sm" c="dimmed">
          This snippet keeps the calls of <code>headwater(…)</code> until the script has loaded, and it says
          in the browser’s console when the script was blocked.
        </Text>
        <CodeBlock title="Inline snippet" text={install.browserSnippet} copyLabel="Copy inline snippet" />
      </details>
    </>
  );
}
