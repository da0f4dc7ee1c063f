/** The section for a source's retention. A shorter retention deletes events, so it asks for confirmation. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { SettingsSection } from "./form-section.tsx";
import { useServiceSettings } from "./service-settings.ts";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

interface RetentionFields {
  readonly days: string;
}
const toDays = (text: string) => (text.trim() === "" ? null : Number(text));

export const RETENTION: SettingsPart<RetentionFields> = {
  title: "Data retention",
  stored: ({ retentionDays }: Source) => ({ days: String(retentionDays ?? "") }),
  normalize: ({ days }) => (days === undefined ? {} : { days: String(toDays(days) ?? "") }),
  toPatch: ({ days }) => (days === undefined ? {} : { retentionDays: toDays(days) }),
  question: ({ days }, stored) => {
    const [before, after] = [toDays(stored.days), days === undefined ? null : toDays(days)];
    if (after === null || (before !== null && after > before)) return null;
    return {
      title: "Delete older events?",
      confirmLabel: "Delete older events",
      text: `Events older than ${pluralize(after, "day")} will be permanently deleted. Newer events will be deleted when they reach that age.`,
    };
  },
};

export function RetentionForm() {
  const serviceDays = useServiceSettings().RETENTION_DAYS;
  const { fields, setFields, failure } = useSettings(RETENTION);
  return (
    <SettingsSection
      title="Data retention"
      text="Events older than this many days are deleted from the warehouse. Usage counts and the audit log are not affected."
    >
      <TextInput
        type="number"
        label="Days"
        description={
          <>
            Up to {formatCount(LIMITS.maxRetentionDays)}. Leave empty to keep events forever. Without a
            warehouse, the service’s <code>RETENTION_DAYS</code>
            {serviceDays && ` (${serviceDays})`} applies instead.
          </>
        }
        className="narrow-field"
        min={1}
        max={LIMITS.maxRetentionDays}
        step={1}
        value={fields.days}
        error={failure?.issueAt("retentionDays")}
        onChange={(event) => setFields({ days: event.currentTarget.value })}
      />
    </SettingsSection>
  );
}
