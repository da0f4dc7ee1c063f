/** Transactions of several statements on a connection of the pool. */
import type pg from "pg";
import { LOCKS } from "./connections.ts";
import { isLockTimeout } from "./failure.ts";

type Work<T> = (client: pg.PoolClient) => Promise<T>;

/** Commits when the work resolves. When it fails, the connection is closed, which rolls everything back. */
export async function inTransaction<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query("begin");
    const value = await work(client);
    await client.query("commit");
    failed = false;
    return value;
  } finally {
    client.release(failed);
  }
}

/**
 * A transaction whose statements wait for a lock for a limited time only, because others wait behind them.
 * @param lockTimeoutMs 0: no limit
 * @returns null when a lock was not free in time: nothing was changed
 */
export const tryInTransaction = <T>(pool: pg.Pool, lockTimeoutMs: number, work: Work<T>): Promise<T | null> =>
  inTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    return work(client);
  }).catch((error: unknown) => {
    if (isLockTimeout(error)) return null;
    throw error;
  });

/** A transaction that seals, expires or rewrites outbox rows. One runs at a time over all nodes. */
export const withOutboxLock = <T>(pool: pg.Pool, work: Work<T>): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.outbox]);
    return work(client);
  });
