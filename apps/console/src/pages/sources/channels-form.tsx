/** The section for a source's own rules for sources and channels. */
import type { Source } from "@headwater/contract";
import { formatChannelRule, parseChannelRule } from "@headwater/contract/channels";
import { SettingsSection } from "./form-section.tsx";
import { CHANNEL_RULE, checkChannel } from "./line-rules.ts";
import { areValidLines, parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

interface ChannelFields {
  /** One rule per line. */
  readonly rules: string;
}

export const CHANNELS: SettingsPart<ChannelFields> = {
  title: "Traffic sources and channels",
  stored: ({ channelRules }: Source) => ({ rules: channelRules.map(formatChannelRule).join("\n") }),
  normalize: ({ rules }) => (rules === undefined ? {} : { rules: parseLines(rules).join("\n") }),
  toPatch: ({ rules }) =>
    rules === undefined
      ? {}
      : { channelRules: parseLines(rules).flatMap((line) => parseChannelRule(line) ?? []) },
  isValid: ({ rules }) => areValidLines(rules, checkChannel),
};

export function ChannelsForm() {
  const { fields, setFields, failure } = useSettings(CHANNELS);
  const issueAt = (index: number) =>
    failure?.issueAt("channelRules", index, "pattern") ? CHANNEL_RULE : null;
  return (
    <SettingsSection
      title="Traffic sources and channels"
      text="Your rules take precedence over the built-in lists. Changes apply to new events only."
    >
      <LinesField
        label="Rules"
        description="One rule per line: a field (referrer, source, medium or campaign), a pattern, then the source and the channel. The first match applies."
        placeholder={"referrer=*.partner.example -> Partner | Affiliates\nmedium=qr* -> Poster | Referral"}
        value={fields.rules}
        check={checkChannel}
        issueAt={issueAt}
        issue={failure?.issueAt("channelRules")}
        onChange={(rules) => setFields({ rules })}
      />
    </SettingsSection>
  );
}
