/** The values of a dimension, the most frequent first; choosing one narrows everything to it. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Table, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { Answered } from "../../ui/states.tsx";
import { WorkButton } from "../../ui/work-button.tsx";
import { choose } from "./address.ts";
import { nameOf, sayFigure, sayValue } from "./say.ts";
import { useStats, type View } from "./view.ts";

const FIRST_ROWS = 8;
const MORE_ROWS = 50;

const METRIC_NAMES: Partial<Record<StatsMetric, string>> = {
  visitors: "Visitors",
  sessions: "Sessions",
  pageviews: "Views",
  events: "Times",
  bounceRate: "Bounce rate",
};

interface RankingProps {
  readonly dimension: StatsDimension;
  readonly metrics: readonly [StatsMetric, StatsMetric];
  readonly view: View;
}

export function Ranking({ dimension, metrics, view }: RankingProps) {
  const [limit, setLimit] = useState(FIRST_ROWS);
  const query = useStats(view.asked, {
    metrics: [...metrics],
    dimensions: [dimension],
    pagination: { limit },
  });
  return (
    <Answered query={query}>
      {(answer) => (
        <>
          {answer.results.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              Nothing was counted.
            </Text>
          ) : (
            <Rows answer={answer} dimension={dimension} view={view} metrics={metrics} />
          )}
          {answer.nextOffset !== null && limit < LIMITS.statsRows && (
            <WorkButton
              size="xs"
              variant="default"
              mt="xs"
              isWorking={query.isPlaceholderData}
              onPress={() => setLimit(Math.min(limit + MORE_ROWS, LIMITS.statsRows))}
            >
              Show more
            </WorkButton>
          )}
        </>
      )}
    </Answered>
  );
}

function Rows({ answer, dimension, metrics, view }: RankingProps & { readonly answer: StatsAnswer }) {
  const most = Math.max(...answer.results.map((row) => row.metrics[0] ?? 0), 1);
  return (
    <Table className="ranking" verticalSpacing={4} horizontalSpacing="xs" withRowBorders={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{nameOf(dimension)}</Table.Th>
          {metrics.map((metric) => (
            <Table.Th key={metric} className="ranking-figure">
              {METRIC_NAMES[metric]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {answer.results.map(({ dimensions: [value = null], metrics: figures }) => (
          <Table.Tr key={JSON.stringify(value)}>
            <Table.Td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${((figures[0] ?? 0) / most) * 100}%` }} />
              <Value dimension={dimension} value={value} view={view} />
            </Table.Td>
            {metrics.map((metric, at) => (
              <Table.Td key={metric} className="ranking-figure">
                {sayFigure(metric, figures[at] ?? null)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface ValueProps {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
  readonly view: View;
}

function Value({ dimension, value, view: { search, change } }: ValueProps) {
  const name = sayValue(dimension, value);
  return (
    <UnstyledButton title={name} onClick={() => change(choose(search, dimension, value))}>
      {name}
    </UnstyledButton>
  );
}
