/** What takes several statements, and happens wholly or not at all. */
import type pg from "pg";
import { LOCKS } from "./connections.ts";

type Work<T> = (client: pg.PoolClient) => Promise<T>;

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
    // a connection that is dropped rolls back
    client.release(failed);
  }
}

/**
 * One at a time, over all nodes: what seals, expires or rewrites rows of the outbox that may be another's to change. Its lock
 * stands for locks of rows, which a statement over several machines cannot have.
 */
export const changingOutbox = <T>(pool: pg.Pool, work: Work<T>): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.outbox]);
    return work(client);
  });
