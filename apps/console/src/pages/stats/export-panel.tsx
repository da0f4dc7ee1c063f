/** The events behind the numbers as a file: those of the range, all of them. */
import type { ExportFormat, StatsAnswer } from "@headwater/contract";
import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { API_BASE, ask } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { timeFormatter } from "./format.ts";
import { save } from "./save-response.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";

const FORMATS = [
  { value: "csv", label: "CSV, for a spreadsheet" },
  { value: "ndjson", label: "NDJSON, a JSON object a line" },
  { value: "parquet", label: "Parquet, for data tools" },
] as const satisfies readonly { value: ExportFormat; label: string }[];

const sayBytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

export function ExportPanel({ view: { asked, chosen } }: { readonly view: StatsView }) {
  // bots are in the file too
  const all = { ...asked, filters: [] };
  const query = useStats(all, { metrics: ["events"], include: { bots: true } });
  return (
    <Paper withBorder p="md" component="section" aria-label="Export">
      <Title order={2} size="h5" mb="xs">
        Export
      </Title>
      <QueryResult query={query} rows={1}>
        {(answer) => <DownloadForm answer={answer} isNarrowed={chosen.length > 0} />}
      </QueryResult>
    </Paper>
  );
}

interface DownloadFormProps {
  readonly answer: StatsAnswer;
  readonly isNarrowed: boolean;
}

function DownloadForm({ answer, isNarrowed }: DownloadFormProps) {
  const { sourceId, from, to, timezone, results } = answer;
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [bytes, setBytes] = useState(0);
  const [stopping, setStopping] = useState<AbortController | null>(null);
  const taken = useMutation({
    mutationFn: ({ signal }: AbortController) =>
      save({
        name: `${sourceId}-${from.slice(0, 10)}.${format}`,
        ask: () => ask("exportEvents", { query: { sourceId, from, to, format }, signal }),
        onBytes: setBytes,
        otherwise: `Take it with \`headwater export --api ${API_BASE} --token-file token.txt --source ${sourceId} --from ${from} --to ${to} --format ${format} --out events.${format}\`, or in shorter ranges.`,
        signal,
      }),
  });
  const begin = () => {
    const stop = new AbortController();
    setBytes(0);
    setStopping(stop);
    return taken.mutateAsync(stop);
  };
  const sayTime = timeFormatter(timezone, "hour");
  const isStopped = taken.error?.name === "AbortError";
  return (
    <Stack gap="sm">
      <Text size="sm">
        {pluralize(results[0]?.metrics[0] ?? 0, "event")}, from {sayTime(from)} up to {sayTime(to)} (
        {timezone}), those of bots among them.
        {isNarrowed && " The filters do not narrow the file."}
      </Text>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Format"
          data={[...FORMATS]}
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as ExportFormat)}
        />
        <AsyncButton isPending={taken.isPending} onPress={begin}>
          Download
        </AsyncButton>
        {taken.isPending && (
          <Button variant="default" onClick={() => stopping?.abort()}>
            Stop
          </Button>
        )}
        <Text size="sm" role="status">
          {taken.isPending && sayBytes(bytes)}
          {taken.data && `Saved, ${sayBytes(bytes)}`}
          {isStopped && "Stopped"}
        </Text>
      </Group>
      {taken.error && !isStopped && <ErrorAlert error={taken.error} withIssues />}
    </Stack>
  );
}
