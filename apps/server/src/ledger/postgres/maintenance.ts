/**
 * Maintenance of key generations, sessions and nodes. One node does it at a time. A step that cannot get its lock in time is
 * left to the next minute.
 */
import { LIMITS } from "@headwater/contract/limits";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { FULL_KEYS, GENERATION_MS, WINDOW_MS } from "../generations.ts";
import { MAX_FILTERED_KEYS } from "../key-filter.ts";
import { LOCKS, type Queryable } from "./connections.ts";
import { isLockTimeout } from "./failure.ts";

const SLICE_SESSIONS = 2_000;
const MAX_SESSION_SLICES = 20;
/** The row of a node that was not seen for this long is deleted. A node that comes back writes it again. */
const DEAD_NODE_MS = 60 * SERVER_LIMITS.nodeTimeoutMs;
/** While maintenance waits for an exclusive lock, all commits wait behind it, so the wait is short. */
const LOCK_TIMEOUT_MS = 1_000;
/** A dump locks the tables for as long as it reads. `truncate` then gives up, and maintenance tries again a minute later. */
const RETIRE_LOCK_TIMEOUT_MS = 100;

const EXPIRE_SESSIONS = `delete from sessions where (source_id, session_id) in
    (select source_id, session_id from sessions where started_at < $1 and last_activity_at < $1
     order by started_at limit ${SLICE_SESSIONS})
  and last_activity_at < $1`;

/** Creates the first generation of an empty ledger. */
export async function createFirstGeneration(connection: Queryable): Promise<void> {
  await connection.query(
    "insert into key_generations select 1, ledger_now(), 1 where not exists (select from key_generations) on conflict do nothing",
  );
}

/** Runs a statement that returns one boolean `done`. @returns null when a lock was not free in time */
async function tryStatement(
  client: pg.PoolClient,
  query: { text: string; values: unknown[]; lockTimeoutMs?: number },
): Promise<boolean | null> {
  const { text, values, lockTimeoutMs = LOCK_TIMEOUT_MS } = query;
  await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
  try {
    const { rows } = await client.query<{ done: boolean }>(text, values);
    await client.query("commit");
    return rows[0]?.done ?? false;
  } catch (error) {
    await client.query("rollback");
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

/** Empties every generation that is past the dedup window. Stops at a table that is locked. */
async function retireGenerations(client: pg.PoolClient, now: number): Promise<void> {
  const query = {
    text: "select retire_keys($1, $2) as done",
    values: [now, WINDOW_MS],
    lockTimeoutMs: RETIRE_LOCK_TIMEOUT_MS,
  };
  let hasRetired: boolean | null = true;
  while (hasRetired) hasRetired = await tryStatement(client, query);
}

async function maintain(client: pg.PoolClient, now: number): Promise<void> {
  await retireGenerations(client, now);
  await tryStatement(client, {
    text: "select turn_keys($1, $2, $3, $4) as done",
    values: [now, GENERATION_MS, FULL_KEYS, MAX_FILTERED_KEYS],
  });
  await client.query("delete from nodes where seen_at < clock_timestamp() - $1 * interval '1 ms'", [
    DEAD_NODE_MS,
  ]);
  const before = now - LIMITS.sessionRetentionSeconds * 1_000;
  for (let slice = 0; slice < MAX_SESSION_SLICES; slice++) {
    const { rowCount } = await client.query(EXPIRE_SESSIONS, [before]);
    if ((rowCount ?? 0) < SLICE_SESSIONS) return;
  }
}

/** Runs the maintenance. Does nothing while another node runs it. @param now by the clock for deletions */
export async function maintainDatabase(pool: pg.Pool, now: number): Promise<void> {
  const client = await pool.connect();
  let failed = true;
  try {
    const { rows } = await client.query("select pg_try_advisory_lock($1, $2) as locked", [...LOCKS.upkeep]);
    if (rows[0].locked) {
      await maintain(client, now);
      await client.query("select pg_advisory_unlock($1, $2)", [...LOCKS.upkeep]);
    }
    failed = false;
  } finally {
    // a connection that is closed releases its locks
    client.release(failed);
  }
}
