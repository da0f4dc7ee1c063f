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
import { SERVER_LIMITS } from "../core/limits.ts";
import { toIsoTime } from "../core/time.ts";
import { bucketStarts, localDay, type Period, startOfDay } from "./calendar.ts";
import {
  type Dimension,
  isTimeDimension,
  parseDimension,
  parsePropertyKey,
  propertyIssues,
} from "./dimensions.ts";
import { metricAt, summedProperty } from "./metrics.ts";
import { dimensionColumn, type MetricsQuery, metricColumn, type QueryPeriod } from "./metrics-query.ts";
import { metricsStatement } from "./metrics-sql.ts";
import { isIntact, readCoverage } from "./rollups/freshness.ts";
import { tableFor } from "./rollups/query-sql.ts";
import type { RunQuery } from "./run-query.ts";
import { answerHead, type Computed, type QueryScope, readScope, refuseIssues } from "./scope.ts";

type QueryFields = Pick<StatsQueryBody, "metrics" | "dimensions" | "orderBy" | "goal">;

/** Problems of a query's fields that the schema does not find. */
function fieldIssues({ metrics, dimensions = [], orderBy = [], goal }: QueryFields): Issue[] {
  const issues: Issue[] = [];
  const add = (path: (string | number)[], message: string, code: Issue["code"] = "invalid_value") =>
    issues.push({ path, code, message });
  const fields: string[] = [...metrics, ...dimensions];
  for (const [index, { field }] of orderBy.entries())
    if (!fields.includes(field))
      add(["orderBy", index, "field"], "must be one of the query's metrics or dimensions");
  for (const [index, metric] of metrics.entries()) {
    const property = summedProperty(metric);
    if (property !== null) issues.push(...propertyIssues(property, ["metrics", index]));
  }
  for (const [index, name] of dimensions.entries()) {
    const dimension = parseDimension(name);
    if (dimension.kind === "property") issues.push(...propertyIssues(dimension.name, ["dimensions", index]));
  }
  if (dimensions.filter(isTimeDimension).length > 1)
    add(["dimensions"], "a query has at most one time dimension");
  if (metrics.includes("conversionRate") && goal === undefined)
    add(["goal"], "the metric conversionRate requires goal", "required");
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

type GroupKey = string | number | null;
/** A group of an answer. */
interface ResultGroup {
  readonly keys: readonly GroupKey[];
  readonly metrics: readonly (number | null)[];
  readonly hash: string;
}

const toNumber = (value: GroupKey) => (typeof value === "number" ? value : null);

/** @param row the dimensions, the metrics, and the hash of the group, as `metricsStatement` selects them */
function toGroup({ dimensions, metrics }: MetricsQuery, row: readonly GroupKey[]): ResultGroup {
  const end = dimensions.length + metrics.length;
  return {
    keys: row.slice(0, dimensions.length),
    metrics: row.slice(dimensions.length, end).map(toNumber),
    hash: String(row[end]),
  };
}

/** The value of a dimension as the answer has it. */
function toScalar(dimension: Dimension | undefined, key: GroupKey): StatsScalar {
  if (key === null) return null;
  if (dimension?.kind === "time") return toIsoTime(Number(key));
  return dimension?.kind === "property" ? parsePropertyKey(String(key)) : key;
}

const emptyMetrics = ({ metrics }: MetricsQuery) =>
  metrics.map((metric, index) => metricAt(metric, index).whenEmpty);

/** Adds the buckets without events, and sorts all of them. */
function withAllBuckets(query: MetricsQuery, groups: readonly ResultGroup[], starts: readonly number[]) {
  const byStart = new Map(groups.map((group) => [Number(group.keys[0]), group]));
  const all = starts.map(
    (start): ResultGroup => byStart.get(start) ?? { keys: [start], metrics: emptyMetrics(query), hash: "" },
  );
  const columns = [dimensionColumn(0), ...query.metrics.map((_, index) => metricColumn(index))];
  const valueIn = ({ keys, metrics }: ResultGroup, column: string) =>
    toNumber([...keys, ...metrics][columns.indexOf(column)] ?? null);
  return all.sort((one, other) => {
    for (const { column, isDescending } of query.order) {
      const [a, b] = [valueIn(one, column), valueIn(other, column)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      return isDescending ? b - a : a - b;
    }
    return 0;
  });
}

const isByTimeOnly = ({ dimensions }: MetricsQuery) =>
  dimensions.length === 1 && dimensions[0]?.kind === "time";

/** The starts of the time buckets of a period; empty without a time dimension. */
function startsOf(zone: string, dimensions: readonly Dimension[], period: Period): number[] {
  const time = dimensions.find((one) => one.kind === "time");
  return time ? bucketStarts(zone, time.grain, period, SERVER_LIMITS.maxStatsBuckets) : [];
}

/**
 * The starts of the buckets to compare with, one for each bucket of the query: as many days earlier, or as much time. Weeks and
 * months of the period before would have other lengths, because they do not repeat after, say, 30 days.
 */
function comparedStarts({ zone, range }: QueryScope, dimensions: readonly Dimension[], starts: number[]) {
  const { days, previous, from, to } = range;
  const isOfDays = dimensions.some(
    (one) => one.kind === "time" && one.grain !== "hour" && one.grain !== "minute",
  );
  if (!isOfDays) return startsOf(zone, dimensions, previous);
  if (days === null) return starts.map((start) => start - (to - from));
  return starts.map((start) => startOfDay(zone, localDay(zone, start) - days));
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema */
export function readQuery(body: StatsQueryBody, now: number): { query: MetricsQuery; starts: number[] } {
  const scope = readScope(body, now, fieldIssues(body));
  const dimensions = (body.dimensions ?? []).map(parseDimension);
  const starts = startsOf(scope.zone, dimensions, scope.range);
  if (starts.length > SERVER_LIMITS.maxStatsBuckets) {
    const message = `the range has more than ${SERVER_LIMITS.maxStatsBuckets} time buckets; use larger buckets or a shorter range`;
    refuseIssues([{ path: ["dimensions"], code: "too_many", message }]);
  }
  const query: MetricsQuery = {
    scope,
    metrics: body.metrics,
    dimensions,
    goal: body.goal ?? null,
    order: readOrder(body),
    limit: body.pagination?.limit ?? LIMITS.maxStatsRows,
    offset: body.pagination?.offset ?? 0,
  };
  return { query, starts };
}

/** How often rollups are tried while an erasure drops them; after that all is derived from events. */
const MAX_ROLLUP_TRIES = 3;

async function readGroups(run: RunQuery, query: MetricsQuery, period: QueryPeriod): Promise<ResultGroup[]> {
  const { sourceId } = query.scope;
  for (let tries = 0; ; tries++) {
    const mayUseRollups = tries < MAX_ROLLUP_TRIES && tableFor(query, period) !== null;
    const coverage = mayUseRollups ? await readCoverage(run, sourceId, period.period) : null;
    const rows = await run<GroupKey[]>(metricsStatement(query, period, coverage));
    if (coverage === null || (await isIntact(run, sourceId, coverage)))
      return rows.map((row) => toGroup(query, row));
  }
}

const allGroups = (query: MetricsQuery): MetricsQuery => ({
  ...query,
  limit: SERVER_LIMITS.maxStatsBuckets + 1,
  offset: 0,
});

/** The same metrics in the period before, by the keys of their groups. */
async function readComparison(
  run: RunQuery,
  query: MetricsQuery,
  starts: number[],
  page: readonly ResultGroup[],
): Promise<Map<string, ResultGroup>> {
  if (page.length === 0) return new Map();
  const { scope, dimensions } = query;
  const period: QueryPeriod = {
    period: scope.range.previous,
    starts: comparedStarts(scope, dimensions, starts),
    names: starts,
    groups: isByTimeOnly(query) ? null : page.map(({ hash }) => hash),
  };
  const groups = await readGroups(run, allGroups(query), period);
  return new Map(groups.map((group) => [JSON.stringify(group.keys), group]));
}

/** @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `run` throws */
export async function answerQuery(
  run: RunQuery,
  body: StatsQueryBody,
  now: number,
): Promise<Computed<StatsAnswer>> {
  const { query, starts } = readQuery(body, now);
  const { scope, limit, offset, dimensions } = query;
  const { range } = scope;
  const isByTime = isByTimeOnly(query);
  const period: QueryPeriod = { period: range, starts, names: starts, groups: null };
  // one row more than the page shows whether there is a next page
  const wanted = isByTime ? allGroups(query) : { ...query, limit: limit + 1 };
  const found = await readGroups(run, wanted, period);
  const groups = isByTime ? withAllBuckets(query, found, starts).slice(offset) : found;
  const page = groups.slice(0, limit);
  const isCompared = body.include?.comparison ?? false;
  const before = isCompared ? await readComparison(run, query, starts, page) : null;
  const results = page.map(
    ({ keys, metrics }): StatsRow => ({
      dimensions: keys.map((key, index) => toScalar(dimensions[index], key)),
      metrics: [...metrics],
      comparison: before && [...(before.get(JSON.stringify(keys))?.metrics ?? emptyMetrics(query))],
    }),
  );
  return {
    ...answerHead(scope),
    metrics: body.metrics,
    dimensions: body.dimensions ?? [],
    comparison: isCompared
      ? { from: toIsoTime(range.previous.from), to: toIsoTime(range.previous.to) }
      : null,
    results,
    nextOffset: groups.length > limit ? offset + limit : null,
  };
}
