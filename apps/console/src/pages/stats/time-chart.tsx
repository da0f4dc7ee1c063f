/** One key metric over time, as a chart and as a table, with the changes of the source's configuration. */
import type { StatsAnswer } from "@headwater/contract";
import { Group, Paper, Table, Text, Title } from "@mantine/core";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { formatMetric, timeFormatter } from "./format.ts";
import { KEY_METRICS, type KeyMetric } from "./key-metrics.tsx";
import { type ChartPoint, LineChart } from "./line-chart.tsx";
import { type ConfigChange, useSourceChanges } from "./source-changes.ts";
import type { ViewRange } from "./view-params.ts";

/** The metric and interval of an answer. They come from the answer, because the view may have changed since the request. */
const keyMetricOf = ({ metrics }: StatsAnswer): KeyMetric =>
  KEY_METRICS.find(({ metric }) => metric === metrics[0]) ?? KEY_METRICS[0];
const intervalOf = ({ dimensions }: StatsAnswer) =>
  dimensions[0]?.replace("time:", "") as ViewRange["interval"];

function toChartPoints(answer: StatsAnswer, changes: readonly ConfigChange[]): ChartPoint[] {
  const formatTime = timeFormatter(answer.timezone, intervalOf(answer));
  const now = Date.now();
  return answer.results.map(({ dimensions, metrics: [value = null], comparison }, index) => {
    const start = String(dimensions[0]);
    const texts = changes.filter(({ pointIndex }) => pointIndex === index).map(({ text }) => text);
    return {
      label: formatTime(start),
      // intervals in the future have no value
      value: Date.parse(start) > now ? null : value,
      previous: comparison?.[0] ?? null,
      note: texts.length === 0 ? null : [...new Set(texts)].join(", "),
    };
  });
}

/** @param answer one key metric by one time dimension */
export function TimeChart({ answer }: { readonly answer: StatsAnswer }) {
  const changes = useSourceChanges(answer);
  const points = toChartPoints(answer, changes);
  const keyMetric = keyMetricOf(answer);
  const format = (value: number | null) => formatMetric(keyMetric.metric, value);
  const title = `${keyMetric.label} by ${intervalOf(answer)}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {answer.comparison && (
          <Text size="sm" c="dimmed">
            Dashed: previous period
          </Text>
        )}
      </Group>
      <LineChart
        label={title}
        points={points}
        format={format}
        // a scale up to 2 has whole numbers at its middle and its end
        minTop={keyMetric.metric === "bounceRate" ? 0 : 2}
      />
      <SourceChangeList changes={changes} timeZone={answer.timezone} />
      <details className="chart-table">
        <summary>Show as table</summary>
        <ScrollRegion label={`${title}, as a table`} className="chart-rows">
          <PointTable answer={answer} points={points} />
        </ScrollRegion>
      </details>
    </Paper>
  );
}

interface SourceChangeListProps {
  readonly changes: readonly ConfigChange[];
  readonly timeZone: string;
}

function SourceChangeList({ changes, timeZone }: SourceChangeListProps) {
  if (changes.length === 0) return null;
  const formatTime = timeFormatter(timeZone, "hour");
  return (
    <ul className="chart-changes" aria-label="Configuration changes">
      {changes.map(({ auditId, at, text }) => (
        <li key={auditId}>
          {formatTime(at)}: {text}
        </li>
      ))}
    </ul>
  );
}

interface PointTableProps {
  readonly answer: StatsAnswer;
  readonly points: readonly ChartPoint[];
}

function PointTable({ answer, points }: PointTableProps) {
  const keyMetric = keyMetricOf(answer);
  const format = (value: number | null) => formatMetric(keyMetric.metric, value);
  return (
    <Table horizontalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th ta="right">{keyMetric.label}</Table.Th>
          {answer.comparison && <Table.Th ta="right">Previous period</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {points.map(({ label, value, previous }, index) => (
          <Table.Tr key={String(answer.results[index]?.dimensions[0])}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="right">{format(value)}</Table.Td>
            {answer.comparison && <Table.Td ta="right">{format(previous)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
