/**
 * The rows that a query reads: stored rollup rows, plus rows of the same form derived from events that no rollup covers.
 * Long sessions span more than a day; queries always derive them from events.
 */
import { DAY_MS, SECOND_MS, utcDay } from "../../core/time.ts";
import type { Period } from "../calendar.ts";
import {
  inPeriod,
  ofSource,
  type QueryScope,
  readsFirstVisits,
  SESSION_MARGIN_MS,
  sessionEventsSql,
} from "./conditions.ts";
import { asText, type Dimension } from "./dimensions.ts";
import { EVENT_ROW_COLUMNS, eventRowsSql } from "./event-rows.ts";
import type { RollupContext, ValueColumn } from "./metrics-query.ts";
import { type CoveredDay, eventsOf, type Rollups, uncoveredCondition, visitorsOf } from "./part.ts";
import {
  SESSION_ROW_COLUMNS,
  type SessionDimension,
  sessionDimension,
  sessionRowsSql,
} from "./session-rows.ts";
import { allOf, type Bind, list } from "./statement.ts";

/** The day of no builds. */
const NO_DAY = "1970-01-01";

/** Selects rows by their quarter of an hour. */
export const inQuarters = (bind: Bind, { from, to }: Period): string => {
  const quarterSql = (at: number) => `toDateTime(${bind("Int64", at / SECOND_MS)}, 'UTC')`;
  return `quarter >= ${quarterSql(from)} AND quarter < ${quarterSql(to)}`;
};

/** The covered days from that of `from` to that of the last moment before `to`. */
function coveredWithin({ covered }: Rollups, { from, to }: Period): CoveredDay[] {
  const [first, last] = [utcDay(from), utcDay(to - 1)];
  return covered.filter(({ day }) => day >= first && day <= last);
}

/** A condition that selects the stored rows of builds. @param builds in ascending order of their days */
function rollupCondition({ bind, scope }: SessionRowsContext, builds: readonly CoveredDay[]): string {
  const [first = NO_DAY, last = NO_DAY] = [builds[0]?.day, builds.at(-1)?.day];
  const buildNumbers = builds.map(({ buildNumber }) => buildNumber);
  return allOf([
    `sourceId = ${bind("String", scope.sourceId)}`,
    `day BETWEEN ${bind("Date", first)} AND ${bind("Date", last)}`,
    `build IN ${bind("Array(UInt64)", buildNumbers)}`,
    ...visitorsOf(scope.part),
  ]);
}

/** What rows of sessions depend on. */
export interface SessionRowsContext extends Pick<RollupContext, "bind" | "scope" | "rollups"> {
  readonly query: { readonly period: Period };
}

/** SQL of rows like those of `sessionRollups`. A session with an event that no rollup covers is derived as a whole. */
export function sessionRows(context: SessionRowsContext, dimensions: readonly SessionDimension[]): string {
  const { bind, scope, rollups } = context;
  const { period } = context.query;
  const columns = list([...SESSION_ROW_COLUMNS, ...dimensions]);
  const sourceId = bind("String", scope.sourceId);
  const { hasLongSessions, derivedDays } = rollups;
  const uncovered = uncoveredCondition(bind, rollups, "sessions");
  // a row is on the day of its session's first event
  const builds = coveredWithin(rollups, { ...period, from: period.from - SESSION_MARGIN_MS });
  const stored = `SELECT ${columns} FROM sessionRollups WHERE ${rollupCondition(context, builds)}`;
  if (uncovered === null && !hasLongSessions) return stored;
  const isUncovered = allOf([`sourceId = ${sourceId}`, ...eventsOf(bind, scope.part), uncovered ?? "0"]);
  const selectUncovered = (column: string) => `SELECT ${column} FROM events WHERE ${isUncovered}`;
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

/**
 * Whether events can be joined with these dimensions of sessions from `sessionRollups`: of a sample it reads the rows of the sample
 * only, and of events all ids. With ten million events that takes half of the time.
 */
export const canJoinSessionRows = (scope: QueryScope, dimensions: readonly Dimension[]): boolean =>
  scope.sourceIds.length === 1 &&
  !scope.includesBots &&
  !readsFirstVisits(scope) &&
  dimensions.length > 0 &&
  dimensions.every((one) => sessionDimension(one).length > 0);

/** Selects sessions with the values of dimensions. All rows of a session have the same ones. */
export function sessionValues(context: SessionRowsContext, columns: readonly ValueColumn[]): string {
  const names = columns.flatMap(({ dimension }) => sessionDimension(dimension));
  const values = columns.map(({ dimension, column }) => `${asText(dimension.name)} AS ${column}`);
  return `SELECT ${list(["session", ...values])} FROM (${sessionRows(context, [...new Set(names)])})`;
}

/** Selects the stored rows of a period. The time is compared only on days that are partly in the period, because that takes a tenth of a query. */
function storedEventRows(context: RollupContext, period: Period): string[] {
  const builds = coveredWithin(context.rollups, period);
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
export function eventRows(context: RollupContext, period: Period = context.query.period): string {
  const { bind, scope, rollups } = context;
  const rows = storedEventRows(context, period);
  const uncovered = uncoveredCondition(bind, rollups, "events");
  // UNION ALL matches columns by their order
  if (uncovered !== null)
    rows.push(eventRowsSql(`${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${uncovered})`));
  return rows.join(" UNION ALL ");
}
