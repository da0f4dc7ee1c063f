/** One of the headline numbers over time, as a chart and as a table, with what was changed of the source meanwhile. */
import type { StatsAnswer } from "@headwater/contract";
import { Group, Paper, Table, Text, Title } from "@mantine/core";
import { Scroll } from "../../ui/scroll.tsx";
import type { Range } from "./address.ts";
import { type Change, useChanges } from "./changes.ts";
import type { Headline } from "./headlines.tsx";
import { type ChartPoint, LineChart } from "./line-chart.tsx";
import { sayFigure, timesIn } from "./say.ts";

interface OverTimeProps {
  /** Of the headline metrics by one time. */
  readonly answer: StatsAnswer;
  readonly headline: Headline;
}

const grainOf = ({ dimensions }: StatsAnswer) => dimensions[0]!.replace("time:", "") as Range["grain"];

function pointsOf(answer: StatsAnswer, { metric }: Headline, changes: readonly Change[]): ChartPoint[] {
  const at = answer.metrics.indexOf(metric);
  const sayTime = timesIn(answer.timezone, grainOf(answer));
  const now = Date.now();
  return answer.results.map(({ dimensions, metrics, comparison }, index) => {
    const start = String(dimensions[0]);
    const texts = changes.filter(({ point }) => point === index).map(({ text }) => text);
    return {
      label: sayTime(start),
      // what is still to come has no figure
      value: Date.parse(start) > now ? null : (metrics[at] ?? null),
      before: comparison?.[at] ?? null,
      note: texts.length === 0 ? null : [...new Set(texts)].join(", "),
    };
  });
}

export function OverTime({ answer, headline }: OverTimeProps) {
  const changes = useChanges(answer);
  const points = pointsOf(answer, headline, changes);
  const say = (figure: number | null) => sayFigure(headline.metric, figure);
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
      <Changes changes={changes} zone={answer.timezone} />
      <details className="chart-table">
        <summary>As a table</summary>
        <Scroll label={`${title}, as a table`} className="chart-rows">
          <PointTable answer={answer} points={points} headline={headline} />
        </Scroll>
      </details>
    </Paper>
  );
}

function Changes({ changes, zone }: { readonly changes: readonly Change[]; readonly zone: string }) {
  if (changes.length === 0) return null;
  const sayTime = timesIn(zone, "hour");
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

function PointTable({
  answer,
  points,
  headline,
}: OverTimeProps & { readonly points: readonly ChartPoint[] }) {
  const say = (figure: number | null) => sayFigure(headline.metric, figure);
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
