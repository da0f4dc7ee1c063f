/**
 * Rolling metrics (docs/stats.md): the visitors of the days that end with each time bucket, or with the period. They are totals of
 * another period, so a query has a reading for each number of days.
 */
import type { Issue, StatsMetric, StatsQueryBody } from "@headwater/contract";
import { issueAt } from "../../core/refusal.ts";
import { DAY_MS } from "../../core/time.ts";
import { localDay, startOfDay } from "../calendar.ts";
import { isRolling, isStickiness, ROLLING_DAYS, type Totals } from "./metrics.ts";
import { dimensionColumn, keyColumns, type MetricsQuery, type SqlContext } from "./metrics-query.ts";
import { groupBy, list } from "./statement.ts";

const PARTS_OF_DAYS = ["time:minute", "time:hour", "hourOfDay", "dayOfWeek"];

/** Problems of a query with a rolling metric. */
export function rollingIssues({
  metrics,
  dimensions = [],
}: Pick<StatsQueryBody, "metrics" | "dimensions">): Issue[] {
  const [rolling, sticky] = [metrics.find(isRolling), metrics.find(isStickiness)];
  const part = dimensions.find((one) => PARTS_OF_DAYS.includes(one));
  if (rolling && part)
    return [issueAt(["dimensions"], `${rolling} counts whole days, so it has no figure by ${part}`)];
  if (!sticky || dimensions.includes("time:day")) return [];
  return [issueAt(["dimensions"], `the metric ${sticky} requires the dimension time:day`, "required")];
}

/** Whether several groups together have a figure: stickiness is of one day, and each time bucket has days of its own. */
export const hasFigureOfMany = (metric: StatsMetric, { starts }: Pick<MetricsQuery, "starts">): boolean =>
  starts.length === 0 ? !isStickiness(metric) : !isRolling(metric);

/** Longer than any window: an earlier visit counts in no bucket of the edge, so all of them are one group. */
const MAX_WINDOW_MS = 40 * DAY_MS;

/** The query that one subquery of a statement answers, and the totals that it gives. */
export interface Reading {
  readonly query: MetricsQuery;
  readonly totals: Totals;
}

/** The query about the days that end with each bucket. Its own buckets begin where the days of a bucket begin or end. */
function queryOfDays(query: MetricsQuery, days: number): MetricsQuery {
  const { zone } = query.scope;
  const ends = [...query.starts.slice(1), query.period.to];
  const firsts = ends.map((end) => startOfDay(zone, localDay(zone, end - 1) - days + 1));
  const period = { ...query.period, from: firsts[0] ?? query.period.from };
  if (query.starts.length === 0) return { ...query, period };
  const edges = [...new Set([...firsts, ...ends.slice(0, -1)])].sort((one, other) => one - other);
  const windows = { names: query.names, firsts, ends };
  return { ...query, period, starts: edges, names: edges, windows };
}

/** One reading of the query's own buckets, and one for each number of days. */
export function readingsOf(query: MetricsQuery, totals: Totals): Reading[] {
  // by time, the groups that are not on a page have no rolling figure together
  if (query.except !== null && query.starts.length > 0) return [{ query, totals }];
  const byDays = Map.groupBy(totals, ([name]) => ROLLING_DAYS[name] ?? 0);
  return [...byDays].map(([days, own]) => ({
    query: days === 0 ? query : queryOfDays(query, days),
    totals: new Map(own),
  }));
}

/**
 * Counts visitors in the buckets of `windows`. Each visitor has a sorted list of the edges that they were seen after. An edge adds
 * the visitor to the buckets that it is in and the edge before is not, so nobody counts twice, and no row is copied for each bucket.
 * @param from rows with the columns of the dimensions, of which the time is an edge
 * @param visitor the column of the visitor
 * @returns a SELECT of the dimensions and a number of `visitors`, to be added up
 */
export function visitorsByWindow({ bind, query }: SqlContext, from: string, visitor: string): string {
  const time = dimensionColumn(query.dimensions.findIndex(({ kind }) => kind === "time"));
  const others = keyColumns(query).filter((key) => key !== time);
  const { names = [], firsts = [], ends = [] } = query.windows ?? {};
  const arrays = [names, firsts, ends].map((times) => bind("Array(Int64)", times));
  return `SELECT ${list([...others, "visitors"])},
      arrayJoin(arrayFilter((name, first, end) -> before < first AND first <= edge AND edge < end, ${list(arrays)})) AS ${time}
    FROM (
      SELECT ${list([...others, "edge"])}, greatest(previous, edge - ${MAX_WINDOW_MS}) AS before, count() AS visitors
      FROM (SELECT ${list([...others, `arraySort(groupUniqArray(${time})) AS edges`])} FROM ${from} ${groupBy([...others, visitor])})
      ARRAY JOIN edges AS edge, arrayPushFront(arrayPopBack(edges), ${bind("Int64", Number.MIN_SAFE_INTEGER)}) AS previous
      ${groupBy([...others, "edge", "before"])}
    )`;
}
