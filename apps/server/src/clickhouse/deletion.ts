/**
 * Deletes rows of `events` for good, with mutations. ClickHouse runs a mutation in the background and resumes it after a
 * restart. Each deletion has a name inside the mutation's condition, so that it is started only once.
 */
import type { DayCount } from "../ledger/warehouse-report.ts";
import type { WarehouseClient } from "./client.ts";
import { type ClusterTarget, onCluster, onEveryNode, storedName } from "./cluster.ts";

export interface Deletion {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** Which rows to delete, in SQL. ClickHouse stores and shows this text, so it must not contain personal data. */
  condition: string;
}

const MARK = "deletion:";
const NEVER_ABORTED = new AbortController().signal;
/** Half of what a server accepts as one statement by default. */
const MAX_CONDITIONS_LENGTH = 131_072;

/** On a cluster a deletion is known when every shard has it, and done when every replica has done it. */
function mutationsQuery(target: ClusterTarget): string {
  const { database, cluster } = target;
  const [shard, shardCount] =
    cluster === null
      ? ["1", "1"]
      : ["_shard_num", `(SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = '${cluster}')`];
  return `SELECT name, min(isDone) AS isDone, max(failure) AS failure FROM (
    SELECT arrayJoin(extractAll(command, '${MARK}([A-Za-z0-9_-]+)')) AS name, is_done AS isDone,
      latest_fail_reason AS failure, ${shard} AS shard
    FROM ${onEveryNode(target, "system.mutations")}
    WHERE database = '${database}' AND table = '${storedName(target, "events")}' AND NOT is_killed
  ) GROUP BY name HAVING uniqExact(shard) = ${shardCount}`;
}

interface MutationRow {
  name: string;
  isDone: number | boolean;
  failure: string;
}

/**
 * The deletions that ClickHouse knows, by name: true when every row is gone. It remembers the latest hundred that are done.
 * @throws Error when a deletion fails; ClickHouse keeps retrying it
 */
async function readDeletions(client: WarehouseClient, signal: AbortSignal): Promise<Map<string, boolean>> {
  const answer = await client.query({
    query: mutationsQuery(client),
    format: "JSONEachRow",
    abort_signal: signal,
  });
  const rows = await answer.json<MutationRow>();
  const failing = rows.find(({ isDone, failure }) => Number(isDone) === 0 && failure !== "");
  if (failing) throw new Error(`ClickHouse cannot delete events: ${failing.failure}`);
  return new Map(rows.map(({ name, isDone }) => [name, Number(isDone) === 1]));
}

/** As few statements as possible: each one rewrites the affected parts. */
function deletionStatements(target: ClusterTarget, deletions: readonly Deletion[]): string[] {
  const groups: string[][] = [];
  let group: string[] = [];
  let length = 0;
  for (const { name, condition } of deletions) {
    const marked = `((${condition}) AND '${MARK}${name}' != '')`;
    if (group.length === 0 || length + marked.length > MAX_CONDITIONS_LENGTH) {
      group = [];
      length = 0;
      groups.push(group);
    }
    group.push(marked);
    length += marked.length;
  }
  const table = `${target.database}.${storedName(target, "events")}${onCluster(target)}`;
  return groups.map((conditions) => `ALTER TABLE ${table} DELETE WHERE ${conditions.join(" OR ")}`);
}

/**
 * Starts the deletions that were not started before. Call it again until it returns all names.
 * @returns the names of the deletions that are done: every row that was there at their start is gone
 */
export async function deleteEvents(
  client: WarehouseClient,
  deletions: readonly Deletion[],
  signal: AbortSignal = NEVER_ABORTED,
): Promise<Set<string>> {
  const known = await readDeletions(client, signal);
  const unknown = deletions.filter(({ name }) => !known.has(name));
  for (const query of deletionStatements(client, unknown)) {
    await client.command({
      query,
      // a mutation may take longer than a request, so the statement does not wait for it
      clickhouse_settings: { mutations_sync: "0", fsync_metadata: 1 },
      abort_signal: signal,
    });
  }
  return new Set(deletions.filter(({ name }) => known.get(name)).map(({ name }) => name));
}

/**
 * The months that have events, as partition names. `countDeletions` queries one month at a time, so that no query exceeds
 * the request timeout.
 */
async function listMonths(client: WarehouseClient, signal: AbortSignal): Promise<number[]> {
  const answer = await client.query({
    query: `SELECT DISTINCT toUInt32(partition) AS month FROM ${onEveryNode(client, "system.parts")}
      WHERE active AND database = '${client.database}' AND table = '${storedName(client, "events")}'`,
    format: "JSONEachRow",
    abort_signal: signal,
  });
  return (await answer.json<{ month: number }>()).map(({ month }) => month);
}

/**
 * Counts the events that the deletions are going to delete, by source and day. On a cluster the replica with the most rows
 * counts for its shard, because others may lag behind.
 */
export async function countDeletions(
  client: WarehouseClient,
  deletions: readonly Deletion[],
  signal: AbortSignal,
): Promise<DayCount[]> {
  const [shard, replica] = client.cluster === null ? ["1", "1"] : ["_shard_num", "hostName()"];
  const stored = onEveryNode(client, `${client.database}.${storedName(client, "events")}`);
  const conditions = deletions.map(({ condition }) => `(${condition})`).join(" OR ");
  const query = `SELECT sourceId, toUInt16(day) AS day, toUInt32(sum(found)) AS events FROM (
      SELECT sourceId, day, shard, max(found) AS found FROM (
        SELECT sourceId, toDate(occurredAt) AS day, ${shard} AS shard, ${replica} AS replica, count() AS found
        FROM ${stored} WHERE toYYYYMM(occurredAt) = {month:UInt32} AND (${conditions})
        GROUP BY sourceId, day, shard, replica
      ) GROUP BY sourceId, day, shard
    ) GROUP BY sourceId, day`;
  const counts: DayCount[] = [];
  for (const month of await listMonths(client, signal)) {
    const answer = await client.query({
      query,
      query_params: { month },
      format: "JSONEachRow",
      abort_signal: signal,
    });
    counts.push(...(await answer.json<DayCount>()));
  }
  return counts;
}

/** Whether a deletion whose name starts with `prefix` is running. */
export async function isDeleting(client: WarehouseClient, prefix: string): Promise<boolean> {
  const deletions = await readDeletions(client, NEVER_ABORTED);
  return [...deletions].some(([name, isDone]) => !isDone && name.startsWith(prefix));
}

/**
 * One of our ids as an SQL literal.
 * @throws Error when the text is not an id, so that no other text gets into a statement
 */
export function literal(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(id)) throw new Error("This is not an id of Headwater.");
  return `'${id}'`;
}
