/** The limits that a source may have of its own; empty: the service's. */
import type { Source, SourceLimits } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Group, Paper, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api.ts";
import { count } from "../../ui/count.ts";
import { Head } from "../../ui/head.tsx";
import { Failure } from "../../ui/states.tsx";
import { Save, type SourceUpdate, takeBack } from "./update.tsx";

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

export function LimitsSection({ source, saved }: { readonly source: Source; readonly saved: SourceUpdate }) {
  const { limits } = source;
  const [texts, setTexts] = useState<Texts>({
    maxBatchSize: textOf(limits.maxBatchSize),
    maxPayloadBytes: textOf(limits.maxPayloadBytes),
    clientRatePerSecond: textOf(limits.clientRatePerSecond),
  });
  const failure = saved.error instanceof ApiError ? saved.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saved.mutate({
      limits: {
        maxBatchSize: limitOf(texts.maxBatchSize),
        maxPayloadBytes: limitOf(texts.maxPayloadBytes),
        clientRatePerSecond: limitOf(texts.clientRatePerSecond),
      },
    });
  };
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} onChange={takeBack(saved)}>
      <Stack>
        <Head title="Limits">Where a field is empty, the service's own limit holds.</Head>
        {saved.error && <Failure error={saved.error} />}
        <Group grow align="flex-start" className="fields">
          {FIELDS.map(({ name, label, min, max }) => (
            <TextInput
              key={name}
              type="number"
              label={label}
              description={`At most ${count(max)}`}
              min={min}
              max={max}
              value={texts[name]}
              error={failure?.issueAt("limits", name)}
              onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          ))}
        </Group>
        <Save saved={saved} label="Save limits" variant="default" />
      </Stack>
    </Paper>
  );
}
