/** The limits that a source may have of its own; empty: the service's. */
import type { Source, SourceLimits } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Group, Paper, Stack, TextInput } from "@mantine/core";
import { formatCount } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { SaveRow, useSourceForm } from "./source-form.tsx";

const FIELDS = [
  { name: "maxBatchSize", label: "Events in a batch", min: 1, max: LIMITS.maxBatchSizeCeiling },
  { name: "maxPayloadBytes", label: "Bytes of a request", min: 1_024, max: LIMITS.maxPayloadBytesCeiling },
  {
    name: "clientRatePerSecond",
    label: "Requests a second of one address",
    min: 1,
    max: LIMITS.clientRatePerSecondCeiling,
  },
] as const satisfies readonly { name: keyof SourceLimits; label: string; min: number; max: number }[];

type Texts = Record<keyof SourceLimits, string>;
const textOf = (limit: number | null) => (limit === null ? "" : String(limit));
const limitOf = (text: string) => (text.trim() === "" ? null : Number(text));

const tidy = (typed: Partial<Texts>) => typed;
const patchOf = (changes: Partial<Texts>) => {
  const limits = Object.entries(changes).map(([name, text]) => [name, limitOf(text)]);
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) as Partial<SourceLimits> };
};

export function LimitsForm({ source }: { readonly source: Source }) {
  const { limits } = source;
  const kept: Texts = {
    maxBatchSize: textOf(limits.maxBatchSize),
    maxPayloadBytes: textOf(limits.maxPayloadBytes),
    clientRatePerSecond: textOf(limits.clientRatePerSecond),
  };
  const { fields, put, submit, saved, failure } = useSourceForm({ source, kept, tidy, patchOf });
  return (
    <Paper withBorder p="lg" component="form" aria-label="Limits" onSubmit={submit}>
      <Stack>
        <SectionHeader title="Limits">Where a field is empty, the service's own limit holds.</SectionHeader>
        {saved.error && <ErrorAlert error={saved.error} />}
        <Group grow align="flex-start" className="fields">
          {FIELDS.map(({ name, label, min, max }) => (
            <TextInput
              key={name}
              type="number"
              label={label}
              description={`At most ${formatCount(max)}`}
              min={min}
              max={max}
              value={fields[name]}
              error={failure?.issueAt("limits", name)}
              onChange={(event) => put({ [name]: event.currentTarget.value })}
            />
          ))}
        </Group>
        <SaveRow saved={saved} label="Save limits" variant="default" />
      </Stack>
    </Paper>
  );
}
