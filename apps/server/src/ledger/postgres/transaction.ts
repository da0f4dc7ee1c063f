/** Transactions of several statements on a connection of the pool. */
import type pg from "pg";
import { LOCKS } from "./connections.ts";

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
 * A transaction that seals, expires or rewrites outbox rows. One runs at a time over all nodes.
 */
export const withOutboxLock = <T>(pool: pg.Pool, work: Work<T>): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.outbox]);
    return work(client);
  });
