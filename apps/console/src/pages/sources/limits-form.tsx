/** The section for a source's own limits. An empty field uses the service's limit. */
import type { Source, SourceLimits } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { formatCount } from "../../ui/format-count.ts";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { SettingsSection } from "./form-section.tsx";
import { useServiceSettings } from "./service-settings.ts";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

interface LimitField {
  readonly name: keyof SourceLimits;
  /** The service's setting that applies when the field is empty. */
  readonly setting: string;
  readonly label: string;
  readonly min: number;
  readonly max: number;
}

const LIMIT_FIELDS = [
  {
    name: "maxBatchSize",
    setting: "MAX_BATCH_SIZE",
    label: "Events per batch",
    min: 1,
    max: LIMITS.maxBatchSizeCeiling,
  },
  {
    name: "maxPayloadBytes",
    setting: "MAX_PAYLOAD_BYTES",
    label: "Bytes per request",
    min: 1_024,
    max: LIMITS.maxPayloadBytesCeiling,
  },
  {
    name: "clientRatePerSecond",
    setting: "CLIENT_RATE_PER_SECOND",
    label: "Requests per second per IP address",
    min: 1,
    max: LIMITS.clientRatePerSecondCeiling,
  },
  {
    name: "eventsPerDay",
    setting: "SOURCE_EVENTS_PER_DAY",
    label: "Events per UTC day",
    min: 1,
    max: LIMITS.maxDailyQuota,
  },
  {
    name: "bytesPerDay",
    setting: "SOURCE_BYTES_PER_DAY",
    label: "Bytes per UTC day",
    min: 1,
    max: LIMITS.maxDailyQuota,
  },
] as const satisfies readonly LimitField[];

/** A whole number of MiB or KiB with its unit, such as `5 MiB`; any other number as it is. */
function formatLimit(name: keyof SourceLimits, limit: number): string {
  if (name !== "maxPayloadBytes" && name !== "bytesPerDay") return formatCount(limit);
  if (limit % 1_048_576 === 0) return `${formatCount(limit / 1_048_576)} MiB`;
  return limit % 1_024 === 0 ? `${formatCount(limit / 1_024)} KiB` : formatCount(limit);
}

/** @param value the value of the service's setting; 0 means no daily limit */
const describeDefault = (name: keyof SourceLimits, value: string | undefined): string =>
  value === undefined
    ? "Default"
    : `Default: ${value === "0" ? "no limit" : formatLimit(name, Number(value))}`;

type LimitTexts = Record<keyof SourceLimits, string>;
const toText = (limit: number | null) => (limit === null ? "" : String(limit));
const toLimit = (text: string) => (text.trim() === "" ? null : Number(text));

export const LIMITS_PART: SettingsPart<LimitTexts> = {
  title: "Limits",
  stored: ({ limits }: Source) => ({
    maxBatchSize: toText(limits.maxBatchSize),
    maxPayloadBytes: toText(limits.maxPayloadBytes),
    clientRatePerSecond: toText(limits.clientRatePerSecond),
    eventsPerDay: toText(limits.eventsPerDay),
    bytesPerDay: toText(limits.bytesPerDay),
  }),
  normalize: (edited) => edited,
  toPatch: (changes) => {
    const limits = Object.entries(changes).map(([name, text]) => [name, toLimit(text)]);
    // the names of the fields are those of the limits
    return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) as Partial<SourceLimits> };
  },
};

export function LimitsForm() {
  const settings = useServiceSettings();
  const { fields, setFields, failure } = useSettings(LIMITS_PART);
  return (
    <SettingsSection title="Limits" text="Leave a field empty to use the service’s default.">
      <div className="field-grid">
        {LIMIT_FIELDS.map(({ name, setting, label, min, max }) => (
          <TextInput
            key={name}
            type="number"
            label={label}
            description={
              max === LIMITS.maxDailyQuota ? "Quota for this source" : `Up to ${formatLimit(name, max)}`
            }
            placeholder={describeDefault(name, settings[setting])}
            min={min}
            max={max}
            value={fields[name]}
            error={failure?.issueAt("limits", name)}
            onChange={(event) => setFields({ [name]: event.currentTarget.value })}
          />
        ))}
      </div>
    </SettingsSection>
  );
}
