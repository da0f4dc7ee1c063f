/**
 * Finds problems inside a warehouse that answers: merges that fail, mutations that make no progress, partitions with
 * nearly too many parts, and detached parts. All of it is in tables of `system` that the embedded engine has, too.
 */
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { WarehouseClient } from "./client.ts";
import { onEveryNode } from "./cluster.ts";
import { readRows } from "./parts.ts";

/** A merge that was tried and has failed, and that nothing has done since. */
export interface FailedMerge {
  /** The server on which it failed. */
  readonly host: string;
  readonly table: string;
  /** The part that it was to write. */
  readonly planned: PlannedPart;
  /** The name of an error of ClickHouse, such as `MEMORY_LIMIT_EXCEEDED`. */
  readonly error: string;
  /** Milliseconds since the epoch. */
  readonly failedAt: number;
}

interface PlannedPart {
  readonly partition: string;
  /** The numbers of its first and its last block. */
  readonly min: number;
  readonly max: number;
  readonly level: number;
}

export interface UnfinishedMutation {
  readonly host: string;
  readonly table: string;
  readonly id: string;
  /** Parts that it has not rewritten yet. */
  readonly partsToDo: number;
  /** Whether its last try has failed. */
  readonly hasFailed: boolean;
  /** The name of the error of that try, if it is known. */
  readonly error: string;
  readonly isRunning: boolean;
}

/** The partition of a table that has the most parts. */
export interface FullestPartition {
  readonly table: string;
  readonly partition: string;
  readonly parts: number;
  /** ClickHouse delays or refuses inserts into a partition with more parts. */
  readonly maxParts: number;
}

interface DetachedParts {
  readonly table: string;
  readonly parts: number;
}

/** The findings of one check of the warehouse. */
export interface WarehouseFindings {
  readonly failedMerges: readonly FailedMerge[];
  readonly mutations: readonly UnfinishedMutation[];
  readonly fullest: readonly FullestPartition[];
  readonly detached: readonly DetachedParts[];
}

/** ClickHouse repeats a merge that has failed within ten minutes. One that is not repeated has become needless. */
const MERGE_RETRY_MS = 15 * MINUTE_MS;

/** `202611_1_6_1`, with the number of a mutation at its end or without. */
const PART_NAME = /^(.+?)_(\d+)_(\d+)_(\d+)(?:_\d+)?$/;

function readPartName(name: string): PlannedPart | null {
  const [, partition, min, max, level] = PART_NAME.exec(name) ?? [];
  if (partition === undefined) return null;
  return { partition, min: Number(min), max: Number(max), level: Number(level) };
}

interface ErrorRow {
  readonly host: string;
  readonly name: string;
  readonly secondsAgo: number;
  /** For a background task `<uuid of the table>::<name of the part>`. The oldest servers have none. */
  readonly query_id?: string;
}

/** The errors of merges and mutations of the warehouse. ClickHouse keeps the last error of each kind. */
async function readTaskErrors(
  client: WarehouseClient,
  now: number,
  signal: AbortSignal,
): Promise<FailedMerge[]> {
  const errors = await readRows<ErrorRow>(
    client,
    `SELECT hostName() AS host, dateDiff('second', last_error_time, now()) AS secondsAgo,
        * EXCEPT (last_error_trace, last_error_message, last_error_time)
      FROM ${onEveryNode(client, "system.errors")}`,
    signal,
  );
  const tasks = errors.flatMap(({ query_id = "", host, name, secondsAgo }) => {
    const [uuid = "", part = ""] = query_id.split("::");
    const planned = readPartName(part);
    return planned ? [{ host, error: name, failedAt: now - secondsAgo * SECOND_MS, uuid, planned }] : [];
  });
  if (tasks.length === 0) return [];
  const tables = await readRows<{ host: string; uuid: string; table: string }>(
    client,
    `SELECT hostName() AS host, toString(uuid) AS uuid, name AS table FROM ${onEveryNode(client, "system.tables")}
      WHERE database = '${client.database}'`,
    signal,
  );
  return tasks.flatMap(({ uuid, ...task }) => {
    const found = tables.find((table) => table.host === task.host && table.uuid === uuid);
    return found ? [{ ...task, table: found.table }] : [];
  });
}

/** The newest failure of each partition. */
function newestOf(failures: readonly FailedMerge[]): FailedMerge[] {
  const key = ({ host, table, planned }: FailedMerge) => `${host} ${table} ${planned.partition}`;
  const newestFirst = failures.toSorted((a, b) => b.failedAt - a.failedAt);
  return [...Map.groupBy(newestFirst, key).values()].flatMap(([newest]) => newest ?? []);
}

interface PartRow extends PlannedPart {
  readonly host: string;
  readonly table: string;
}

/**
 * A merge still fails unless its parts are gone, or a part holds all that it was to hold. The latter is also so for a mutation, which
 * is listed elsewhere.
 * @param known failures that were found earlier: another error may have taken their place
 */
async function readFailedMerges(
  client: WarehouseClient,
  known: readonly FailedMerge[],
  now: number,
  signal: AbortSignal,
): Promise<FailedMerge[]> {
  const recent = [...known, ...(await readTaskErrors(client, now, signal))].filter(
    ({ failedAt }) => now - failedAt < MERGE_RETRY_MS,
  );
  if (recent.length === 0) return [];
  const parts = await readRows<PartRow>(
    client,
    `SELECT hostName() AS host, table, partition_id AS partition, min_block_number AS min, max_block_number AS max, level
      FROM ${onEveryNode(client, "system.parts")} WHERE active AND database = '${client.database}'`,
    signal,
  );
  return newestOf(recent).filter(({ host, table, planned: { partition, min, max, level } }) => {
    const here = parts.filter(
      (part) => part.host === host && part.table === table && part.partition === partition,
    );
    const isDone = here.some((part) => part.min <= min && part.max >= max && part.level >= level);
    return !isDone && here.filter((part) => part.min >= min && part.max <= max).length > 1;
  });
}

const readMutations = (client: WarehouseClient, signal: AbortSignal): Promise<UnfinishedMutation[]> =>
  readRows(
    client,
    // the statement and the error's message may name a visitor; the error's name is in the last parentheses in capitals
    `SELECT hostName() AS host, table, mutation_id AS id, parts_to_do AS partsToDo,
        toBool(latest_fail_reason != '') AS hasFailed, extract(latest_fail_reason, '(?s).*\\\\(([A-Z][A-Z0-9_]{2,})\\\\)') AS error,
        toBool(table IN (SELECT table FROM ${onEveryNode(client, "system.merges")}
          WHERE is_mutation AND database = '${client.database}')) AS isRunning
      FROM ${onEveryNode(client, "system.mutations")}
      WHERE database = '${client.database}' AND NOT is_done AND NOT is_killed`,
    signal,
  );

const setting = (name: string) =>
  `toUInt64(coalesce(nullIf(extract(engine_full, '${name} = (\\\\d+)'), ''), (SELECT value FROM system.merge_tree_settings WHERE name = '${name}')))`;

const readFullest = (client: WarehouseClient, signal: AbortSignal): Promise<FullestPartition[]> =>
  readRows(
    client,
    `SELECT table, partition, parts, if(delayFrom = 0, throwFrom, least(delayFrom, throwFrom)) AS maxParts
      FROM (SELECT table, partition_id AS partition, count() AS parts
          FROM ${onEveryNode(client, "system.parts")}
          WHERE active AND database = '${client.database}'
          GROUP BY hostName(), table, partition_id) AS filled
        INNER JOIN (SELECT name AS table, ${setting("parts_to_delay_insert")} AS delayFrom,
            ${setting("parts_to_throw_insert")} AS throwFrom
          FROM system.tables WHERE database = '${client.database}' AND engine LIKE '%MergeTree%') AS limits
        USING (table)
      ORDER BY parts / maxParts DESC LIMIT 1 BY table`,
    signal,
  );

const readDetached = (client: WarehouseClient, signal: AbortSignal): Promise<DetachedParts[]> =>
  readRows(
    client,
    `SELECT table, count() AS parts FROM ${onEveryNode(client, "system.detached_parts")}
      WHERE database = '${client.database}' AND (reason = '' OR startsWith(reason, 'broken')) GROUP BY table`,
    signal,
  );

/**
 * Looks once. It takes some milliseconds, because the tables of `system` are small.
 * @param known the failed merges of the look before
 */
export async function readFindings(
  client: WarehouseClient,
  known: readonly FailedMerge[],
  now: number,
  signal: AbortSignal,
): Promise<WarehouseFindings> {
  return {
    failedMerges: await readFailedMerges(client, known, now, signal),
    mutations: await readMutations(client, signal),
    fullest: await readFullest(client, signal),
    detached: await readDetached(client, signal),
  };
}
