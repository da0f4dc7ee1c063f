/**
 * The rows that a query reads: stored rollup rows, plus rows of the same form derived from events that no rollup covers.
 * Long sessions span more than a day; queries always derive them from events.
 */
import { DAY_MS, SECOND_MS, utcDay } from "../../core/time.ts";
import { inSample, inSlice } from "../accuracy.ts";
import type { Period } from "../calendar.ts";
import type { SqlContext } from "../metrics-query.ts";
import { inPeriod, ofSource, SESSION_MARGIN_MS, sessionEventsSql } from "../scope.ts";
import { allOf, type Bind, list } from "../sql.ts";
import { EVENT_ROW_COLUMNS, eventRowsSql } from "./event-rows.ts";
import { type CoveredDay, type RollupCoverage, uncoveredCondition } from "./freshness.ts";
import { SESSION_ROW_COLUMNS, type SessionDimension, sessionRowsSql } from "./session-rows.ts";

/** The day of no builds. */
const NO_DAY = "1970-01-01";

/** Conditions on `visitor` that select the rows of the sample or of the slice. */
export function visitorConditions({ query: { scope }, slice }: SqlContext): string[] {
  if (scope.sample > 1) return [inSample(scope.sample)];
  return slice === null ? [] : [inSlice(slice)];
}

/** Selects rows by their quarter of an hour. */
export const inQuarters = (bind: Bind, { from, to }: Period): string => {
  const quarterSql = (at: number) => `toDateTime(${bind("Int64", at / SECOND_MS)}, 'UTC')`;
  return `quarter >= ${quarterSql(from)} AND quarter < ${quarterSql(to)}`;
};

/** The covered days from that of `from` to that of the last moment before `to`. */
function coveredWithin({ covered }: RollupCoverage, { from, to }: Period): CoveredDay[] {
  const [first, last] = [utcDay(from), utcDay(to - 1)];
  return covered.filter(({ day }) => day >= first && day <= last);
}

/** A condition that selects the stored rows of builds. @param builds in ascending order of their days */
function rollupCondition(context: SqlContext, builds: readonly CoveredDay[]): string {
  const { bind, query } = context;
  const [first = NO_DAY, last = NO_DAY] = [builds[0]?.day, builds.at(-1)?.day];
  const buildNumbers = builds.map(({ buildNumber }) => buildNumber);
  return allOf([
    `sourceId = ${bind("String", query.scope.sourceId)}`,
    `day BETWEEN ${bind("Date", first)} AND ${bind("Date", last)}`,
    `build IN ${bind("Array(UInt64)", buildNumbers)}`,
    ...visitorConditions(context),
  ]);
}

/** SQL of rows like those of `sessionRollups`. A session with an event that no rollup covers is derived as a whole. */
export function sessionRows(
  context: SqlContext,
  coverage: RollupCoverage,
  dimensions: readonly SessionDimension[],
): string {
  const {
    bind,
    query: { scope },
    queryPeriod: { period },
  } = context;
  const columns = list([...SESSION_ROW_COLUMNS, ...dimensions]);
  const sourceId = bind("String", scope.sourceId);
  const { hasLongSessions, derivedDays } = coverage;
  const uncovered = uncoveredCondition(bind, coverage, "sessions");
  // a row is on the day of its session's first event
  const builds = coveredWithin(coverage, { ...period, from: period.from - SESSION_MARGIN_MS });
  const stored = `SELECT ${columns} FROM sessionRollups WHERE ${rollupCondition(context, builds)}`;
  if (uncovered === null && !hasLongSessions) return stored;
  const selectUncovered = (column: string) =>
    `SELECT ${column} FROM events WHERE sourceId = ${sourceId} AND ${inSample(scope.sample)} AND (${uncovered ?? "0"})`;
  const around = sessionEventsSql(bind, scope, period);
  const deriveFrom = (condition: string) =>
    `SELECT ${columns} FROM (${sessionRowsSql(`${around} AND ${condition}`, dimensions)})`;
  if (hasLongSessions) {
    const long = `SELECT session FROM longSessions WHERE sourceId = ${sourceId}`;
    const derived = `${long} UNION ALL ${selectUncovered("session")}`;
    return `${stored} AND session NOT IN (${derived}) UNION ALL ${deriveFrom(`session IN (${derived})`)}`;
  }
  const days = bind("Array(Date)", derivedDays);
  const isDerived = `toDate(occurredAt) IN ${days} AND sessionId IN (${selectUncovered("sessionId")})`;
  // the rows of other days are read without `session`, the largest column
  return `${stored} AND day NOT IN ${days}
    UNION ALL ${stored} AND day IN ${days} AND session NOT IN (${selectUncovered("session")})
    UNION ALL ${deriveFrom(isDerived)}`;
}

/** Selects the stored rows of a period. The time is compared only on days that are partly in the period, because that takes a tenth of a query. */
function storedEventRows(context: SqlContext, coverage: RollupCoverage, period: Period): string[] {
  const builds = coveredWithin(coverage, period);
  const isWhole = ({ day }: CoveredDay) =>
    Date.parse(day) >= period.from && Date.parse(day) + DAY_MS <= period.to;
  const whole = builds.filter(isWhole);
  const cut = builds.filter((build) => !isWhole(build));
  const select = (some: readonly CoveredDay[], conditions: readonly string[]) =>
    `SELECT ${list(EVENT_ROW_COLUMNS)} FROM eventRollups WHERE ${allOf([rollupCondition(context, some), ...conditions])}`;
  return [
    ...(whole.length > 0 || cut.length === 0 ? [select(whole, [])] : []),
    ...(cut.length > 0 ? [select(cut, [inQuarters(context.bind, period)])] : []),
  ];
}

/** SQL of rows like those of `eventRollups`, of the events of a period. `quarter` is the start of a quarter of an hour. */
export function eventRows(
  context: SqlContext,
  coverage: RollupCoverage,
  period = context.queryPeriod.period,
): string {
  const {
    bind,
    query: { scope },
  } = context;
  const rows = storedEventRows(context, coverage, period);
  const uncovered = uncoveredCondition(bind, coverage, "events");
  // UNION ALL matches columns by their order
  if (uncovered !== null)
    rows.push(eventRowsSql(`${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${uncovered})`));
  return rows.join(" UNION ALL ");
}
