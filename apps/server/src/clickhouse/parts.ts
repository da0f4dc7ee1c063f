/**
 * Parts are ClickHouse's data files. ClickHouse detaches a part at its start when it finds it damaged, but it does not
 * check the content: a damaged block shows only when a query, a merge or a mutation reads it, and fails it each time. So the
 * service reads the parts itself and detaches the damaged ones. A detached part stays on the disk.
 */
import type { WarehouseClient } from "./client.ts";
import { onEveryNode, storedName } from "./cluster.ts";
import { isDamageCode } from "./completeness.ts";
import { literal } from "./deletion.ts";
import { ROLLUP_TABLES } from "./schema/rollups.ts";

export interface DataPart {
  table: string;
  name: string;
  /** The name of its partition. */
  partition: string;
  rows: number;
}

/** `readable`: its rows can be read, but not its projection. */
export type PartState = "sound" | "readable" | "damaged";

const EVENTS = "events";
const MAX_NAMES = 100;
const BROKEN_PROJECTION = "713";
/** Why a part that is whole may not be readable at present. */
const PASSING_CODES = new Set([
  "159", // TIMEOUT_EXCEEDED
  "202", // TOO_MANY_SIMULTANEOUS_QUERIES
  "210", // NETWORK_ERROR
  "232", // NO_SUCH_DATA_PART
  "236", // ABORTED
  "241", // MEMORY_LIMIT_EXCEEDED
  "394", // QUERY_WAS_CANCELLED
]);

/** The rows of an answer, with integers of 64 bits as numbers. */
export async function readRows<Row>(
  client: WarehouseClient,
  query: string,
  signal: AbortSignal,
): Promise<Row[]> {
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const format = "JSONEachRow";
  const answer = await client.query({ query, format, clickhouse_settings: settings, abort_signal: signal });
  return answer.json<Row>();
}

/** The parts of the events and of the rollups. */
export const listParts = (client: WarehouseClient, signal: AbortSignal): Promise<DataPart[]> =>
  readRows<DataPart>(
    client,
    `SELECT table, name, partition_id AS partition, rows FROM system.parts
      WHERE active AND database = '${client.database}' AND table IN (${[EVENTS, ...ROLLUP_TABLES].map(literal)})
      ORDER BY table != '${EVENTS}', modification_time DESC`,
    signal,
  );

/** The names of the parts of a table that are detached because they are damaged. */
export async function listDetached(
  client: WarehouseClient,
  table: string,
  signal: AbortSignal,
): Promise<string[]> {
  const rows = await readRows<{ name: string }>(
    client,
    `SELECT DISTINCT name FROM ${onEveryNode(client, "system.detached_parts")}
      WHERE database = '${client.database}' AND table = '${storedName(client, table)}'
        AND (reason = '' OR startsWith(reason, 'broken')) ORDER BY name LIMIT ${MAX_NAMES}`,
    signal,
  );
  return rows.map(({ name }) => name);
}

/**
 * Whether ClickHouse answered with an error, so that the connection works and only this statement has failed. ClickHouse's
 * errors have a number as code; errors of the connection have a word.
 */
export const isAnswer = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && "code" in error && /^\d+$/.test(`${error.code}`);

/**
 * Reads every column of a part. When the checksum of a block does not match, ClickHouse tries every single bit of the block,
 * which takes minutes for a large block and cannot be interrupted. So this is only done when a check leaves no other way.
 */
const readPart = (client: WarehouseClient, { table, name }: DataPart, signal: AbortSignal) =>
  client.command({
    query: `SELECT * FROM ${table} WHERE _part = ${literal(name)}
      SETTINGS optimize_use_projections = 0, asterisk_include_materialized_columns = 1, max_threads = 1 FORMAT Null`,
    abort_signal: signal,
  });

/** Compares the files of a part with their checksums. @returns the error code of the first damage; null: none */
async function findDamage(client: WarehouseClient, { table, name }: DataPart): Promise<string | null> {
  const query = `CHECK TABLE ${table} PART ${literal(name)} SETTINGS max_threads = 1, check_query_single_value_result = 0`;
  // it is not aborted, because a check ends only when it has read the whole part
  const rows = await readRows<{ is_passed: number; message: string }>(
    client,
    query,
    new AbortController().signal,
  );
  const failed = rows.find(({ is_passed }) => is_passed === 0);
  return failed ? (/^Code: (\d+)\./.exec(failed.message)?.[1] ?? "") : null;
}

/** @throws Error when the part cannot be checked; it may be gone, because parts are merged all the time */
export async function checkPart(
  client: WarehouseClient,
  part: DataPart,
  signal: AbortSignal,
): Promise<PartState> {
  const code = await findDamage(client, part);
  if (code === null) return "sound";
  if (isDamageCode(code) && code !== BROKEN_PROJECTION) return "damaged";
  // the check ends at a broken projection before it has compared the rows
  try {
    await readPart(client, part, signal);
    return "readable";
  } catch (error) {
    // ClickHouse has many codes for damaged data, so every answer counts as damage that does not come from something else
    if (isAnswer(error) && !PASSING_CODES.has(error.code)) return "damaged";
    throw error;
  }
}

/** Detaches the part. Queries, merges and mutations no longer fail on it. */
export async function detachPart(client: WarehouseClient, { table, name }: DataPart): Promise<void> {
  await client.command({ query: `ALTER TABLE ${client.database}.${table} DETACH PART ${literal(name)}` });
}

/** Computes the projection of a partition of the events anew. */
export async function rebuildProjection(client: WarehouseClient, { partition }: DataPart): Promise<void> {
  for (const change of ["CLEAR", "MATERIALIZE"]) {
    await client.command({
      query: `ALTER TABLE ${client.database}.${EVENTS} ${change} PROJECTION days IN PARTITION ID ${literal(partition)}`,
    });
  }
}

/** Empties the rollups, which are then built again. Their detached parts are of no use. */
export async function emptyRollups(client: WarehouseClient, signal: AbortSignal): Promise<void> {
  for (const table of ROLLUP_TABLES) {
    await client.command({ query: `TRUNCATE TABLE IF EXISTS ${client.database}.${table}` });
    for (const name of await listDetached(client, table, signal))
      await client.command({
        query: `ALTER TABLE ${client.database}.${table} DROP DETACHED PART ${literal(name)} SETTINGS allow_drop_detached = 1`,
      });
  }
}
