/** Settles a day of a source: writes its `visits` and `hits` anew, of the events that are there. */

import type { ClickHouseSettings } from "@clickhouse/client";
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { SESSION_TEXTS, SETTLING } from "../../clickhouse/schema/rollups.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { areEventsChanging, dropVersions, framesOf } from "./drop.ts";
import { SLICE, slicesOf } from "./session-rows.ts";

/** A day that is to settle. */
export interface Unsettled {
  readonly sourceId: string;
  /** UTC, as `2026-11-21`. */
  readonly day: string;
  readonly events: number;
}

/** Events of a day that settle in one statement: a second or two of one processor, in 100 MB. */
const PIECE_EVENTS = 200_000;

/** Beside questions, and behind them. */
const SETTINGS: ClickHouseSettings = {
  max_threads: 1,
  max_memory_usage: String(SERVER_LIMITS.statsMemoryBytes),
  max_bytes_before_external_group_by: String(SERVER_LIMITS.statsMemoryBytes / 4),
};
/** A session of events that lie further apart is another one for another range: it is derived for each question. */
const LONGEST_MS = SERVER_LIMITS.sessionMaxSeconds * 1_000;

type Values = Record<string, string | number | readonly string[]>;

/** What comes while a day settles, or was on its way to the warehouse, is told by when it was received. */
const RECEIVED = "receivedAt <= fromUnixTimestamp64Milli({through:Int64}, 'UTC')";
const AROUND = `sourceId = {sourceId:String} AND ${RECEIVED}
    AND toDate(occurredAt) BETWEEN addDays({day:Date}, -1) AND addDays({day:Date}, 1)`;

/** Sessions whose first event is of the day; a part of them, so that each statement is short. */
const VISITS = `INSERT INTO visits (sourceId, day, version, ${[...SLICE, ...SESSION_TEXTS].join(", ")})
  SELECT {sourceId:String}, {day:Date}, {version:UInt64}, ${[...SLICE, ...SESSION_TEXTS].join(", ")}
  FROM (${slicesOf(
    `${AROUND} AND NOT device.isBot
      AND session IN (SELECT session FROM events WHERE sourceId = {sourceId:String} AND toDate(occurredAt) = {day:Date}
        AND session % {pieces:UInt64} = {piece:UInt64})`,
    SESSION_TEXTS,
  )}) WHERE toDate(startedAt) = {day:Date}`;

const HITS = `INSERT INTO hits (sourceId, day, version, quarter, session, visitor, name, path, pageviews, events)
  SELECT {sourceId:String}, {day:Date}, {version:UInt64},
    toStartOfFifteenMinutes(occurredAt) AS at, session, visitor, name, page.path, countIf(${IS_PAGE_VIEW}), count()
  FROM events WHERE sourceId = {sourceId:String} AND ${RECEIVED} AND NOT device.isBot AND toDate(occurredAt) = {day:Date}
    AND session % {pieces:UInt64} = {piece:UInt64}
  GROUP BY at, session, visitor, name, page.path`;

/**
 * Sessions that are longer than a session may be, and those that begin on another day too: one of which two days know
 * nothing of each other, because more than a day lies between its events.
 */
const LOOSE = `INSERT INTO looseSessions (sourceId, session)
  SELECT {sourceId:String}, session FROM (
    SELECT session FROM events WHERE ${AROUND} AND NOT device.isBot
    GROUP BY session HAVING dateDiff('millisecond', min(occurredAt), max(occurredAt)) > ${LONGEST_MS}
    UNION DISTINCT
    SELECT session FROM visits
    WHERE sourceId = {sourceId:String} AND abs(dateDiff('day', day, {day:Date})) > 1 AND session IN (
      SELECT session FROM visits WHERE sourceId = {sourceId:String} AND day = {day:Date} AND version = {version:UInt64})
  ) WHERE session NOT IN (SELECT session FROM looseSessions WHERE sourceId = {sourceId:String})`;

const RECORD = `INSERT INTO settledDays (sourceId, day, version, through, known, isDone)
  SELECT {sourceId:String}, {day:Date}, {version:UInt64}, fromUnixTimestamp64Milli({through:Int64}, 'UTC'), {known:Array(String)}, {isDone:UInt8}`;

/**
 * Safe to be cut off anywhere, and to be done by two nodes at once: nothing of it is read before its last statement, and
 * what is known of the day by then is what it was at the first.
 * @param version higher than that of any settling before
 * @param through events that were received later are left to the next settling; well before now
 * @param signal ends it between two statements
 * @returns false: something else changed meanwhile, it was ended, or there is nothing that was received by then
 */
export async function settleDay(
  client: WarehouseClient,
  { sourceId, day, events }: Unsettled,
  version: number,
  through: number,
  signal: AbortSignal,
): Promise<boolean> {
  const own: Values = { sourceId, day, version, through };
  const run = (query: string, more: Values = {}) =>
    client.command({ query, query_params: { ...own, ...more }, clickhouse_settings: SETTINGS });
  const comesTo = async (): Promise<string[]> => {
    const query = `SELECT frame FROM (${framesOf(AROUND)}) WHERE day = {day:Date}`;
    const answer = await client.query({ query, query_params: own, format: "JSONEachRow" });
    const [row] = await answer.json<{ frame: string[] }>();
    return row?.frame ?? [];
  };
  const known = await comesTo();
  if (known.length === 0) return false;
  const drop = () => dropVersions(client, [{ sourceId, day, version }]);
  const write = async () => {
    await run(RECORD, { known, isDone: SETTLING.begun });
    const pieces = Math.ceil(events / PIECE_EVENTS);
    for (let piece = 0; piece < pieces; piece++) {
      if (signal.aborted) return false;
      await run(VISITS, { pieces, piece });
      await run(HITS, { pieces, piece });
    }
    await run(LOOSE);
    if ((await comesTo()).join() !== known.join() || (await areEventsChanging(client))) return false;
    await run(RECORD, { known, isDone: SETTLING.done });
    return true;
  };
  const isWritten = await write().catch(async (error: Error) => {
    // an erasure would wait for it, until it is taken for cut off
    await drop().catch(() => undefined);
    throw error;
  });
  if (!isWritten) await drop();
  return isWritten;
}
