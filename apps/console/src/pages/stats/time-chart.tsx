/** One of the headline numbers over time, as a chart and as a table, with what was changed of the source meanwhile. */
import type { StatsAnswer } from "@headwater/contract";
import { Group, Paper, Table, Text, Title } from "@mantine/core";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { formatMetric, timeFormatter } from "./format.ts";
import { KEY_METRICS, type KeyMetric } from "./key-metrics.tsx";
import { type ChartPoint, LineChart } from "./line-chart.tsx";
import { type SourceChange, useSourceChanges } from "./source-changes.ts";
import type { ViewRange } from "./view-params.ts";

/** Which of the headline numbers an answer is about, and by which time; another one may have been asked for since. */
const headlineOf = ({ metrics }: StatsAnswer): KeyMetric =>
  KEY_METRICS.find(({ metric }) => metric === metrics[0]) ?? KEY_METRICS[0];
const grainOf = ({ dimensions }: StatsAnswer) => dimensions[0]!.replace("time:", "") as ViewRange["grain"];

function pointsOf(answer: StatsAnswer, changes: readonly SourceChange[]): ChartPoint[] {
  const sayTime = timeFormatter(answer.timezone, grainOf(answer));
  const now = Date.now();
  return answer.results.map(({ dimensions, metrics: [value = null], comparison }, index) => {
    const start = String(dimensions[0]);
    const texts = changes.filter(({ point }) => point === index).map(({ text }) => text);
    return {
      label: sayTime(start),
      // what is still to come has no figure
      value: Date.parse(start) > now ? null : value,
      before: comparison?.[0] ?? null,
      note: texts.length === 0 ? null : [...new Set(texts)].join(", "),
    };
  });
}

/** @param answer of one headline metric by one time */
export function TimeChart({ answer }: { readonly answer: StatsAnswer }) {
  const changes = useSourceChanges(answer);
  const points = pointsOf(answer, changes);
  const headline = headlineOf(answer);
  const say = (figure: number | null) => formatMetric(headline.metric, figure);
  const title = `${headline.label} by ${grainOf(answer)}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {answer.comparison && (
          <Text size="sm" c="dimmed">
            Dashed: the period before
          </Text>
        )}
      </Group>
      <LineChart
        label={title}
        points={points}
        say={say}
        // half of it is a number of visitors too
        least={headline.metric === "bounceRate" ? 0 : 2}
      />
      <SourceChangeList changes={changes} zone={answer.timezone} />
      <details className="chart-table">
        <summary>As a table</summary>
        <ScrollRegion label={`${title}, as a table`} className="chart-rows">
          <PointTable answer={answer} points={points} />
        </ScrollRegion>
      </details>
    </Paper>
  );
}

function SourceChangeList({
  changes,
  zone,
}: {
  readonly changes: readonly SourceChange[];
  readonly zone: string;
}) {
  if (changes.length === 0) return null;
  const sayTime = timeFormatter(zone, "hour");
  return (
    <ul className="chart-changes" aria-label="Changes of the source">
      {changes.map(({ auditId, at, text }) => (
        <li key={auditId}>
          {sayTime(at)}: {text}
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
  const headline = headlineOf(answer);
  const say = (figure: number | null) => formatMetric(headline.metric, figure);
  return (
    <Table horizontalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>From</Table.Th>
          <Table.Th ta="right">{headline.label}</Table.Th>
          {answer.comparison && <Table.Th ta="right">Before</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {points.map(({ label, value, before }, index) => (
          <Table.Tr key={String(answer.results[index]?.dimensions[0])}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="right">{say(value)}</Table.Td>
            {answer.comparison && <Table.Td ta="right">{say(before)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
