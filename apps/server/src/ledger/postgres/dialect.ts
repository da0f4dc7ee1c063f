/** Kysely over the ledger's own pool. A connection on which anything failed is not to be trusted: it is not used again. */
import { type Dialect, PostgresDialect, type PostgresPoolClient } from "kysely";
import type pg from "pg";

async function connect(pool: pg.Pool): Promise<PostgresPoolClient> {
  const client = await pool.connect();
  let failed = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  return {
    // cursors are for streams, which the catalog has none of
    query: query as unknown as PostgresPoolClient["query"],
    release: () => client.release(failed),
  };
}

/** `db.destroy()` ends the pool. */
export const postgresDialect = (pool: pg.Pool): Dialect =>
  new PostgresDialect({
    pool: { options: pool.options, connect: () => connect(pool), end: () => pool.end() },
  });
