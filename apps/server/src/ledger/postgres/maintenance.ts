/**
 * Maintenance of key generations, sessions and nodes, in steps. One node does a step at a time. A step that cannot get its lock in
 * time is left to the next minute.
 */
import { LIMITS } from "@headwater/contract/limits";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { FULL_KEYS, GENERATION_MS, MAX_FILTERED_KEYS, WINDOW_MS } from "../key-generations.ts";
import { KEY_SLOTS } from "./commit-ddl.ts";
import { LOCKS, type Queryable } from "./connections.ts";
import { tryInTransaction } from "./transaction.ts";

const SLICE_SESSIONS = 2_000;
const MAX_SESSION_SLICES = 20;
const SLICE_CHANGES = 10_000;
/** More than the nodes report to each other in a minute. */
const MAX_CHANGE_SLICES = 500;
/** The row of a node that was not seen for this long is deleted. */
const DEAD_NODE_MS = 60 * SERVER_LIMITS.nodeTimeoutMs;
/** While maintenance waits for an exclusive lock, all commits wait behind it, so the wait is short. */
const LOCK_TIMEOUT_MS = 1_000;
/** A dump locks the tables for as long as it reads. `truncate` then gives up, and maintenance tries again a minute later. */
const RETIRE_LOCK_TIMEOUT_MS = 100;

const EXPIRE_SESSIONS = `with expired as (
    delete from sessions where (source_id, session_id) in
      (select source_id, session_id from sessions where started_at < $1 and last_activity_at < $1
       order by started_at limit ${SLICE_SESSIONS})
    and last_activity_at < $1 returning 1
  ) select count(*) = ${SLICE_SESSIONS} as done from expired`;

/** A node whose row is gone trusts nothing that it has cached. */
const FORGET_NODES = `with dead as (
    delete from nodes where seen_at < clock_timestamp() - $1 * interval '1 ms'
  ) select true as done`;

/** Changes stay for longer than the row of a node that does not read them, so that no other node misses one. */
const FORGET_CHANGES = `with told as (
    delete from changes where ctid = any(array(
      select ctid from changes where made_at < clock_timestamp() - 2 * $1 * interval '1 ms'
      order by made_at limit ${SLICE_CHANGES}))
    returning 1
  ) select count(*) = ${SLICE_CHANGES} as done from told`;

const LOCK = "select pg_advisory_xact_lock($1, $2)";

/** Creates the first generation of an empty ledger. */
export async function createFirstGeneration(connection: Queryable): Promise<void> {
  await connection.query(
    "insert into key_generations select 1, ledger_now(), 1 where not exists (select from key_generations) on conflict do nothing",
  );
}

interface MaintenanceStep {
  /** Returns one boolean `done`. */
  text: string;
  values: unknown[];
  lockTimeoutMs?: number;
  /** How often it is repeated while it says that there is more to do. */
  times?: number;
}

async function runStep(pool: pg.Pool, step: MaintenanceStep): Promise<void> {
  const { text, values, lockTimeoutMs = LOCK_TIMEOUT_MS, times = 1 } = step;
  for (let time = 0; time < times; time++) {
    const hasMore = await tryInTransaction(pool, lockTimeoutMs, async (client) => {
      await client.query(LOCK, [...LOCKS.upkeep]);
      return (await client.query<{ done: boolean }>(text, values)).rows[0]?.done;
    });
    if (!hasMore) return;
  }
}

/** @param now by the clock for deletions */
export async function maintainDatabase(pool: pg.Pool, now: number): Promise<void> {
  await runStep(pool, {
    text: "select retire_keys($1, $2) as done",
    values: [now, WINDOW_MS],
    lockTimeoutMs: RETIRE_LOCK_TIMEOUT_MS,
    times: KEY_SLOTS,
  });
  await runStep(pool, {
    text: "select turn_keys($1, $2, $3, $4) as done",
    values: [now, GENERATION_MS, FULL_KEYS, MAX_FILTERED_KEYS],
  });
  await runStep(pool, { text: FORGET_NODES, values: [DEAD_NODE_MS] });
  const before = now - LIMITS.sessionRetentionSeconds * 1_000;
  // it may wait for a commit, since nobody waits behind it
  const expire = { text: EXPIRE_SESSIONS, values: [before], lockTimeoutMs: 0 };
  await runStep(pool, { ...expire, times: MAX_SESSION_SLICES });
  await runStep(pool, { text: FORGET_CHANGES, values: [DEAD_NODE_MS], times: MAX_CHANGE_SLICES });
}
