/**
 * Which days of a source have settled: whose `visits` and `hits` follow from the events that are there now. Nobody has to
 * say that something changed: what the events come to is compared with what they came to (docs/decisions/0018).
 */
import type { WarehouseClient } from "../../clickhouse/client.ts";
import { onCluster, onEveryNode, storedName } from "../../clickhouse/cluster.ts";
import { literal } from "../../clickhouse/deletion.ts";
import { KNOWN, SETTLING } from "../../clickhouse/schema/rollups.ts";

/**
 * A row for each day with events: `sourceId`, `day`, how many `events`, and `frame`: what those of the day before, the day and
 * the day after come to.
 * @param events a condition on `events` under which the neighbours of a day are too
 */
export const framesOf = (events: string): string => `
  SELECT sourceId, addDays(of, -offset) AS day,
    [anyIf(state, offset = -1), anyIf(state, offset = 0), anyIf(state, offset = 1)] AS frame,
    anyIf(counted, offset = 0) AS events
  FROM (
    SELECT sourceId, toDate(occurredAt) AS of, ${KNOWN} AS state, count() AS counted
    FROM events WHERE ${events} GROUP BY sourceId, toDate(occurredAt)
  ) ARRAY JOIN [-1, 0, 1] AS offset
  GROUP BY sourceId, day HAVING events > 0`;

/**
 * The same with the newest `version` of what the day has settled to (0: none), `through` when, what was `known` of it then, and
 * whether its visits are of all of its events (`areVisits`: then nothing has changed on the days beside it either).
 * @param events of the columns `sourceId` and `toDate(occurredAt)` alone: then it costs no look at events
 */
export const daysOf = (events: string): string => `
  SELECT sourceId, day, events, version, through, known, known = frame AS areVisits FROM (${framesOf(events)}) AS present
  LEFT JOIN (
    SELECT sourceId, day, max(one.version) AS version, argMax(one.known, one.version) AS known,
      argMax(one.through, one.version) AS through
    FROM settledDays AS one FINAL WHERE isDone = ${SETTLING.done} GROUP BY sourceId, day
  ) AS settled USING (sourceId, day)`;

/** Are rows of events being deleted, or written anew? Then what they come to is about to change. */
export async function areEventsChanging(client: WarehouseClient): Promise<boolean> {
  const query = `SELECT count() AS underWay FROM ${onEveryNode(client, "system.mutations")}
    WHERE database = currentDatabase() AND startsWith(table, 'events') AND NOT is_done AND NOT is_killed`;
  const [row] = await (await client.query({ query, format: "JSONEachRow" })).json<{
    underWay: string | number;
  }>();
  return Number(row?.underWay) > 0;
}

/** Versions that one statement names. */
const AT_ONCE = 500;

/** What one settling of a day wrote, or is writing. */
export interface Version {
  sourceId: string;
  /** UTC, as `2026-11-21`. */
  day: string;
  /** Milliseconds since the epoch, times a thousand, and some number. */
  version: string | number;
}

/**
 * Gone for good when it resolves. The record of them says so before the first row goes, for questions that read them
 * just now, and goes last itself, so that what was cut off is found again.
 */
export async function dropVersions(client: WarehouseClient, versions: readonly Version[]): Promise<void> {
  const own = ({ sourceId, day, version }: Version) => `${literal(sourceId)}, '${day}', ${version}`;
  const going = versions.map((one) => `(${own(one)}, ${SETTLING.going})`);
  await client.command({
    query: `INSERT INTO settledDays (sourceId, day, version, isDone) VALUES ${going}`,
  });
  const named = versions.map((one) => `(${own(one)})`);
  for (const table of [storedName(client, "visits"), storedName(client, "hits"), "settledDays"]) {
    await client.command({
      query: `ALTER TABLE ${table}${onCluster(client)} DELETE WHERE (sourceId, day, version) IN (${named})`,
      clickhouse_settings: { mutations_sync: "2" },
    });
  }
}

/**
 * Drops what no question reads, and what was begun to be dropped.
 * @param sources a condition on `sourceId`
 * @param condition of the stored `version`, whether it `isDone`, the `current` one of its day (0: there is none), and
 *   whether that holds (`areVisits`)
 * @returns how many versions of days there were
 */
export async function forgetSettled(
  client: WarehouseClient,
  { sources, condition }: { sources: string; condition: string },
): Promise<number> {
  const query = `SELECT sourceId, toString(day) AS onDay, toString(version) AS ofVersion
    FROM (SELECT sourceId, day, version, isDone FROM settledDays FINAL WHERE ${sources}) AS kept
    LEFT JOIN (SELECT sourceId, day, version AS current, areVisits FROM (${daysOf(sources)})) AS of USING (sourceId, day)
    WHERE isDone = ${SETTLING.going} OR (${condition}) LIMIT ${AT_ONCE}`;
  const answer = await client.query({ query, format: "JSONEachRow" });
  const rows = await answer.json<{ sourceId: string; onDay: string; ofVersion: string }>();
  const versions = rows.map(({ sourceId, onDay, ofVersion }) => ({
    sourceId,
    day: onDay,
    version: ofVersion,
  }));
  if (versions.length > 0) await dropVersions(client, versions);
  return versions.length;
}

/**
 * Drops what follows from events that are gone, or may: to be called when they are.
 * @returns false: some of it is being written just now; call it again
 */
export async function forgetChanged(client: WarehouseClient, sourceIds: readonly string[]): Promise<boolean> {
  if (sourceIds.length === 0) return true;
  const sources = `sourceId IN (${sourceIds.map(literal)})`;
  // first: what is being written now may be done, of events that are gone, by the time that the rest has been dropped
  const query = `SELECT count() AS underWay FROM settledDays FINAL WHERE ${sources} AND isDone = ${SETTLING.begun}`;
  const [row] = await (await client.query({ query, format: "JSONEachRow" })).json<{
    underWay: string | number;
  }>();
  const condition = "isDone AND NOT (areVisits AND version = current)";
  while ((await forgetSettled(client, { sources, condition })) > 0);
  return Number(row?.underWay) === 0;
}
