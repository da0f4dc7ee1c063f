/** One of the headline numbers over time, as a chart and as a table. */
import type { StatsAnswer } from "@headwater/contract";
import { Group, Paper, Table, Text, Title } from "@mantine/core";
import { Scroll } from "../../ui/scroll.tsx";
import type { Headline } from "./headlines.tsx";
import { type ChartPoint, LineChart } from "./line-chart.tsx";
import { sayFigure, timesIn } from "./say.ts";
import type { View } from "./view.ts";

interface OverTimeProps {
  readonly answer: StatsAnswer;
  readonly headline: Headline;
  readonly view: View;
}

/** What is still to come has no figure. */
function pointsOf(
  { results, metrics, timezone }: StatsAnswer,
  { headline, view }: OverTimeProps,
): ChartPoint[] {
  const at = metrics.indexOf(headline.metric);
  const sayTime = timesIn(timezone, view.range.grain);
  const now = Date.now();
  return results.map(({ dimensions, metrics: figures, comparison }) => {
    const start = String(dimensions[0]);
    return {
      label: sayTime(start),
      value: Date.parse(start) > now ? null : (figures[at] ?? null),
      before: comparison?.[at] ?? null,
    };
  });
}

export function OverTime(props: OverTimeProps) {
  const { answer, headline, view } = props;
  const points = pointsOf(answer, props);
  const say = (figure: number | null) => sayFigure(headline.metric, figure);
  const title = `${headline.label} by ${view.range.grain}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {answer.comparison && (
          <Text size="sm" c="dimmed" className="chart-key">
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
      <details className="chart-table">
        <summary>As a table</summary>
        <Scroll label={`${title}, as a table`} className="chart-rows">
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
                <Table.Tr key={answer.results[index]?.dimensions[0]?.toString()}>
                  <Table.Td>{label}</Table.Td>
                  <Table.Td ta="right">{say(value)}</Table.Td>
                  {answer.comparison && <Table.Td ta="right">{say(before)}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      </details>
    </Paper>
  );
}
