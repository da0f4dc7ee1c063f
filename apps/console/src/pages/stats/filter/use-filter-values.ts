/** The most frequent values of a dimension in the view's range, searched. */
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { searchFilters } from "../lists/search-filters.ts";
import { formatValue } from "../lists/value-names.ts";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { toStatsFilters } from "../view-params.ts";

const MAX_VALUES = 50;

type ValueRow = readonly [value: StatsScalar, visitors: number];

function useTopValues(
  { scope, filters, otherFilters }: StatsView,
  dimension: StatsDimension,
  search: string,
) {
  // a filter by the same dimension would leave its own value only
  const others = toStatsFilters(filters.filter((filter) => filter.dimension !== dimension));
  const searched = searchFilters({ dimension, metrics: ["visitors"] }, search);
  const query = useStats(
    { ...scope, filters: [...others, ...otherFilters, ...searched] },
    { metrics: ["visitors"], dimensions: [dimension], pagination: { limit: MAX_VALUES } },
  );
  const { data } = query;
  const rows =
    data?.dimensions[0] === dimension
      ? data.results.map((row): ValueRow => [row.dimensions[0] ?? null, row.metrics[0] ?? 0])
      : [];
  return { query, rows };
}

/** The top values that contain the text show at once, and after them what the search for further ones has found. */
export function useFilterValues(view: StatsView, dimension: StatsDimension, search: string) {
  const text = search.trim().toLowerCase();
  const top = useTopValues(view, dimension, "");
  const found = useTopValues(view, dimension, text);
  const matching = new Map(
    [...top.rows, ...found.rows].filter(([value]) =>
      formatValue(dimension, value).toLowerCase().includes(text),
    ),
  );
  return { rows: [...matching], query: found.rows.length > 0 ? top.query : found.query };
}
