/** POST /api/stats/query: metrics by dimensions, with filters. */
import {
  type Issue,
  LIMITS,
  type StatsAnswer,
  type StatsDimension,
  type StatsMetric,
  type StatsQueryBody,
  type StatsRow,
  type StatsScalar,
} from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import { accuracyOf, type Sampled } from "./accuracy.ts";
import { attributionIssues, firstTouchWindowOf } from "./attribution.ts";
import { bucketStarts, completeBuckets, type Grain, type Period } from "./calendar.ts";
import { type ComparedPeriod, compareBuckets, readComparison } from "./comparison.ts";
import { currencyIssues } from "./currency.ts";
import { type Dimension, isTimeDimension, parseDimension } from "./dimensions.ts";
import { type GoalRule, withGoal } from "./goals.ts";
import { whenEmpty } from "./metrics.ts";
import { dimensionColumn, type MetricsQuery, metricColumn, type QueryPeriod } from "./metrics-query.ts";
import { parsePropertyKey } from "./property-sql.ts";
import { type GroupKey, type ResultGroup, readGroups, sortGroups } from "./read-groups.ts";
import type { RunQuery } from "./run-query.ts";
import { answerHead, type Computed, readScope, refuseIssues } from "./scope.ts";

/** The minutes of a day, with an hour that the clock shows twice. */
const MAX_STATS_BUCKETS = 1_500;

type QueryFields = Pick<
  StatsQueryBody,
  "metrics" | "dimensions" | "orderBy" | "goal" | "filters" | "attribution"
>;

/** Problems of a query's fields that the schema does not find. */
function fieldIssues(body: QueryFields): Issue[] {
  const { metrics, dimensions = [], orderBy = [], goal } = body;
  const issues: Issue[] = [];
  const add = (path: (string | number)[], message: string, code: Issue["code"] = "invalid_value") =>
    issues.push({ path, code, message });
  const fields: string[] = [...metrics, ...dimensions];
  for (const [index, { field }] of orderBy.entries())
    if (!fields.includes(field))
      add(["orderBy", index, "field"], "must be one of the query's metrics or dimensions");
  if (dimensions.filter(isTimeDimension).length > 1)
    add(["dimensions"], "a query has at most one time dimension");
  const ofGoal = metrics.find((metric) => metric === "conversions" || metric === "conversionRate");
  if (ofGoal && goal === undefined) add(["goal"], `the metric ${ofGoal} requires goal`, "required");
  issues.push(...currencyIssues(body), ...attributionIssues(body));
  return issues;
}

/** Default: by time, then by the first metric, largest first. */
function readOrder({ metrics, dimensions = [], orderBy }: QueryFields): MetricsQuery["order"] {
  const columns = new Map<string, string>([
    ...dimensions.map((name, index): [StatsDimension, string] => [name, dimensionColumn(index)]),
    ...metrics.map((name, index): [StatsMetric, string] => [name, metricColumn(index)]),
  ]);
  if (orderBy !== undefined && orderBy.length > 0)
    return orderBy.flatMap(({ field, direction }) => {
      const column = columns.get(field);
      return column === undefined ? [] : [{ column, isDescending: direction === "desc" }];
    });
  const time = dimensions.findIndex(isTimeDimension);
  return [
    ...(time >= 0 ? [{ column: dimensionColumn(time), isDescending: false }] : []),
    { column: metricColumn(0), isDescending: true },
  ];
}

/** The value of a dimension as the answer has it. */
function toScalar(dimension: Dimension | undefined, key: GroupKey): StatsScalar {
  if (key === null) return null;
  if (dimension?.kind === "time") return toIsoTime(Number(key));
  return dimension?.kind === "property" ? parsePropertyKey(String(key)) : key;
}

const emptyMetrics = ({ metrics }: MetricsQuery) => metrics.map(whenEmpty);

/** Adds the buckets without events, and sorts all of them. */
function withAllBuckets(query: MetricsQuery, groups: readonly ResultGroup[], starts: readonly number[]) {
  const byStart = new Map(groups.map((group) => [Number(group.keys[0]), group]));
  const all = starts.map(
    (start): ResultGroup => byStart.get(start) ?? { keys: [start], metrics: emptyMetrics(query), hash: "" },
  );
  return sortGroups(query, all);
}

const isByTimeOnly = ({ dimensions }: MetricsQuery) =>
  dimensions.length === 1 && dimensions[0]?.kind === "time";

const grainOf = (dimensions: readonly Dimension[]): Grain | null =>
  dimensions.find((one) => one.kind === "time")?.grain ?? null;

/** The starts of the time buckets of a period; empty without a time dimension. */
function startsOf(zone: string, dimensions: readonly Dimension[], period: Period): number[] {
  const grain = grainOf(dimensions);
  return grain ? bucketStarts(zone, grain, period, MAX_STATS_BUCKETS) : [];
}

/** A query that was read, and what its answer needs besides. */
interface ReadQuery {
  readonly query: MetricsQuery;
  /** The starts of its time buckets; empty without a time dimension. */
  readonly starts: number[];
  readonly compared: ComparedPeriod | null;
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema */
export function readQuery(body: StatsQueryBody, goal: GoalRule | null, now: number): ReadQuery {
  const scope = withGoal(readScope(body, now, fieldIssues(body)), goal);
  const issues: Issue[] = [];
  const compared = readComparison(body.include?.comparison, scope, now, issues);
  refuseIssues(issues);
  const dimensions = (body.dimensions ?? []).map(parseDimension);
  const starts = startsOf(scope.zone, dimensions, scope.range);
  if (starts.length > MAX_STATS_BUCKETS) {
    const message = `the range has more than ${MAX_STATS_BUCKETS} time buckets; use larger buckets or a shorter range`;
    refuseIssues([{ path: ["dimensions"], code: "too_many", message }]);
  }
  const query: MetricsQuery = {
    scope,
    metrics: body.metrics,
    dimensions,
    goal,
    firstTouchWindowMs: firstTouchWindowOf(body),
    order: readOrder(body),
    limit: body.pagination?.limit ?? LIMITS.maxStatsRows,
    offset: body.pagination?.offset ?? 0,
  };
  return { query, starts, compared };
}

const allGroups = (query: MetricsQuery): MetricsQuery => ({
  ...query,
  limit: MAX_STATS_BUCKETS + 1,
  offset: 0,
});

const keyOf = ({ keys }: ResultGroup) => JSON.stringify(keys);

type ReadComparedMetrics = (group: ResultGroup) => (number | null)[] | null;

/**
 * Reads the same metrics in the compared period.
 * @param page the groups to read; null: all groups
 * @returns the metrics of a group of the page; null when its time bucket has no counterpart
 */
async function readComparedMetrics(
  run: RunQuery,
  { query, starts }: ReadQuery,
  compared: ComparedPeriod,
  page: readonly ResultGroup[] | null,
): Promise<Sampled<ReadComparedMetrics>> {
  const time = query.dimensions.findIndex(({ kind }) => kind === "time");
  const grain = grainOf(query.dimensions);
  const buckets = grain
    ? compareBuckets(query.scope.zone, grain, compared, starts)
    : { names: [], starts: [] };
  if (page?.length === 0 || (grain && buckets.names.length === 0)) return { value: () => null, sample: 1 };
  const { value: groups, sample } = await readGroups(run, allGroups(query), {
    period: compared,
    ...buckets,
    groups: page?.map(({ hash }) => hash) ?? null,
  });
  const byKey = new Map(groups.map((group) => [keyOf(group), group.metrics]));
  const comparable = new Set(buckets.names);
  const value = (group: ResultGroup) => {
    if (grain && !comparable.has(Number(group.keys[time]))) return null;
    return [...(byKey.get(keyOf(group)) ?? emptyMetrics(query))];
  };
  return { value, sample };
}

/** Whether the bucket of a group lies in the range as a whole and is over; null without a time dimension. */
function completenessOf({ query, starts }: ReadQuery, now: number): (group: ResultGroup) => boolean | null {
  const grain = grainOf(query.dimensions);
  if (grain === null) return () => null;
  const time = query.dimensions.findIndex(({ kind }) => kind === "time");
  const { zone, range } = query.scope;
  const complete = completeBuckets(zone, grain, { starts, end: Math.min(range.to, now) });
  return ({ keys }) => complete.has(Number(keys[time]));
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `run` throws */
export async function answerQuery(
  run: RunQuery,
  body: StatsQueryBody,
  goal: GoalRule | null,
  now: number,
): Promise<Computed<StatsAnswer>> {
  const read = readQuery(body, goal, now);
  const { query, starts, compared } = read;
  const { scope, limit, offset, dimensions } = query;
  const isByTime = isByTimeOnly(query);
  const period: QueryPeriod = { period: scope.range, starts, names: starts, groups: null };
  // one row more than the page shows whether there is a next page
  const wanted = isByTime ? allGroups(query) : { ...query, limit: limit + 1 };
  const compare = async (page: readonly ResultGroup[] | null) =>
    compared && (await readComparedMetrics(run, read, compared, page));
  // totals and time buckets are known beforehand, so both periods are read at the same time
  const early = dimensions.length === 0 || isByTime ? compare(null) : null;
  const [found] = await Promise.all([readGroups(run, wanted, period), early]);
  const groups = isByTime ? withAllBuckets(query, found.value, starts).slice(offset) : found.value;
  const page = groups.slice(0, limit);
  const comparison = await (early ?? compare(page));
  const isComplete = completenessOf(read, now);
  const results = page.map(
    (group): StatsRow => ({
      dimensions: group.keys.map((key, index) => toScalar(dimensions[index], key)),
      metrics: [...group.metrics],
      comparison: comparison?.value(group) ?? null,
      complete: isComplete(group),
    }),
  );
  return {
    ...answerHead(scope),
    accuracy: accuracyOf(found, ...(comparison ? [comparison] : [])),
    metrics: body.metrics,
    dimensions: body.dimensions ?? [],
    comparison: compared && { from: toIsoTime(compared.from), to: toIsoTime(compared.to) },
    results,
    nextOffset: groups.length > limit ? offset + limit : null,
  };
}
