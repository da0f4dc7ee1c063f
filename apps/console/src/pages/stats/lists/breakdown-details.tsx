/** All values of a dimension: searched, sorted, page by page, and as a CSV file of what is shown. */
import type { StatsAnswer, StatsDimension, StatsFilter, StatsMetric } from "@headwater/contract";
import { Button, Group, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { toCsv } from "../../../csv.ts";
import { downloadBlob } from "../../../ui/download-blob.ts";
import { Icon } from "../../../ui/icon.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { dimensionLabel } from "../format.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import {
  type Breakdown,
  dimensionsOf,
  formatRowValue,
  metricName,
  rowValueOf,
  scopeOf,
} from "./breakdown.ts";
import { BreakdownRows } from "./breakdown-rows.tsx";

const PAGE_ROWS = 25;
/** Metrics whose best values are first when the list is sorted by them. */
const LOWER_IS_BETTER: ReadonlySet<StatsMetric> = new Set(["bounceRate", "p75:lcp", "p75:inp", "p75:cls"]);

interface BreakdownDetailsProps {
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  readonly total: number | null;
  readonly onClose: () => void;
}

interface Order {
  readonly field: StatsMetric;
  readonly direction: "asc" | "desc";
}

export function BreakdownDetails({ breakdown, view, total, onClose }: BreakdownDetailsProps) {
  const { metrics } = breakdown;
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const [order, setOrder] = useState<Order>({ field: metrics[0], direction: "desc" });
  const scope = scopeOf(view, breakdown);
  const query = useStats(
    { ...scope, filters: [...scope.filters, ...searchFilters(breakdown, search)] },
    {
      metrics: [...metrics],
      dimensions: dimensionsOf(breakdown),
      orderBy: [order],
      pagination: { limit: PAGE_ROWS, offset },
      comparison: view.comparison.request,
    },
  );
  const sortBy = (field: StatsMetric) => {
    setOffset(0);
    const first = LOWER_IS_BETTER.has(field) ? "asc" : "desc";
    const second = first === "asc" ? "desc" : "asc";
    setOrder({ field, direction: order.field === field && order.direction === first ? second : first });
  };
  return (
    <>
      <Group justify="space-between" gap="sm" mb="sm">
        <TextInput
          className="details-search"
          placeholder="Search"
          aria-label="Search"
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => {
            setOffset(0);
            setSearch(event.currentTarget.value);
          }}
        />
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          disabled={query.data === undefined}
          onClick={() => query.data && saveCsv(query.data, breakdown)}
        >
          Download CSV
        </Button>
      </Group>
      <StatsResult query={query} rows={8}>
        {(answer) => (
          <div className="details-rows">
            {answer.results.length === 0 ? (
              <Text c="dimmed">No value contains “{search}”.</Text>
            ) : (
              <ScrollRegion label="Rows" className="details-table">
                <BreakdownRows
                  answer={answer}
                  breakdown={breakdown}
                  view={view}
                  total={total}
                  changed={order.field}
                  onFilter={onClose}
                  heading={(metric, name) => (
                    <UnstyledButton className="sort-button" onClick={() => sortBy(metric)}>
                      {name}
                      {order.field === metric && (
                        <Icon name={order.direction === "desc" ? "arrowDown" : "arrowUp"} size={13} />
                      )}
                    </UnstyledButton>
                  )}
                />
              </ScrollRegion>
            )}
            <Group justify="flex-end" gap="xs" mt="sm">
              <Button
                size="xs"
                variant="default"
                disabled={offset === 0}
                onClick={() => setOffset(Math.max(0, offset - PAGE_ROWS))}
              >
                Previous
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={answer.nextOffset === null}
                onClick={() => setOffset(offset + PAGE_ROWS)}
              >
                Next
              </Button>
            </Group>
          </div>
        )}
      </StatsResult>
    </>
  );
}

/** With a parent dimension, such as the browser of a version, each word is in one of the two values. */
function searchFilters({ dimension, parent }: Breakdown, search: string): StatsFilter[] {
  if (search === "") return [];
  const contains = (one: StatsDimension, text: string): StatsFilter => ({
    dimension: one,
    operator: "matches",
    value: `(?i)${escapePattern(text)}`,
  });
  if (parent === undefined) return [contains(dimension, search)];
  const words = search.split(/\s+/).filter((word) => word !== "");
  return words.map((word) => ({ or: [contains(parent, word), contains(dimension, word)] }));
}

/** The search is for text, and the API's pattern is a regular expression. */
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

function saveCsv({ results, comparison }: StatsAnswer, breakdown: Breakdown): void {
  const { dimension, metrics } = breakdown;
  const names = metrics.map(metricName);
  const compared = comparison === null ? [] : names.map((name) => `${name} (compared period)`);
  const rows = results.map(({ dimensions, metrics: values, comparison: before }) => [
    formatRowValue(breakdown, rowValueOf(breakdown, dimensions)),
    ...[...values, ...(before ?? compared.map(() => null))].map((one) => one ?? ""),
  ]);
  downloadBlob(
    new Blob([toCsv([[dimensionLabel(dimension), ...names, ...compared], ...rows])], { type: "text/csv" }),
    `${dimension.replace(":", "-")}.csv`,
  );
}
