/** POST /api/stats/query: metrics by dimensions, with filters. */

import {
  type Issue,
  LIMITS,
  type StatsAnswer,
  type StatsMetric,
  type StatsRow,
  type StatsScalar,
} from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Call } from "../http/handler.ts";
import { changesOf, completenessOf, grainOf, MAX_STATS_BUCKETS, startsOf } from "./buckets.ts";
import { type ComparedPeriod, compareBuckets, NO_BUCKET, readComparison } from "./comparison.ts";
import { currencyIssues } from "./currency.ts";
import { answerHead, execute, type Found, foundExactly } from "./execute.ts";
import {
  type GroupKey,
  metricsQuestion,
  type ResultGroup,
  readTotals,
  sortGroups,
} from "./metrics-question.ts";
import { orderIssues, type QueryFields, type QueryOfSources, readOrder } from "./order.ts";
import { type Computed, readScope } from "./scope.ts";
import { attributionIssues, touchOf } from "./sql/attribution.ts";
import { type Dimension, isTimeDimension, parseDimension } from "./sql/dimensions.ts";
import { byGoalIssues, isByGoal } from "./sql/each-goal.ts";
import { isEachGoal, type QueryGoal, withGoal } from "./sql/goals.ts";
import { PAGE_METRICS, whenEmpty } from "./sql/metrics.ts";
import { isOfGoal, type MetricsQuery } from "./sql/metrics-query.ts";
import { parsePropertyKey } from "./sql/properties.ts";
import { rollingIssues } from "./sql/rolling.ts";
import type { RunQuery } from "./sql/run-on.ts";

/** A query of the API, as a report asks it too. */
export type QueryStats = (
  call: Pick<Call<"queryStats">, "source" | "sources" | "organizationId" | "body" | "now" | "signal">,
) => Promise<{ readonly body: StatsAnswer }>;

const GOAL_METRICS: readonly StatsMetric[] = [
  "conversions",
  "conversionRate",
  "sessionConversionRate",
  "conversionsPerSession",
];

/** Problems of a query's fields that the schema does not find. */
function fieldIssues(body: QueryFields): Issue[] {
  const { metrics, dimensions = [], goal } = body;
  const issues = orderIssues(body);
  if (dimensions.filter(isTimeDimension).length > 1)
    issues.push(issueAt(["dimensions"], "a query has at most one time dimension"));
  const ofGoal = metrics.find((metric) => GOAL_METRICS.includes(metric));
  if (ofGoal && goal === undefined && !isByGoal(body))
    issues.push(issueAt(["goal"], `the ${ofGoal} metric requires goal`, "required"));
  const ofPage = metrics.find((metric) => PAGE_METRICS.includes(metric));
  if (ofPage && !dimensions.includes("page"))
    issues.push(issueAt(["dimensions"], `the ${ofPage} metric requires the page dimension`, "required"));
  return [...issues, ...rollingIssues(body), ...currencyIssues(body), ...attributionIssues(body)];
}

/** Problems of a query that asks for a total. */
function totalIssues(body: QueryOfSources): Issue[] {
  if (!body.include?.total) return [];
  const ofPage = body.metrics.find((metric) => PAGE_METRICS.includes(metric));
  const refused = isByGoal(body)
    ? "a query by goal has no total, because an event may reach several goals"
    : null;
  const message = ofPage ? `${ofPage} has no total, because it belongs to one page` : refused;
  return [
    ...(message === null ? [] : [issueAt(["include", "total"], message)]),
    ...currencyIssues({ ...body, dimensions: [] }),
  ];
}

/** The value of a dimension as the answer has it. */
function toScalar(dimension: Dimension | undefined, key: GroupKey): StatsScalar {
  if (key === null) return null;
  if (dimension?.kind === "time") return toIsoTime(Number(key));
  return dimension?.kind === "property" ? parsePropertyKey(String(key)) : key;
}

const emptyMetrics = (query: MetricsQuery) =>
  query.metrics.map((metric, index) => whenEmpty(query, metric, index));

/** The keys of all groups that an answer has, with events or without; null: it has those with events. */
function allKeys({ dimensions: [first, second], starts, goal }: MetricsQuery): GroupKey[] | null {
  if (first === undefined || second !== undefined) return null;
  if (isEachGoal(goal)) return goal.each.map(({ name }) => name);
  return first.kind === "time" ? [...starts] : null;
}

/** Adds the groups without events, and sorts all of them. Goals that nobody reached have the figures of no goal. */
function withAllGroups(query: MetricsQuery, keys: readonly GroupKey[], groups: readonly ResultGroup[]) {
  const byKey = new Map(groups.map((group) => [group.keys[0] ?? null, group]));
  const metrics = byKey.get(null)?.metrics ?? emptyMetrics(query);
  const all = keys.map((key): ResultGroup => byKey.get(key) ?? { keys: [key], metrics, hashes: [] });
  return sortGroups(query, all);
}

/** A query that was read, and the period that it is compared with. */
interface ReadQuery {
  readonly query: MetricsQuery;
  readonly compared: ComparedPeriod | null;
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema */
export function readQuery(body: QueryOfSources, goal: QueryGoal | null, now: number): ReadQuery {
  const scope = withGoal(readScope(body, now, fieldIssues(body)), goal);
  const issues = isByGoal(body) ? byGoalIssues(body, scope.filters) : [];
  const compared = readComparison(body.include?.comparison, scope, now, issues);
  requireNoIssues([...issues, ...totalIssues(body)]);
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
    windows: null,
    clockChanges: changesOf(scope.zone, dimensions, scope.range),
    groups: null,
    except: null,
    metrics: body.metrics,
    dimensions,
    goal,
    currency: body.currency ?? null,
    touch: touchOf(body),
    order: readOrder(body),
    limit: body.pagination?.limit ?? LIMITS.maxStatsRows,
    offset: body.pagination?.offset ?? 0,
  };
  return { query, compared };
}

/** All buckets or goals, or the groups of a page, each beside one of no goal. */
const allGroups = (query: MetricsQuery): MetricsQuery => ({
  ...query,
  limit: 2 * LIMITS.maxStatsRows,
  offset: 0,
});

/** The keys of the group whose figures a group without an event has. */
const withoutGoal = ({ goal, dimensions }: MetricsQuery, keys: readonly GroupKey[]) =>
  dimensions.map((one, index) => (isOfGoal({ goal }, one) ? null : keys[index]));

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
    ? compareBuckets(query.scope.zone, grain, compared, { starts: query.starts, end: query.scope.range.to })
    : { names: [], starts: [] };
  const comparable = new Set(buckets.names.filter((name) => name !== NO_BUCKET));
  if (page?.length === 0 || (grain && comparable.size === 0)) return foundExactly(() => null);
  const groups = page && [...new Set(page.flatMap(({ hashes }) => hashes))];
  const found = await execute(
    run,
    metricsQuestion({
      ...allGroups(query),
      period: compared,
      clockChanges: changesOf(query.scope.zone, query.dimensions, compared),
      ...buckets,
      groups,
    }),
  );
  const byKey = new Map(found.value.map(({ keys, metrics }) => [JSON.stringify(keys), metrics]));
  const value = ({ keys }: ResultGroup) => {
    if (grain && !comparable.has(Number(keys[time]))) return null;
    const ofGroup = byKey.get(JSON.stringify(keys)) ?? byKey.get(JSON.stringify(withoutGoal(query, keys)));
    return [...(ofGroup ?? emptyMetrics(query))];
  };
  return { ...found, value };
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `run` throws */
export async function answerQuery(
  run: RunQuery,
  body: QueryOfSources,
  goal: QueryGoal | null,
  now: number,
): Promise<Computed<StatsAnswer>> {
  const { query, compared } = readQuery(body, goal, now);
  const { scope, limit, offset, dimensions } = query;
  const keys = allKeys(query);
  // one row more than the page shows whether there is a next page
  const wanted = keys ? allGroups(query) : { ...query, limit: limit + 1 };
  const compare = async (page: readonly ResultGroup[] | null) =>
    compared && (await readComparedMetrics(run, query, compared, page));
  // totals, time buckets and goals are known beforehand, so both periods are read at the same time
  const early = dimensions.length === 0 || keys ? compare(null) : null;
  const [found] = await Promise.all([execute(run, metricsQuestion(wanted)), early]);
  const groups = keys ? withAllGroups(query, keys, found.value).slice(offset) : found.value;
  const page = groups.slice(0, limit);
  const comparison = await (early ?? compare(page));
  const hasAll = offset === 0 && groups.length <= limit;
  const totals = body.include?.total
    ? await readTotals(run, { query, compared, page: hasAll ? null : page, sample: found.sample })
    : null;
  const isComplete = completenessOf(query, now);
  const results = page.map(
    (group): StatsRow => ({
      dimensions: group.keys.map((key, index) => toScalar(dimensions[index], key)),
      metrics: [...group.metrics],
      comparison: comparison?.value(group) ?? null,
      complete: isComplete(group),
      share: totals?.shareOf(group) ?? null,
    }),
  );
  return {
    ...answerHead(scope, found, ...(comparison ? [comparison] : []), ...(totals ? totals.found : [])),
    metrics: body.metrics,
    dimensions: body.dimensions ?? [],
    comparison: compared && { from: toIsoTime(compared.from), to: toIsoTime(compared.to) },
    results,
    sources: scope.sourceIds.length === 1 ? null : { sourceIds: [...scope.sourceIds], visitors: "joined" },
    total: totals?.total ?? null,
    other: totals?.other ?? null,
    nextOffset: groups.length > limit ? offset + limit : null,
  };
}
