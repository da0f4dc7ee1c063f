/** POST /api/stats/query: metrics by dimensions, with filters. */

import {
  type Issue,
  LIMITS,
  type StatsAnswer,
  type StatsQueryBody,
  type StatsRow,
  type StatsScalar,
} from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { bucketStarts, completeBuckets, type Grain, type Period } from "./calendar.ts";
import { type ComparedPeriod, compareBuckets, readComparison } from "./comparison.ts";
import { currencyIssues } from "./currency.ts";
import { answerHead, execute, type Found, foundExactly } from "./execute.ts";
import { type GroupKey, metricsQuestion, type ResultGroup, sortGroups } from "./metrics-question.ts";
import type { RunQuery } from "./run-query.ts";
import { type Computed, readScope } from "./scope.ts";
import { type Dimension, isTimeDimension, parseDimension } from "./sql/dimensions.ts";
import { attributionIssues, firstTouchWindowOf } from "./sql/first-touch.ts";
import { type GoalRule, withGoal } from "./sql/goals.ts";
import { whenEmpty } from "./sql/metrics.ts";
import type { MetricsQuery } from "./sql/metrics-query.ts";
import { parsePropertyKey } from "./sql/properties.ts";

/** The minutes of a day, with an hour that the clock shows twice. */
const MAX_STATS_BUCKETS = 1_500;

type QueryFields = Pick<
  StatsQueryBody,
  "metrics" | "dimensions" | "orderBy" | "goal" | "filters" | "attribution"
>;

const fieldsOf = ({ metrics, dimensions = [] }: QueryFields): string[] => [...dimensions, ...metrics];

export function orderIssues(body: QueryFields): Issue[] {
  const fields = fieldsOf(body);
  return (body.orderBy ?? []).flatMap(({ field }, index) =>
    fields.includes(field)
      ? []
      : [issueAt(["orderBy", index, "field"], "must be one of the query's metrics or dimensions")],
  );
}

/** Problems of a query's fields that the schema does not find. */
function fieldIssues(body: QueryFields): Issue[] {
  const { metrics, dimensions = [], goal } = body;
  const issues = orderIssues(body);
  if (dimensions.filter(isTimeDimension).length > 1)
    issues.push(issueAt(["dimensions"], "a query has at most one time dimension"));
  const ofGoal = metrics.find((metric) => metric === "conversions" || metric === "conversionRate");
  if (ofGoal && goal === undefined)
    issues.push(issueAt(["goal"], `the metric ${ofGoal} requires goal`, "required"));
  return [...issues, ...currencyIssues(body), ...attributionIssues(body)];
}

/** Default: by time, then by the first metric, largest first. */
export function readOrder(body: QueryFields): MetricsQuery["order"] {
  const { dimensions = [], orderBy = [] } = body;
  const fields = fieldsOf(body);
  if (orderBy.length > 0)
    return orderBy.map(({ field, direction }) => ({
      field: fields.indexOf(field),
      isDescending: direction === "desc",
    }));
  const time = dimensions.findIndex(isTimeDimension);
  return [
    ...(time >= 0 ? [{ field: time, isDescending: false }] : []),
    { field: dimensions.length, isDescending: true },
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
function withAllBuckets(query: MetricsQuery, groups: readonly ResultGroup[]) {
  const byStart = new Map(groups.map((group) => [Number(group.keys[0]), group]));
  const all = query.starts.map(
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

/** A query that was read, and the period that it is compared with. */
interface ReadQuery {
  readonly query: MetricsQuery;
  readonly compared: ComparedPeriod | null;
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema */
export function readQuery(body: StatsQueryBody, goal: GoalRule | null, now: number): ReadQuery {
  const scope = withGoal(readScope(body, now, fieldIssues(body)), goal);
  const issues: Issue[] = [];
  const compared = readComparison(body.include?.comparison, scope, now, issues);
  requireNoIssues(issues);
  const dimensions = (body.dimensions ?? []).map(parseDimension);
  const starts = startsOf(scope.zone, dimensions, scope.range);
  if (starts.length > MAX_STATS_BUCKETS) {
    const message = `the range has more than ${MAX_STATS_BUCKETS} time buckets; use larger buckets or a shorter range`;
    requireNoIssues([issueAt(["dimensions"], message, "too_many")]);
  }
  const query: MetricsQuery = {
    scope,
    period: scope.range,
    starts,
    names: starts,
    groups: null,
    metrics: body.metrics,
    dimensions,
    goal,
    firstTouchWindowMs: firstTouchWindowOf(body),
    order: readOrder(body),
    limit: body.pagination?.limit ?? LIMITS.maxStatsRows,
    offset: body.pagination?.offset ?? 0,
  };
  return { query, compared };
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
  query: MetricsQuery,
  compared: ComparedPeriod,
  page: readonly ResultGroup[] | null,
): Promise<Found<ReadComparedMetrics>> {
  const time = query.dimensions.findIndex(({ kind }) => kind === "time");
  const grain = grainOf(query.dimensions);
  const buckets = grain
    ? compareBuckets(query.scope.zone, grain, compared, query.starts)
    : { names: [], starts: [] };
  if (page?.length === 0 || (grain && buckets.names.length === 0)) return foundExactly(() => null);
  const groups = page?.map(({ hash }) => hash) ?? null;
  const found = await execute(
    run,
    metricsQuestion({ ...allGroups(query), period: compared, ...buckets, groups }),
  );
  const byKey = new Map(found.value.map((group) => [keyOf(group), group.metrics]));
  const comparable = new Set(buckets.names);
  const value = (group: ResultGroup) => {
    if (grain && !comparable.has(Number(group.keys[time]))) return null;
    return [...(byKey.get(keyOf(group)) ?? emptyMetrics(query))];
  };
  return { ...found, value };
}

/** Whether the bucket of a group lies in the range as a whole and is over; null without a time dimension. */
function completenessOf(query: MetricsQuery, now: number): (group: ResultGroup) => boolean | null {
  const grain = grainOf(query.dimensions);
  if (grain === null) return () => null;
  const time = query.dimensions.findIndex(({ kind }) => kind === "time");
  const { zone, range } = query.scope;
  const complete = completeBuckets(zone, grain, { starts: query.starts, end: Math.min(range.to, now) });
  return ({ keys }) => complete.has(Number(keys[time]));
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `run` throws */
export async function answerQuery(
  run: RunQuery,
  body: StatsQueryBody,
  goal: GoalRule | null,
  now: number,
): Promise<Computed<StatsAnswer>> {
  const { query, compared } = readQuery(body, goal, now);
  const { scope, limit, offset, dimensions } = query;
  const isByTime = isByTimeOnly(query);
  // one row more than the page shows whether there is a next page
  const wanted = isByTime ? allGroups(query) : { ...query, limit: limit + 1 };
  const compare = async (page: readonly ResultGroup[] | null) =>
    compared && (await readComparedMetrics(run, query, compared, page));
  // totals and time buckets are known beforehand, so both periods are read at the same time
  const early = dimensions.length === 0 || isByTime ? compare(null) : null;
  const [found] = await Promise.all([execute(run, metricsQuestion(wanted)), early]);
  const groups = isByTime ? withAllBuckets(query, found.value).slice(offset) : found.value;
  const page = groups.slice(0, limit);
  const comparison = await (early ?? compare(page));
  const isComplete = completenessOf(query, now);
  const results = page.map(
    (group): StatsRow => ({
      dimensions: group.keys.map((key, index) => toScalar(dimensions[index], key)),
      metrics: [...group.metrics],
      comparison: comparison?.value(group) ?? null,
      complete: isComplete(group),
    }),
  );
  return {
    ...answerHead(scope, found, ...(comparison ? [comparison] : [])),
    metrics: body.metrics,
    dimensions: body.dimensions ?? [],
    comparison: compared && { from: toIsoTime(compared.from), to: toIsoTime(compared.to) },
    results,
    nextOffset: groups.length > limit ? offset + limit : null,
  };
}
