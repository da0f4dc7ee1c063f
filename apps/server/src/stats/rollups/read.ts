/**
 * The rows that a query reads: stored rollup rows, plus rows of the same form derived from events that no rollup covers.
 * Long sessions span more than a day; queries always derive them from events.
 */
import { utcDay } from "../../core/time.ts";
import { inSample, inSlice } from "../accuracy.ts";
import type { Period } from "../calendar.ts";
import type { SqlContext } from "../metrics-query.ts";
import { inPeriod, ofSource, SESSION_MARGIN_MS, sessionEventsSql } from "../scope.ts";
import { allOf, list } from "../sql.ts";
import { EVENT_ROW_COLUMNS, eventRowsSql } from "./event-rows.ts";
import { type RollupCoverage, uncoveredCondition } from "./freshness.ts";
import { SESSION_ROW_COLUMNS, type SessionDimension, sessionRowsSql } from "./session-rows.ts";
import { withNeighbors } from "./state.ts";

/** Conditions on `visitor` that select the rows of the sample or of the slice. */
export function visitorConditions({ query: { scope }, slice }: SqlContext): string[] {
  if (scope.sample > 1) return [inSample(scope.sample)];
  return slice === null ? [] : [inSlice(slice)];
}

/** A condition that selects the stored rows of the covered days from that of `from` to that of the last moment before `to`. */
function rollupCondition(context: SqlContext, { covered }: RollupCoverage, { from, to }: Period): string {
  const { bind, query } = context;
  const [first, last] = [utcDay(from), utcDay(to - 1)];
  const builds = covered.filter(({ day }) => day >= first && day <= last);
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
  const uncovered = uncoveredCondition(bind, coverage, withNeighbors);
  // a row is on the day of its session's first event
  const stored = `SELECT ${columns} FROM sessionRollups
    WHERE ${rollupCondition(context, coverage, { ...period, from: period.from - SESSION_MARGIN_MS })}`;
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

/**
 * SQL of rows like those of `eventRollups`. `quarter` is the start of a quarter of an hour.
 * @param period all rows of events of the period are there, and others may be
 */
export function eventRows(
  context: SqlContext,
  coverage: RollupCoverage,
  period = context.queryPeriod.period,
): string {
  const {
    bind,
    query: { scope },
  } = context;
  const stored = `SELECT ${list(EVENT_ROW_COLUMNS)} FROM eventRollups
    WHERE ${rollupCondition(context, coverage, period)}`;
  const uncovered = uncoveredCondition(bind, coverage, (day) => [day]);
  if (uncovered === null) return stored;
  // UNION ALL matches columns by their order
  const events = `${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${uncovered})`;
  return `${stored} UNION ALL ${eventRowsSql(events)}`;
}
