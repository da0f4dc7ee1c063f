/**
 * Rows of `events` deleted for good. The warehouse does it in the background (a mutation), by parts, and goes on by itself
 * when it was interrupted; a deletion is known there by its name, so that nobody begins it twice.
 */
import type { WarehouseClient } from "./client.ts";
import { onCluster, onEveryNode, type Place, storedName } from "./cluster.ts";

export interface Deletion {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** An expression without values that are not ours: it is kept, and shown, by the warehouse. */
  condition: string;
}

const MARK = "deletion:";
const NEVER = new AbortController().signal;
/** What a server takes as one statement, by default, is twice as much. */
const STATEMENT_LENGTH = 131_072;

/** Of a cluster every shard must know it, and every replica have done it. */
function knownQuery(place: Place): string {
  const { database, cluster } = place;
  const shards =
    cluster === null
      ? ["1", "1"]
      : ["_shard_num", `(SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = '${cluster}')`];
  return `SELECT name, min(isDone) AS isDone, max(failure) AS failure FROM (
    SELECT arrayJoin(extractAll(command, '${MARK}([A-Za-z0-9_-]+)')) AS name, is_done AS isDone,
      latest_fail_reason AS failure, ${shards[0]} AS shard
    FROM ${onEveryNode(place, "system.mutations")}
    WHERE database = '${database}' AND table = '${storedName(place, "events")}' AND NOT is_killed
  ) GROUP BY name HAVING uniqExact(shard) = ${shards[1]}`;
}

interface KnownRow {
  name: string;
  isDone: number | boolean;
  failure: string;
}

/**
 * Those that the warehouse knows: is every row of it gone? Of what is done it remembers the newest hundred.
 * @throws when it cannot do one of them, of which it tries again by itself
 */
async function known(client: WarehouseClient, signal: AbortSignal): Promise<Map<string, boolean>> {
  const answer = await client.query({
    query: knownQuery(client),
    format: "JSONEachRow",
    abort_signal: signal,
  });
  const rows = await answer.json<KnownRow>();
  const failing = rows.find(({ isDone, failure }) => Number(isDone) === 0 && failure !== "");
  if (failing) throw new Error(`the warehouse cannot delete: ${failing.failure}`);
  return new Map(rows.map(({ name, isDone }) => [name, Number(isDone) === 1]));
}

/** As few statements as hold them: parts are written anew once for each. */
function statementsOf(place: Place, deletions: readonly Deletion[]): string[] {
  const statements: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const { name, condition } of deletions) {
    const marked = `((${condition}) AND '${MARK}${name}' != '')`;
    length += marked.length;
    if (length > STATEMENT_LENGTH) {
      statements.push([]);
      length = marked.length;
    }
    statements.at(-1)!.push(marked);
  }
  const table = `${place.database}.${storedName(place, "events")}${onCluster(place)}`;
  return statements.map((conditions) => `ALTER TABLE ${table} DELETE WHERE ${conditions.join(" OR ")}`);
}

async function begin(client: WarehouseClient, deletions: readonly Deletion[], signal: AbortSignal) {
  for (const query of statementsOf(client, deletions)) {
    await client.command({
      query,
      // waited for by asking again: it may take longer than a request
      clickhouse_settings: { mutations_sync: "0", fsync_metadata: 1 },
      abort_signal: signal,
    });
  }
}

/**
 * Begins what was not begun before; call it again until all are done.
 * @returns the names of those of which every row is gone that was there when they were begun
 */
export async function deleteEvents(
  client: WarehouseClient,
  deletions: readonly Deletion[],
  signal: AbortSignal = NEVER,
): Promise<Set<string>> {
  const before = await known(client, signal);
  const fresh = deletions.filter(({ name }) => !before.has(name));
  await begin(client, fresh, signal);
  return new Set(deletions.filter(({ name }) => before.get(name)).map(({ name }) => name));
}

/** Is a deletion at work whose name begins so? */
export async function isDeleting(client: WarehouseClient, prefix: string): Promise<boolean> {
  return [...(await known(client, NEVER))].some(([name, isDone]) => !isDone && name.startsWith(prefix));
}

/** An id of ours as a literal. */
export function literal(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(id)) throw new Error("not an id of ours");
  return `'${id}'`;
}
