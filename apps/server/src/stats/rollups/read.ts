/**
 * The rows that a question reads where most days have settled: those of `visits` or of `hits`, and rows like them that are
 * derived of the events of the rest.
 */
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { list, type Query, type Side } from "../metrics-query.ts";
import { inPeriod, ownOf } from "../scope.ts";
import { any, type Bind } from "../sql.ts";
import type { Rows, Settled } from "./freshness.ts";
import { type SessionText, SLICE, slicesOf } from "./session-rows.ts";

const storedWhere = (bind: Bind, sourceId: string, { reach: [first, last], versions }: Rows) =>
  `sourceId = ${sourceId} AND day BETWEEN toDate(${bind("String", first)}) AND toDate(${bind("String", last)})
    AND version IN ${bind("Array(UInt64)", versions)}`;

/** Events that rows of a table are not of; null: there are none. */
function unreadOf(bind: Bind, { unsettled, since }: Rows): string | null {
  const days = unsettled.length > 0 ? [`toDate(occurredAt) IN ${bind("Array(Date)", unsettled)}`] : [];
  const later = since.map(
    ({ day, through }) =>
      `toDate(occurredAt) = toDate(${bind("String", day)}) AND receivedAt > fromUnixTimestamp64Milli(${bind("Int64", through)}, 'UTC')`,
  );
  return days.length + later.length === 0 ? null : any([...days, ...later]);
}

/** Sessions with an event on a day that has not settled, and those that are always to be derived, are taken whole of events. */
export function visitsOf(
  bind: Bind,
  { scope }: Query,
  side: Side,
  { visits, hasLoose }: Settled,
  texts: readonly SessionText[],
): string {
  const columns = list([...SLICE, ...texts]);
  const sourceId = bind("String", scope.sourceId);
  const unread = unreadOf(bind, visits);
  const where = storedWhere(bind, sourceId, visits);
  if (unread === null && !hasLoose) return `SELECT ${columns} FROM visits WHERE ${where}`;
  const loose = `SELECT session FROM looseSessions WHERE sourceId = ${sourceId}`;
  const unreadIn = (column: string) =>
    `SELECT ${column} FROM events WHERE sourceId = ${sourceId} AND (${unread ?? "0"})`;
  const left = hasLoose ? `${loose} UNION ALL ${unreadIn("session")}` : unreadIn("session");
  // ids begin with a time and events lie in their order: by them only those places are looked at where one may be
  const taken = hasLoose ? `session IN (${left})` : `sessionId IN (${unreadIn("sessionId")})`;
  const { sessions } = ownOf(bind, scope, side.period);
  return `SELECT ${columns} FROM visits WHERE ${where} AND session NOT IN (${left})
    UNION ALL SELECT ${columns} FROM (${slicesOf(`${sessions} AND ${taken}`, texts)})`;
}

export function hitsOf(bind: Bind, { scope }: Query, side: Side, { hits }: Settled): string {
  const sourceId = bind("String", scope.sourceId);
  const stored = `SELECT quarter, session, visitor, name, path, pageviews, events
    FROM hits WHERE ${storedWhere(bind, sourceId, hits)}`;
  const unread = unreadOf(bind, hits);
  if (unread === null) return stored;
  const { own } = ownOf(bind, scope, side.period);
  return `${stored} UNION ALL SELECT toStartOfFifteenMinutes(occurredAt) AS quarter, session, visitor, name,
      CAST(page.path AS LowCardinality(Nullable(String))) AS path, toUInt32(${IS_PAGE_VIEW}) AS pageviews, toUInt32(1) AS events
    FROM events WHERE ${own} AND ${inPeriod(bind, side.period)} AND (${unread})`;
}
