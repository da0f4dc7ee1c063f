/**
 * The rows that a query reads: stored rollup rows, plus rows of the same form derived from events that no rollup covers.
 * Long sessions span more than a day; queries always derive them from events.
 */
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import type { SqlContext } from "../metrics-query.ts";
import { inPeriod, ofSource, sessionEventsSql } from "../scope.ts";
import { anyOf, type Bind, bindTime, list } from "../sql.ts";
import type { CoveredDay, RollupCoverage } from "./freshness.ts";
import { SESSION_ROW_COLUMNS, type SessionDimension, sessionRowsSql } from "./session-rows.ts";
import { withNeighbors } from "./state.ts";

/** A condition that selects the stored rows of the covered days. */
function rollupCondition(bind: Bind, sourceId: string, { covered }: RollupCoverage): string {
  const day = (index: number) => bind("Date", covered.at(index)?.day ?? "");
  const buildNumbers = covered.map(({ buildNumber }) => buildNumber);
  return `sourceId = ${sourceId} AND day BETWEEN ${day(0)} AND ${day(-1)}
    AND build IN ${bind("Array(UInt64)", buildNumbers)}`;
}

/**
 * A condition that selects the events that no rollup covers; null when there are none.
 * @param daysReadBy given a rollup's day, the days whose events that rollup was built from
 */
function uncoveredCondition(
  bind: Bind,
  { covered, uncovered }: RollupCoverage,
  daysReadBy: (day: string) => string[],
): string | null {
  const onDays = (days: readonly string[]) => `toDate(occurredAt) IN ${bind("Array(Date)", days)}`;
  const isNew = ({ day, receivedUntil }: CoveredDay) =>
    `${onDays(daysReadBy(day))} AND receivedAt > ${bindTime(bind, receivedUntil)}`;
  const conditions = [
    ...(uncovered.length > 0 ? [onDays(uncovered)] : []),
    ...covered.filter(({ hasNewEvents }) => hasNewEvents).map(isNew),
  ];
  return conditions.length === 0 ? null : anyOf(conditions);
}

/** SQL of rows like those of `sessionRollups`. A session with an event that no rollup covers is derived as a whole. */
export function sessionRows(
  { bind, query: { scope }, queryPeriod: { period } }: SqlContext,
  coverage: RollupCoverage,
  dimensions: readonly SessionDimension[],
): string {
  const columns = list([...SESSION_ROW_COLUMNS, ...dimensions]);
  const sourceId = bind("String", scope.sourceId);
  const { hasLongSessions } = coverage;
  const uncovered = uncoveredCondition(bind, coverage, withNeighbors);
  const stored = `SELECT ${columns} FROM sessionRollups WHERE ${rollupCondition(bind, sourceId, coverage)}`;
  if (uncovered === null && !hasLongSessions) return stored;
  const selectUncovered = (column: string) =>
    `SELECT ${column} FROM events WHERE sourceId = ${sourceId} AND (${uncovered ?? "0"})`;
  const long = `SELECT session FROM longSessions WHERE sourceId = ${sourceId}`;
  const derived = hasLongSessions
    ? `${long} UNION ALL ${selectUncovered("session")}`
    : selectUncovered("session");
  // Filter by sessionId where possible: `events` is sorted by it. Long sessions are stored only as the hash `session`, so
  // with them the filter has to use `session`.
  const isDerived = hasLongSessions
    ? `session IN (${derived})`
    : `sessionId IN (${selectUncovered("sessionId")})`;
  const events = `${sessionEventsSql(bind, scope, period)} AND ${isDerived}`;
  return `${stored} AND session NOT IN (${derived})
    UNION ALL SELECT ${columns} FROM (${sessionRowsSql(events, dimensions)})`;
}

/** SQL of rows like those of `eventRollups`. `quarter` is the start of a quarter of an hour. */
export function eventRows(
  { bind, query: { scope }, queryPeriod: { period } }: SqlContext,
  coverage: RollupCoverage,
): string {
  const stored = `SELECT quarter, session, visitor, event, page, pageviews, events
    FROM eventRollups WHERE ${rollupCondition(bind, bind("String", scope.sourceId), coverage)}`;
  const uncovered = uncoveredCondition(bind, coverage, (day) => [day]);
  if (uncovered === null) return stored;
  return `${stored} UNION ALL SELECT toStartOfFifteenMinutes(occurredAt) AS quarter, session, visitor, name AS event,
      CAST(page.path AS LowCardinality(Nullable(String))) AS page, toUInt32(${IS_PAGE_VIEW}) AS pageviews, toUInt32(1) AS events
    FROM events WHERE ${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${uncovered})`;
}
