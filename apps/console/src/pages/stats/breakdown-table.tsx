/** The most frequent values of a dimension. Selecting a value filters the whole view by it. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Table, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { AsyncButton } from "../../ui/async-button.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { dimensionLabel, formatMetric, formatValue } from "./format.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";
import { filterParams } from "./view-params.ts";

const INITIAL_ROWS = 8;
const MORE_ROWS = 50;

const METRIC_NAMES: Partial<Record<StatsMetric, string>> = {
  visitors: "Visitors",
  sessions: "Sessions",
  pageviews: "Views",
  events: "Events",
  bounceRate: "Bounce rate",
};

interface BreakdownTableProps {
  readonly dimension: StatsDimension;
  readonly metrics: readonly [StatsMetric, StatsMetric];
  readonly view: StatsView;
}

export function BreakdownTable({ dimension, metrics, view }: BreakdownTableProps) {
  const [limit, setLimit] = useState(INITIAL_ROWS);
  const query = useStats(view.scope, {
    metrics: [...metrics],
    dimensions: [dimension],
    pagination: { limit },
  });
  return (
    <QueryResult query={query}>
      {(answer) => (
        <>
          {answer.results.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No data
            </Text>
          ) : (
            <BreakdownRows answer={answer} dimension={dimension} view={view} metrics={metrics} />
          )}
          {answer.nextOffset !== null && limit < LIMITS.maxStatsRows && (
            <AsyncButton
              size="xs"
              variant="default"
              mt="xs"
              isPending={query.isPlaceholderData}
              onPress={() => setLimit(Math.min(limit + MORE_ROWS, LIMITS.maxStatsRows))}
            >
              Show more
            </AsyncButton>
          )}
        </>
      )}
    </QueryResult>
  );
}

function BreakdownRows({
  answer,
  dimension,
  metrics,
  view,
}: BreakdownTableProps & { readonly answer: StatsAnswer }) {
  const highest = Math.max(...answer.results.map((row) => row.metrics[0] ?? 0), 1);
  return (
    <Table className="ranking" verticalSpacing={4} horizontalSpacing="xs" withRowBorders={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{dimensionLabel(dimension)}</Table.Th>
          {metrics.map((metric) => (
            <Table.Th key={metric} className="ranking-figure">
              {METRIC_NAMES[metric]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {answer.results.map(({ dimensions: [value = null], metrics: values }) => (
          <Table.Tr key={JSON.stringify(value)}>
            <Table.Td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${((values[0] ?? 0) / highest) * 100}%` }} />
              <FilterButton dimension={dimension} value={value} view={view} />
            </Table.Td>
            {metrics.map((metric, at) => (
              <Table.Td key={metric} className="ranking-figure">
                {formatMetric(metric, values[at] ?? null)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface FilterButtonProps {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
  readonly view: StatsView;
}

function FilterButton({ dimension, value, view: { params, update } }: FilterButtonProps) {
  const name = formatValue(dimension, value);
  return (
    <UnstyledButton title={name} onClick={() => update(filterParams(params, dimension, value))}>
      {name}
    </UnstyledButton>
  );
}
