/** The form for a source's own rules for sources and channels. */
import type { Source } from "@headwater/contract";
import { formatChannelRule, parseChannelRule } from "@headwater/contract/channels";
import { SaveRow } from "../../save-row.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { useSourceForm } from "./source-form.tsx";

const RULE =
  "A rule is referrer, source, medium or campaign = pattern -> source | channel. A hyphen keeps the source or the channel.";

interface ChannelFields {
  /** One rule per line. */
  readonly rules: string;
}

const toFields = ({ channelRules }: Source): ChannelFields => ({
  rules: channelRules.map(formatChannelRule).join("\n"),
});
const normalize = ({ rules }: Partial<ChannelFields>): Partial<ChannelFields> =>
  rules === undefined ? {} : { rules: parseLines(rules).join("\n") };
/** Stands for a line that is not a rule: the service refuses it, so the form names the line. */
const INVALID_RULE = { field: "referrer" as const, pattern: "", source: null, channel: null };
const toPatch = ({ rules }: Partial<ChannelFields>) =>
  rules === undefined
    ? {}
    : { channelRules: parseLines(rules).map((line) => parseChannelRule(line) ?? INVALID_RULE) };

export function ChannelsForm({ source }: { readonly source: Source }) {
  const form = useSourceForm({ source, stored: toFields(source), normalize, toPatch });
  const { fields, setFields, submit, saved, failure, isUnsaved } = form;
  const invalid = parseLines(fields.rules).find((_, index) =>
    failure?.issueAt("channelRules", index, "pattern"),
  );
  return (
    <FormSection
      title="Sources and channels"
      text="Your own rules win over the built-in lists. Changes apply to new events only."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <LinesField
        label="Rules"
        description="One rule per line, such as referrer=*.partner.example -> Partner | Affiliates. The first one that matches counts."
        value={fields.rules}
        error={invalid === undefined ? failure?.issueAt("channelRules") : `${invalid}: ${RULE}`}
        onChange={(event) => setFields({ rules: event.currentTarget.value })}
      />
      <SaveRow saved={saved} what="rules" isUnsaved={isUnsaved} />
    </FormSection>
  );
}
