/**
 * Writes the runs of a funnel (docs/api/stats.md): the times at which each visitor took the steps. Of the longest runs of a
 * visitor it takes the one that begins first, with each further step at its first event from there.
 */
import { eventConditions, eventsTable, type PartScope, sessionEventsSql } from "./conditions.ts";
import { isEventLevel, type StoredDimension, sessionValueSql, valueSql } from "./dimensions.ts";
import { sessionValues } from "./rollup-rows.ts";
import { anyOf, type Bind, list } from "./statement.ts";

export interface FunnelRuns {
  readonly scope: PartScope;
  /** The SQL of each step over a row of `events`. */
  readonly steps: readonly string[];
  readonly windowMs: number;
  readonly isWithinSession: boolean;
  /** null: the runs have no segments. */
  readonly dimension: StoredDimension | null;
}

/** The segment of all visitors, which no value has. */
export const ALL_SEGMENTS = "";
/** Missing values come last. */
const encodeSegment = (value: string) => `ifNull(concat('0', ${value}), '1')`;
/** The value of a segment. */
export const decodeSegment = (segment: string): string | null =>
  segment.startsWith("0") ? segment.slice(1) : null;

/** A dimension of sessions. Looking up the session of each run takes less memory than joining all events with their sessions. */
export const isOfSession = (dimension: StoredDimension): dimension is StoredDimension & { kind: "text" } =>
  dimension.kind === "text" && !isEventLevel(dimension);

/** A row for each event that takes a step, with its visitor, session, segment and time, and whether it takes each step. */
function stepEventsSql(bind: Bind, { scope, steps, dimension }: FunnelRuns): string {
  const { events } = eventConditions(bind, scope, scope.range);
  const takes = steps.map((_, index) => `takes${index + 1}`);
  const segment =
    dimension === null || isOfSession(dimension)
      ? []
      : [`${encodeSegment(valueSql(bind, dimension, scope.texts))} AS segment`];
  const columns = ["visitor", "session", "toUInt64(toUnixTimestamp64Milli(occurredAt)) AS at", ...segment];
  const all = [...columns, ...steps.map((step, index) => `${step} AS ${takes[index]}`)];
  return `SELECT ${list(all)} FROM events WHERE ${events} AND (${anyOf(takes)})`;
}

/** Adds the segments of sessions to runs that have a `session` for each of their first events of one time. */
function withSessionSegments(
  bind: Bind,
  { scope, dimension }: FunnelRuns & { readonly dimension: StoredDimension & { kind: "text" } },
  runs: string,
): string {
  const { rollups } = scope.part;
  const column = "value";
  const sessions = rollups
    ? sessionValues({ bind, scope, rollups, query: { period: scope.range } }, [{ dimension, column }])
    : `SELECT session, ${sessionValueSql(dimension.name)} AS ${column}
      FROM ${eventsTable(bind, scope, scope.range, [dimension])}
      WHERE ${sessionEventsSql(bind, scope, scope.range)} GROUP BY session`;
  return `SELECT visitor, missing, times, ${encodeSegment(column)} AS segment
    FROM (${sessions}) AS s INNER JOIN (${runs}) AS r USING (session)`;
}

/** The sessions of the first events of the best run. */
const SESSIONS_OF_BEST = "arrayDistinct(arrayMap(x -> x.2, arrayFilter(x -> x.1 = firsts[best].1, firsts)))";

/** Odd, and later than twice any time. */
const NEVER = "9223372036854775809";
const withColumn = (rows: string, column: string, sql: string) =>
  `SELECT *, ${sql} AS ${column} FROM (${rows})`;

/**
 * Adds the first event of a step from each time of the step before. Doubled, the times are even, and those of the step's events
 * are made odd: sorted, the next odd number from an even one is the event.
 */
function withNextStep(rows: string, step: number): string {
  const doubled = [
    `arrayMap(x -> 2 * x, times${step - 1})`,
    `arrayMap(x -> 2 * x + 1, events${step})`,
    `[${NEVER}]`,
  ];
  const merged = withColumn(rows, `merged${step}`, `arraySort(arrayConcat(${list(doubled)}))`);
  const next = `arrayReverseFill(x -> x % 2, merged${step})`;
  return withColumn(
    merged,
    `times${step}`,
    `arrayMap(x -> intDiv(x, 2), arrayFilter((x, own) -> own % 2 = 0, ${next}, merged${step}))`,
  );
}

/** @returns a SELECT of a row for each visitor who takes the first step, with the run's `times` in milliseconds and its `segment` */
export function funnelRunsSql(bind: Bind, runs: FunnelRuns): string {
  const { steps, windowMs, isWithinSession, dimension } = runs;
  const ofSession = dimension !== null && isOfSession(dimension) ? dimension : null;
  const [first, times1, segment] =
    dimension === null
      ? ["at", "firsts", `'${ALL_SEGMENTS}' AS segment`]
      : ofSession
        ? ["(at, session)", "firsts.1", `arrayJoin(${SESSIONS_OF_BEST}) AS session`]
        : ["(at, segment)", "firsts.1", "firsts[best].2 AS segment"];
  const others = steps.slice(1).map((_, index) => index + 2);
  const groups = [
    `arraySort(groupArrayIf(${first}, takes1)) AS firsts`,
    ...others.map((step) => `groupArrayIf(at, takes${step}) AS events${step}`),
  ];
  const grouped = `SELECT visitor, ${list(groups)} FROM (${stepEventsSql(bind, runs)})
    GROUP BY visitor${isWithinSession ? ", session" : ""} HAVING notEmpty(firsts)`;
  const taken = others.reduce(withNextStep, withColumn(grouped, "times1", times1));
  // the window only shortens a run, so that the times of a step stay sorted
  const inWindow = others.map((step) => ` + (x${step} <= x1 + ${windowMs})`).join("");
  const names = steps.map((_, index) => `x${index + 1}`);
  const times = steps.map((_, index) => `times${index + 1}`);
  const reaches = `arrayMap((${list(names)}) -> 1${inWindow}, ${list(times)})`;
  const reached = withColumn(withColumn(taken, "reaches", reaches), "reached", "arrayMax(reaches)");
  const best = withColumn(reached, "best", "indexOf(reaches, reached)");
  const run = `SELECT visitor, ${steps.length} - reached AS missing,
      arraySlice([${list(times.map((time) => `${time}[best]`))}], 1, reached) AS times, ${segment}
    FROM (${best})`;
  const segmented = ofSession ? withSessionSegments(bind, { ...runs, dimension: ofSession }, run) : run;
  // a visitor has a run of each session
  return isWithinSession || ofSession
    ? `${segmented} ORDER BY visitor, missing, times, segment LIMIT 1 BY visitor`
    : segmented;
}
