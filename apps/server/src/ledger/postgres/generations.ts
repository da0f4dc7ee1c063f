/** The upkeep of keys, sessions and nodes. One node does it at a time; what cannot have its lock in time is done the next minute. */

import { LIMITS } from "@headwater/contract/limits";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { FULL_KEYS, GENERATION_MS, WINDOW_MS } from "../generations.ts";
import { MAX_FILTERED_KEYS } from "../key-filter.ts";
import { type Connection, LOCKS } from "./connections.ts";
import { isLockTimeout } from "./failure.ts";

const SESSION_SLICE = 2_000;
const SESSION_SLICES = 20;
/** Nodes that ended without a word. One that comes back says so itself. */
const FORGOTTEN_MS = 60 * SERVER_LIMITS.nodeSilenceMs;
/** Commits wait behind whoever waits for all of them to end, so nobody waits long. */
const LOCK_MS = 1_000;
/** A dump holds the table that is to be emptied for as long as it reads: then it is emptied another time. */
const RETIRE_LOCK_MS = 100;

/** Makes the first generation of an empty ledger. */
export async function openFirstGeneration(connection: Connection): Promise<void> {
  await connection.query(
    "insert into key_generations select 1, ledger_now(), 1 where not exists (select from key_generations) on conflict do nothing",
  );
}

/** Null: somebody else had a lock for too long. */
async function inTurn<T>(
  client: pg.PoolClient,
  text: string,
  values: unknown[],
  lockMs = LOCK_MS,
): Promise<T | null> {
  await client.query(`begin; set local lock_timeout = ${lockMs}`);
  try {
    const { rows } = await client.query(text, values);
    await client.query("commit");
    return rows[0]?.done as T;
  } catch (error) {
    await client.query("rollback");
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

/** False: there is none left that is past its time. */
async function retireAll(client: pg.PoolClient): Promise<boolean | null> {
  const text = "select retire_keys(ledger_now(), $1) as done";
  for (;;) {
    const done = await inTurn<boolean>(client, text, [WINDOW_MS], RETIRE_LOCK_MS);
    if (!done) return done;
  }
}

/** @param now by the database's clock */
async function upkeep(client: pg.PoolClient, now: number): Promise<void> {
  const retired = await retireAll(client);
  const turn = "select turn_keys(ledger_now(), $1, $2, $3) as done";
  await inTurn(client, turn, [GENERATION_MS, FULL_KEYS, MAX_FILTERED_KEYS]);
  if (retired !== null) await retireAll(client);
  await inTurn(client, "select forget_moved_keys(ledger_now() - $1) as done", [WINDOW_MS]);
  await client.query("delete from nodes where seen_at < clock_timestamp() - $1 * interval '1 ms'", [
    FORGOTTEN_MS,
  ]);
  const before = now - LIMITS.sessionRetentionSeconds * 1_000;
  for (let slice = 0; slice < SESSION_SLICES; slice++) {
    const { rowCount } = await client.query(
      `delete from sessions where (source_id, session_id) in
        (select source_id, session_id from sessions where started_at < $1 and last_activity_at < $1
         order by started_at limit ${SESSION_SLICE})
       and last_activity_at < $1`,
      [before],
    );
    if (rowCount! < SESSION_SLICE) return;
  }
}

/** By the database's clock, in milliseconds since the epoch. */
export const databaseNow = async (pool: pg.Pool): Promise<number> =>
  (await pool.query("select ledger_now() as now")).rows[0].now;

/** A node that finds another at it leaves it to that one. */
export async function keepUp(pool: pg.Pool, now: number): Promise<void> {
  const client = await pool.connect();
  let failed = true;
  try {
    const { rows } = await client.query("select pg_try_advisory_lock($1, $2) as mine", [...LOCKS.upkeep]);
    if (rows[0].mine) {
      await upkeep(client, now);
      await client.query("select pg_advisory_unlock($1, $2)", [...LOCKS.upkeep]);
    }
    failed = false;
  } finally {
    // a connection that is dropped lets go of its locks
    client.release(failed);
  }
}
