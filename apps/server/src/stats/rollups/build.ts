/** Builds the rollup of a day: computes its rows from the day's events and writes them. */
import type { ClickHouseSettings } from "@clickhouse/client";
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import { BUILD_STATES, FINGERPRINT } from "../../clickhouse/schema/rollups.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { SESSION_MARGIN_MS } from "../scope.ts";
import { dropBuilds, hasRunningMutations } from "./drop.ts";
import { SESSION_ROW_COLUMNS, sessionRowsSql } from "./session-rows.ts";
import { withNeighbors } from "./state.ts";

export interface BuildOptions {
  readonly sourceId: string;
  /** UTC: `2026-11-21`. */
  readonly day: string;
  /** How many events the day has. */
  readonly events: number;
  /** The number of this build, higher than that of any earlier build. */
  readonly buildNumber: number;
  /** The build leaves out events that were received later. Well before now, so that no earlier event can still arrive. */
  readonly receivedUntil: number;
}

/** One statement reads about this many events, which takes a processor a second or two and 100 MB. */
const EVENTS_PER_STATEMENT = 200_000;
/** Queries come first: a build uses one thread and little memory. */
const SETTINGS: ClickHouseSettings = {
  max_threads: 1,
  max_memory_usage: String(SERVER_LIMITS.maxStatsMemoryBytes),
  max_bytes_before_external_group_by: String(SERVER_LIMITS.maxStatsMemoryBytes / 4),
  output_format_json_quote_64bit_integers: 0,
};

const RECEIVED = "receivedAt <= fromUnixTimestamp64Milli({receivedUntil:Int64}, 'UTC')";
const AROUND_DAY = `sourceId = {sourceId:String} AND ${RECEIVED}
  AND toDate(occurredAt) BETWEEN addDays({day:Date}, -1) AND addDays({day:Date}, 1)`;
/** A part of the sessions, so that each statement is short. */
const IN_PART = "session % {parts:UInt64} = {part:UInt64}";

const columns = [...SESSION_ROW_COLUMNS, ...STATS_SESSION_DIMENSIONS].join(", ");
const sessionsOfDay = `${AROUND_DAY} AND NOT device.isBot AND session IN (
  SELECT session FROM events WHERE sourceId = {sourceId:String} AND toDate(occurredAt) = {day:Date} AND ${IN_PART})`;
/** Sessions whose first event is on the day. */
const INSERT_SESSIONS = `INSERT INTO sessionRollups (sourceId, day, build, ${columns})
  SELECT {sourceId:String}, {day:Date}, {buildNumber:UInt64}, ${columns}
  FROM (${sessionRowsSql(sessionsOfDay, STATS_SESSION_DIMENSIONS)}) WHERE toDate(startedAt) = {day:Date}`;

const INSERT_EVENTS = `INSERT INTO eventRollups (sourceId, day, build, quarter, session, visitor, event, page, pageviews, events)
  SELECT {sourceId:String}, {day:Date}, {buildNumber:UInt64},
    toStartOfFifteenMinutes(occurredAt) AS at, session, visitor, name, page.path, countIf(${IS_PAGE_VIEW}), count()
  FROM events WHERE sourceId = {sourceId:String} AND ${RECEIVED} AND NOT device.isBot AND toDate(occurredAt) = {day:Date}
    AND ${IN_PART}
  GROUP BY at, session, visitor, name, page.path`;

/**
 * Finds sessions that span more than a day. Their metrics depend on the range of a query, so queries derive them from events.
 * A session is long if its events around this day span more than a day, or if it also has a row on a day that is not
 * beside this one.
 */
const INSERT_LONG_SESSIONS = `INSERT INTO longSessions (sourceId, session)
  SELECT {sourceId:String}, session FROM (
    SELECT session FROM events WHERE ${AROUND_DAY} AND NOT device.isBot
    GROUP BY session HAVING dateDiff('millisecond', min(occurredAt), max(occurredAt)) > ${SESSION_MARGIN_MS}
    UNION DISTINCT
    SELECT session FROM sessionRollups
    WHERE sourceId = {sourceId:String} AND abs(dateDiff('day', day, {day:Date})) > 1 AND session IN (
      SELECT session FROM sessionRollups WHERE sourceId = {sourceId:String} AND day = {day:Date} AND build = {buildNumber:UInt64})
  ) WHERE session NOT IN (SELECT session FROM longSessions WHERE sourceId = {sourceId:String})`;

const INSERT_BUILD = `INSERT INTO rollupBuilds (sourceId, day, build, receivedUntil, fingerprints, state)
  SELECT {sourceId:String}, {day:Date}, {buildNumber:UInt64}, fromUnixTimestamp64Milli({receivedUntil:Int64}, 'UTC'),
    {fingerprints:Array(String)}, {state:UInt8}`;

const SELECT_FINGERPRINTS = `SELECT toString(toDate(occurredAt)) AS day, ${FINGERPRINT}
  FROM events WHERE ${AROUND_DAY} GROUP BY toDate(occurredAt)`;

/**
 * A build may be interrupted anywhere, and two nodes may build the same day at once. Queries read no row before the build is
 * recorded as done, which happens only if the events are still the same as at the beginning.
 * @param signal aborts the running statement
 * @param stopping ends the build before its next statement
 * @returns false when there is no new rollup: the events changed meanwhile, the build was stopped, or no event was received
 *   until `receivedUntil`
 */
export async function buildDay(
  client: WarehouseClient,
  options: BuildOptions,
  { cutOff, stopping }: { cutOff: AbortSignal; stopping: AbortSignal },
): Promise<boolean> {
  const { events, ...values } = options;
  const { sourceId, day } = values;
  const common = { clickhouse_settings: SETTINGS, abort_signal: cutOff };
  const run = (query: string, more: Record<string, unknown> = {}) =>
    client.command({ query, query_params: { ...values, ...more }, ...common });
  const readFingerprints = async (): Promise<string[]> => {
    const format = "JSONCompactEachRow";
    const reply = await client.query({ query: SELECT_FINGERPRINTS, query_params: values, format, ...common });
    const byDay = new Map(await reply.json<[day: string, fingerprint: string]>());
    return byDay.has(day) ? withNeighbors(day).map((one) => byDay.get(one) ?? "") : [];
  };
  const fingerprints = await readFingerprints();
  if (fingerprints.length === 0) return false;
  const write = async () => {
    await run(INSERT_BUILD, { fingerprints, state: BUILD_STATES.started });
    const parts = Math.ceil(events / EVENTS_PER_STATEMENT);
    for (let part = 0; part < parts; part++) {
      if (stopping.aborted) return false;
      await run(INSERT_SESSIONS, { parts, part });
      await run(INSERT_EVENTS, { parts, part });
    }
    await run(INSERT_LONG_SESSIONS);
    const isSame = (await readFingerprints()).join() === fingerprints.join();
    if (!isSame || (await hasRunningMutations(client, cutOff))) return false;
    await run(INSERT_BUILD, { fingerprints, state: BUILD_STATES.done });
    return true;
  };
  const drop = () => dropBuilds(client, sourceId, [values]);
  const isDone = await write().catch(async (error: unknown) => {
    // an erasure waits for a build that is recorded as started
    await drop().catch(() => undefined);
    throw error;
  });
  if (!isDone) await drop();
  return isDone;
}
