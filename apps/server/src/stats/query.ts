/** POST /api/stats/query: metrics by dimensions, under filters. */
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
import { bucketsOf, dayOf, type Period, startOfDay } from "./calendar.ts";
import { type Dimension, propertyIssue, readDimension, readKey } from "./dimensions.ts";
import { emptyOf, summedBy } from "./metrics.ts";
import { dimensionColumn, metricColumn, type Query, type Side } from "./metrics-query.ts";
import { writeQuery } from "./metrics-sql.ts";
import { isStillThere, readSettled } from "./rollups/freshness.ts";
import { tableFor } from "./rollups/query-sql.ts";
import type { Ask } from "./run-query.ts";
import { answered, readScope, type Scope } from "./scope.ts";

type Fields = Pick<StatsQueryBody, "metrics" | "dimensions" | "orderBy" | "goal">;

/** What is wrong with the members of a question among each other. */
function fieldIssues({ metrics, dimensions = [], orderBy = [], goal }: Fields): Issue[] {
  const known: string[] = [...metrics, ...dimensions];
  const invalid = (path: (string | number)[], message: string): Issue => ({
    path,
    code: "invalid_value",
    message,
  });
  const unknown = orderBy.flatMap(({ field }, at) =>
    known.includes(field)
      ? []
      : [invalid(["orderBy", at, "field"], "must be a metric or a dimension that is asked for")],
  );
  const named = [
    ...metrics.map((metric, at) => ({ name: summedBy(metric), path: ["metrics", at] })),
    ...dimensions.map((one, at) => {
      const dimension = readDimension(one);
      return { name: dimension.kind === "property" ? dimension.name : null, path: ["dimensions", at] };
    }),
  ];
  const times = dimensions.filter((one) => one.startsWith("time:"));
  return [
    ...unknown,
    ...named.flatMap(({ name, path }) => (name === null ? [] : propertyIssue(name, path))),
    ...(times.length > 1 ? [invalid(["dimensions"], "has one time at most")] : []),
    ...(metrics.includes("conversionRate") && goal === undefined
      ? [
          {
            path: ["goal"],
            code: "required" as const,
            message: "goal is required by the metric conversionRate",
          },
        ]
      : []),
  ];
}

/** Without a word about it: times as they pass, then the most of the first metric. */
function orderOf({ metrics, dimensions = [], orderBy }: Fields): Query["order"] {
  if (orderBy !== undefined && orderBy.length > 0)
    return orderBy.map(({ field, direction }) => {
      const metric = metrics.indexOf(field as StatsMetric);
      const column =
        metric >= 0 ? metricColumn(metric) : dimensionColumn(dimensions.indexOf(field as StatsDimension));
      return { column, isDescending: direction === "desc" };
    });
  const time = dimensions.findIndex((one) => one.startsWith("time:"));
  return [
    ...(time >= 0 ? [{ column: dimensionColumn(time), isDescending: false }] : []),
    { column: metricColumn(0), isDescending: true },
  ];
}

/** A group as the warehouse tells it. */
interface Group {
  readonly keys: readonly (string | number | null)[];
  readonly metrics: (number | null)[];
  readonly hash: string;
}

function groupsOf(query: Query, rows: readonly unknown[][]): Group[] {
  const { length } = query.dimensions;
  return rows.map((row) => ({
    keys: query.dimensions.map(({ kind }, at) =>
      kind === "time" ? Number(row[at]) : (row[at] as string | null),
    ),
    metrics: query.metrics.map((_, at) => row[length + at] as number | null),
    hash: row[length + query.metrics.length] as string,
  }));
}

function scalarOf({ kind }: Dimension, key: string | number | null): StatsScalar {
  if (key === null) return null;
  if (kind === "time") return toIsoTime(key as number);
  return kind === "property" ? readKey(key as string) : key;
}

/** Every bucket, in the order that was asked for: there are few enough to do it here. */
function filled(query: Query, groups: readonly Group[], starts: readonly number[]): Group[] {
  const byStart = new Map(groups.map((group) => [group.keys[0], group]));
  const all = starts.map(
    (start) => byStart.get(start) ?? { keys: [start], metrics: query.metrics.map(emptyOf), hash: "" },
  );
  const columns = [dimensionColumn(0), ...query.metrics.map((_, at) => metricColumn(at))];
  const place = ({ keys, metrics }: Group, column: string) =>
    [...keys, ...metrics][columns.indexOf(column)] as number | null;
  const compare = (one: Group, other: Group) => {
    for (const { column, isDescending } of query.order) {
      const [a, b] = [place(one, column), place(other, column)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      return isDescending ? b - a : a - b;
    }
    return 0;
  };
  return all.sort(compare);
}

const isOfTimeAlone = ({ dimensions }: Query) => dimensions.length === 1 && dimensions[0]?.kind === "time";

/** First instants of the buckets of a period; none when no time is asked for. */
function startsOf({ zone }: Pick<Scope, "zone">, dimensions: readonly Dimension[], period: Period): number[] {
  const time = dimensions.find((one) => one.kind === "time");
  return time ? bucketsOf(zone, time.grain, period, SERVER_LIMITS.statsBuckets) : [];
}

/**
 * The buckets before, one for each of those that were asked for: as many days earlier, or as long, so that what is
 * compared is of one length and nothing of the period before is left out. Weeks and months do not repeat after 30 days.
 */
function earlierStarts({ zone, range }: Scope, dimensions: readonly Dimension[], starts: readonly number[]) {
  const { days, before, from, to } = range;
  const isOfDays = dimensions.some(
    (one) => one.kind === "time" && one.grain !== "hour" && one.grain !== "minute",
  );
  if (!isOfDays) return startsOf({ zone }, dimensions, before);
  if (days === null) return starts.map((start) => start - (to - from));
  return starts.map((start) => startOfDay(zone, dayOf(zone, start) - days));
}

export function readQuery(body: StatsQueryBody, now: number): { query: Query; starts: number[] } {
  const scope = readScope(body, now, fieldIssues(body));
  const dimensions = (body.dimensions ?? []).map(readDimension);
  const starts = startsOf(scope, dimensions, scope.range);
  if (starts.length > SERVER_LIMITS.statsBuckets) {
    const message = `the range has more than ${SERVER_LIMITS.statsBuckets} of these: ask for a coarser time or a shorter range`;
    readScope(body, now, [{ path: ["dimensions"], code: "too_many", message }]);
  }
  const query: Query = {
    scope,
    metrics: body.metrics,
    dimensions,
    goal: body.goal ?? null,
    order: orderOf(body),
    limit: body.pagination?.limit ?? LIMITS.maxStatsRows,
    offset: body.pagination?.offset ?? 0,
  };
  return { query, starts };
}

/** What has settled is looked for so often, where it went while it was read; then all is derived of events. */
const LOOKS = 3;

/** All rows of the buckets, or one more than the page has. */
const reach = (query: Query, isWhole: boolean): Query =>
  isWhole
    ? { ...query, limit: SERVER_LIMITS.statsBuckets + 1, offset: 0 }
    : { ...query, limit: query.limit + 1 };

/**
 * @param ask puts a statement to the warehouse
 * @throws Refusal `invalid_payload` for what is wrong beyond the schema, and what `ask` throws
 */
export async function answerQuery(ask: Ask, body: StatsQueryBody, now: number): Promise<StatsAnswer> {
  const { query, starts } = readQuery(body, now);
  const { scope, limit, offset } = query;
  const isOfTime = isOfTimeAlone(query);
  const groupsIn = async (asked: Query, side: Side) => {
    for (let looks = LOOKS; ; looks--) {
      const isOfSettled = looks > 0 && tableFor(asked, side) !== null;
      const settled = isOfSettled ? await readSettled(ask, scope.sourceId, side.period) : null;
      const rows = await ask(writeQuery(asked, side, settled));
      if (settled === null || (await isStillThere(ask, scope.sourceId, settled)))
        return groupsOf(query, rows);
    }
  };

  const side: Side = { period: scope.range, starts, names: starts, groups: null };
  const found = await groupsIn(reach(query, isOfTime), side);
  const all = isOfTime ? filled(query, found, starts).slice(offset) : found;
  const page = all.slice(0, limit);

  const isCompared = body.include?.comparison ?? false;
  const before = new Map<string, Group>();
  if (isCompared && page.length > 0) {
    const earlier: Side = {
      period: scope.range.before,
      starts: earlierStarts(scope, query.dimensions, starts),
      names: starts,
      groups: isOfTime ? null : page.map(({ hash }) => hash),
    };
    const whole = { ...query, limit: SERVER_LIMITS.statsBuckets + 1, offset: 0 };
    for (const group of await groupsIn(whole, earlier)) before.set(JSON.stringify(group.keys), group);
  }
  const results = page.map(
    ({ keys, metrics }): StatsRow => ({
      dimensions: keys.map((key, at) => scalarOf(query.dimensions[at]!, key)),
      metrics,
      comparison: isCompared
        ? (before.get(JSON.stringify(keys))?.metrics ?? query.metrics.map(emptyOf))
        : null,
    }),
  );
  return {
    ...answered(scope),
    metrics: body.metrics,
    dimensions: body.dimensions ?? [],
    comparison: isCompared
      ? {
          from: toIsoTime(scope.range.before.from),
          to: toIsoTime(scope.range.before.to),
        }
      : null,
    results,
    nextOffset: all.length > limit ? offset + limit : null,
  };
}
