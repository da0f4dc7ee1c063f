/** The form for a source's own limits. An empty field uses the service's limit. */
import type { Source, SourceLimits } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { TextInput } from "@mantine/core";
import { formatCount } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { SaveRow, useSourceForm } from "./source-form.tsx";

const LIMIT_FIELDS = [
  { name: "maxBatchSize", label: "Events per batch", min: 1, max: LIMITS.maxBatchSizeCeiling },
  { name: "maxPayloadBytes", label: "Bytes per request", min: 1_024, max: LIMITS.maxPayloadBytesCeiling },
  {
    name: "clientRatePerSecond",
    label: "Requests per second and IP",
    min: 1,
    max: LIMITS.clientRatePerSecondCeiling,
  },
  { name: "eventsPerDay", label: "Events per UTC day", min: 1, max: LIMITS.maxDailyQuota },
  { name: "bytesPerDay", label: "Bytes per UTC day", min: 1, max: LIMITS.maxDailyQuota },
] as const satisfies readonly { name: keyof SourceLimits; label: string; min: number; max: number }[];

type LimitTexts = Record<keyof SourceLimits, string>;
const toText = (limit: number | null) => (limit === null ? "" : String(limit));
const toLimit = (text: string) => (text.trim() === "" ? null : Number(text));

const normalize = (edited: Partial<LimitTexts>) => edited;
const toPatch = (changes: Partial<LimitTexts>) => {
  const limits = Object.entries(changes).map(([name, text]) => [name, toLimit(text)]);
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) as Partial<SourceLimits> };
};

export function LimitsForm({ source }: { readonly source: Source }) {
  const { limits } = source;
  const stored: LimitTexts = {
    maxBatchSize: toText(limits.maxBatchSize),
    maxPayloadBytes: toText(limits.maxPayloadBytes),
    clientRatePerSecond: toText(limits.clientRatePerSecond),
    eventsPerDay: toText(limits.eventsPerDay),
    bytesPerDay: toText(limits.bytesPerDay),
  };
  const { fields, setFields, submit, saved, failure } = useSourceForm({ source, stored, normalize, toPatch });
  return (
    <FormSection title="Limits" text="Leave a field empty to use the service’s default." onSubmit={submit}>
      {saved.error && <ErrorAlert error={saved.error} />}
      <div className="field-grid">
        {LIMIT_FIELDS.map(({ name, label, min, max }) => (
          <TextInput
            key={name}
            type="number"
            label={label}
            description={max === LIMITS.maxDailyQuota ? "Quota of this source" : `Up to ${formatCount(max)}`}
            min={min}
            max={max}
            value={fields[name]}
            error={failure?.issueAt("limits", name)}
            onChange={(event) => setFields({ [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <SaveRow saved={saved} label="Save limits" />
    </FormSection>
  );
}
