/** The panel that downloads all events of the selected range as a file. */

import type { ExportFormat, StatsAnswer } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { API_BASE, api } from "../../api.ts";
import { HEADWATER } from "../../command-name.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { formatBytes, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { timeFormatter } from "./format.ts";
import { saveResponse } from "./save-response.ts";
import { ALL_EVENTS, sumOfEvents } from "./sum-of-events.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";
import { todayIn } from "./view-range.ts";

const FORMATS = [
  { value: "csv", label: "CSV" },
  { value: "ndjson", label: "NDJSON (one JSON object per line)" },
  { value: "parquet", label: "Parquet" },
] as const satisfies readonly { value: ExportFormat; label: string }[];

export function ExportPanel({ view: { scope, filters } }: { readonly view: StatsView }) {
  // the file has no filters and includes bots and passive events, so the count does too
  const all = { ...scope, filters: [], include: { bots: true, excluded: false } };
  const query = useStats(all, { metrics: [...ALL_EVENTS] });
  return (
    <QueryResult query={query} rows={1}>
      {(answer) => <DownloadForm answer={answer} hasFilters={filters.length > 0} />}
    </QueryResult>
  );
}

interface DownloadFormProps {
  readonly answer: StatsAnswer;
  readonly hasFilters: boolean;
}

function DownloadForm({ answer, hasFilters }: DownloadFormProps) {
  const { sourceId, from, to, timezone, results } = answer;
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [bytes, setBytes] = useState(0);
  const [controller, setController] = useState<AbortController | null>(null);
  const download = useMutation({
    mutationFn: ({ signal }: AbortController) =>
      saveResponse({
        name: `${sourceId}-${todayIn(timezone, Date.parse(from))}.${format}`,
        request: () => api.exportEvents({ query: { sourceId, from, to, format }, signal }),
        onProgress: setBytes,
        tooLargeHint: `Choose a shorter range, or run \`${HEADWATER} export --api ${API_BASE} --token-file token.txt --source ${sourceId} --from ${from} --to ${to} --format ${format} --out events.${format}\`.`,
        signal,
      }),
  });
  const start = () => {
    const abort = new AbortController();
    setBytes(0);
    setController(abort);
    return download.mutateAsync(abort);
  };
  const formatTime = timeFormatter(timezone, "hour");
  const isCanceled = download.error?.name === "AbortError";
  return (
    <Stack gap="sm">
      <Text size="sm">
        {pluralize(sumOfEvents(results[0]), "event")} from {formatTime(from)} to {formatTime(to)} ({timezone}
        ), with engagement, web vitals and bots.
        {hasFilters && " Filters do not apply to the export."}
      </Text>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Format"
          data={[...FORMATS]}
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as ExportFormat)}
        />
        <AsyncButton isPending={download.isPending} onPress={start}>
          Download
        </AsyncButton>
        {download.isPending && (
          <Button variant="default" onClick={() => controller?.abort()}>
            Cancel
          </Button>
        )}
        <Text size="sm" role="status">
          {download.isPending && formatBytes(bytes)}
          {download.data && `Saved, ${formatBytes(bytes)}`}
          {isCanceled && "Canceled"}
        </Text>
      </Group>
      {download.error && !isCanceled && <ErrorAlert error={download.error} withIssues />}
    </Stack>
  );
}
