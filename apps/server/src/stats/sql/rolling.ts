/**
 * Rolling metrics (docs/stats.md): the visitors of the days that end with each time bucket, or with the period. They are totals of
 * another period, so a query has a further reading for them.
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
    return [
      issueAt(
        ["dimensions"],
        `${rolling} counts whole days, so it cannot be split by ${part}. Use time:day or a longer time dimension`,
      ),
    ];
  if (!sticky || dimensions.includes("time:day")) return [];
  return [issueAt(["dimensions"], `the ${sticky} metric requires the time:day dimension`, "required")];
}

/** Whether several groups together have a figure: stickiness is of one day, and each time bucket has days of its own. */
export const hasFigureOfMany = (metric: StatsMetric, { starts }: Pick<MetricsQuery, "starts">): boolean =>
  starts.length === 0 ? !isStickiness(metric) : !isRolling(metric);

/** Longer than any window: an earlier visit counts in no bucket of the edge, so all of them are one group. */
const MAX_WINDOW_MS = 40 * DAY_MS;
/** Bits of a mask, which has the edges that a visitor was seen after. */
const MASK_BITS = 64;

/** The query that one subquery of a statement answers, and the totals that it gives. */
export interface Reading {
  readonly query: MetricsQuery;
  readonly totals: Totals;
}

/** The ends of the buckets, or of the period of a query without a time dimension. */
const endsOf = ({ starts, period }: MetricsQuery): number[] => [...starts.slice(1), period.to];

/** The first times of the days that end with each bucket. */
const firstsOf = (query: MetricsQuery, days: number): number[] => {
  const { zone } = query.scope;
  return endsOf(query).map((end) => startOfDay(zone, localDay(zone, end - 1) - days + 1));
};

/** The query about the days that end with its period. */
function queryOfDays(query: MetricsQuery, days: number): MetricsQuery {
  const [from = query.period.from] = firstsOf(query, days);
  return { ...query, period: { ...query.period, from } };
}

/** The query about the days that end with each bucket. Its own buckets begin where these days begin or end, and are numbered. */
function queryOfWindows(query: MetricsQuery, totals: Totals): MetricsQuery {
  // a week may be compared with two parts of a longer month: it ends with the last one
  const isLast = (_: number, index: number) =>
    !query.names.includes(query.names[index] ?? Number.NaN, index + 1);
  const ends = endsOf(query).filter(isLast);
  const firstsOfDays = (days: number) => firstsOf(query, days).filter(isLast);
  const firsts = new Map([...totals.keys()].map((name) => [name, firstsOfDays(ROLLING_DAYS[name] ?? 0)]));
  const all = [...[...firsts.values()].flat(), ...ends.slice(0, -1)];
  const edges = [...new Set(all)].sort((one, other) => one - other);
  return {
    ...query,
    period: { ...query.period, from: edges[0] ?? query.period.from },
    starts: edges,
    names: edges.map((_, index) => index),
    windows: { names: query.names.filter(isLast), firsts, ends },
  };
}

/** One reading of the query's own buckets, and one for all numbers of days, or without buckets one for each. */
export function readingsOf(query: MetricsQuery, totals: Totals): Reading[] {
  const hasBuckets = query.starts.length > 0;
  // by time, the groups that are not on a page have no rolling figure together
  if (query.except !== null && hasBuckets) return [{ query, totals }];
  const byDays = Map.groupBy(totals, ([name]) => {
    const days = ROLLING_DAYS[name] ?? 0;
    return hasBuckets ? Math.sign(days) : days;
  });
  return [...byDays].map(([days, named]) => {
    const own = new Map(named);
    if (days === 0) return { query, totals: own };
    return { query: hasBuckets ? queryOfWindows(query, own) : queryOfDays(query, days), totals: own };
  });
}

/** The sum of a total over the rows of `visitorsByWindow`. */
export const sumOfWindow = (name: string): string => `sumIf(visitors, windowTotal = '${name}')`;

/**
 * Counts visitors in the buckets of `windows`. A visitor has a bit for each edge that they were seen after. An edge adds
 * the visitor to the buckets that it is in and the edge before is not, so nobody counts twice, and no row is copied for each bucket.
 * @param from rows with the columns of the dimensions, of which the time is the number of an edge
 * @param visitor the column of the visitor
 * @returns a SELECT of the dimensions and a number of `visitors`, to be added up by `sumOfWindow`
 */
export function visitorsByWindow({ bind, query }: SqlContext, from: string, visitor: string): string {
  const time = dimensionColumn(query.dimensions.findIndex(({ kind }) => kind === "time"));
  const others = keyColumns(query).filter((key) => key !== time);
  const { names = [], firsts = new Map(), ends = [] } = query.windows ?? {};
  const array = (times: readonly number[]) => bind("Array(Int64)", times);
  const [allNames, allEnds, allEdges] = [array(names), array(ends), array(query.starts)];
  const windows = [...firsts].map(
    ([total, times]) => `arrayMap(name -> (name, '${total}'), arrayFilter(
        (name, first, end) -> before < first AND first <= edge AND edge < end, ${list([allNames, array(times), allEnds])}))`,
  );
  const masks = Array.from(
    { length: Math.ceil(query.starts.length / MASK_BITS) },
    (_, index) => `mask${index}`,
  );
  const bits = masks.map(
    (mask, index) =>
      `groupBitOr(if(intDiv(${time}, ${MASK_BITS}) = ${index}, bitShiftLeft(toUInt64(1), ${time} % ${MASK_BITS}), 0)) AS ${mask}`,
  );
  const places = masks.map(
    (mask, index) => `arrayMap(at -> at + ${1 + index * MASK_BITS}, bitPositionsToArray(${mask}))`,
  );
  const byVisitor = `SELECT ${list([...others, ...bits])} FROM ${from} ${groupBy([...others, visitor])}`;
  const byMask = `SELECT ${list([...others, ...masks, "count() AS alike"])} FROM (${byVisitor}) ${groupBy([...others, ...masks])}`;
  return `SELECT ${list([...others, "visitors", `window.1 AS ${time}`, "window.2 AS windowTotal"])},
      arrayJoin(arrayConcat(${list(windows)})) AS window
    FROM (
      SELECT ${list([...others, "edge"])}, greatest(previous, edge - ${MAX_WINDOW_MS}) AS before, sum(alike) AS visitors
      FROM (SELECT ${list([...others, "alike", `arrayMap(place -> ${allEdges}[place], arrayConcat(${list(places)})) AS edges`])} FROM (${byMask}))
      ARRAY JOIN edges AS edge, arrayPushFront(arrayPopBack(edges), ${bind("Int64", Number.MIN_SAFE_INTEGER)}) AS previous
      ${groupBy([...others, "edge", "before"])}
    )`;
}
