/** Builds the rollup of a day: computes its rows from the day's events and writes them. */
import type { ClickHouseSettings } from "@clickhouse/client";
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { BUILD_STATES, FINGERPRINT } from "../../clickhouse/schema/rollups.ts";
import { SESSION_MARGIN_MS } from "../sql/conditions.ts";
import { EVENT_ROW_COLUMNS, groupedEventRowsSql } from "../sql/event-rows.ts";
import { memorySettings, runOn } from "../sql/run-on.ts";
import { divideSessions } from "../sql/session-ranges.ts";
import { SESSION_ROW_COLUMNS, sessionRowsSql } from "../sql/session-rows.ts";
import { type Bind, list } from "../sql/statement.ts";
import { dropBuilds, hasRunningMutations } from "./drop.ts";
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
  /** The memory of one statement. */
  readonly memoryBytes: number;
  /** Default: as many as fit the memory. */
  readonly eventsPerStatement?: number;
}

/**
 * Bytes of memory for each event that a statement reads; it uses less than half of them. With 512 MiB it reads 450,000 events,
 * which takes a processor two seconds. Fewer and larger inserts leave fewer parts to merge.
 */
const MEMORY_PER_EVENT = 1_200;
/** Queries come first: a build uses one thread and little memory. */
const SETTINGS: ClickHouseSettings = {
  max_threads: 1,
  output_format_json_quote_64bit_integers: 0,
  // the column `session` is in no table's primary key, so the index cannot use the set that the subquery returns
  use_index_for_in_with_subqueries: 0,
};

/** Leaves out later events, so that all statements of a build read the same ones. */
const RECEIVED = "receivedAt <= fromUnixTimestamp64Milli({receivedUntil:Int64}, 'UTC')";
const THREE_DAYS = `sourceId = {sourceId:String}
  AND toDate(occurredAt) BETWEEN addDays({day:Date}, -1) AND addDays({day:Date}, 1)`;
const AROUND_DAY = `${THREE_DAYS} AND ${RECEIVED}`;
/** One range of session ids, so that each statement is short. Events are sorted by session, so other ranges are not read. */
const IN_PART = "sessionId >= {first:String} AND ({next:String} = '' OR sessionId < {next:String})";

const columns = [...SESSION_ROW_COLUMNS, ...STATS_SESSION_DIMENSIONS].join(", ");
const sessionsOfDay = `${AROUND_DAY} AND ${IN_PART} AND NOT device.isBot AND session IN (
  SELECT session FROM events WHERE sourceId = {sourceId:String} AND toDate(occurredAt) = {day:Date} AND ${IN_PART})`;
/** Sessions whose first event is on the day. */
const INSERT_SESSIONS = `INSERT INTO sessionRollups (sourceId, day, build, ${columns})
  SELECT {sourceId:String}, {day:Date}, {buildNumber:UInt64}, ${columns}
  FROM (${sessionRowsSql(sessionsOfDay, STATS_SESSION_DIMENSIONS)}) WHERE toDate(firstEventAt) = {day:Date}`;

const eventsOfDay = `sourceId = {sourceId:String} AND ${RECEIVED} AND NOT device.isBot
  AND toDate(occurredAt) = {day:Date} AND ${IN_PART}`;
const INSERT_EVENTS = `INSERT INTO eventRollups (sourceId, day, build, ${list(EVENT_ROW_COLUMNS)})
  SELECT {sourceId:String}, {day:Date}, {buildNumber:UInt64}, * FROM (${groupedEventRowsSql(eventsOfDay)})`;

/**
 * Finds sessions that span more than a day. Their metrics depend on the range of a query, so queries derive them from events.
 * A session is long if its events on these three days span more than a day, or if it also has a row on a day that is not
 * adjacent to this one.
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
/** The same without `receivedUntil`: ClickHouse keeps these fingerprints, so it need not read the ids of three days. */
const SELECT_KEPT_FINGERPRINTS = `SELECT toString(toDate(occurredAt)) AS day, ${FINGERPRINT}
  FROM events WHERE ${THREE_DAYS} GROUP BY sourceId, toDate(occurredAt)`;
const SELECT_RECEIVED = `SELECT toString(toDate(occurredAt)) AS day, concat(toString(countIf(${RECEIVED})), ' ')
  FROM events WHERE ${THREE_DAYS} GROUP BY toDate(occurredAt)`;

/** Reads the rows of a statement with the values of the build. */
type ReadRows = <Row>(query: string) => Promise<Row[]>;

/** @returns the fingerprints of the day before, the day and the day after; empty when the day has no events */
async function readFingerprints(read: ReadRows, day: string): Promise<string[]> {
  const readByDay = async (query: string) => new Map(await read<[day: string, value: string]>(query));
  const kept = await readByDay(SELECT_KEPT_FINGERPRINTS);
  const received = await readByDay(SELECT_RECEIVED);
  // a fingerprint begins with the number of events
  const areAllReceived = [...kept].every(([dayOfThree, fingerprint]) =>
    fingerprint.startsWith(received.get(dayOfThree) ?? "-"),
  );
  const byDay = areAllReceived ? kept : await readByDay(SELECT_FINGERPRINTS);
  return byDay.has(day) ? withNeighbors(day).map((neighbor) => byDay.get(neighbor) ?? "") : [];
}

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
  const {
    events,
    memoryBytes,
    eventsPerStatement = Math.floor(memoryBytes / MEMORY_PER_EVENT),
    ...values
  } = options;
  const { sourceId, day } = values;
  const common = {
    clickhouse_settings: { ...SETTINGS, ...memorySettings(memoryBytes) },
    abort_signal: cutOff,
  };
  const run = (query: string, params: Record<string, unknown> = {}) =>
    client.command({ query, query_params: { ...values, ...params }, ...common });
  const read: ReadRows = async (query) =>
    (await client.query({ query, query_params: values, format: "JSONCompactEachRow", ...common })).json();
  const fingerprintsNow = () => readFingerprints(read, day);
  const ofDay = (bind: Bind) =>
    `sourceId = ${bind("String", sourceId)} AND toDate(occurredAt) = ${bind("Date", day)}`;
  const readParts = () =>
    divideSessions(
      runOn(client, cutOff, common.clickhouse_settings),
      ofDay,
      Math.ceil(events / eventsPerStatement),
    );
  const fingerprints = await fingerprintsNow();
  if (fingerprints.length === 0) return false;
  const write = async () => {
    await run(INSERT_BUILD, { fingerprints, state: BUILD_STATES.started });
    for (const part of await readParts()) {
      if (stopping.aborted) return false;
      await run(INSERT_SESSIONS, { ...part });
      await run(INSERT_EVENTS, { ...part });
    }
    await run(INSERT_LONG_SESSIONS);
    const isSame = (await fingerprintsNow()).join() === fingerprints.join();
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
