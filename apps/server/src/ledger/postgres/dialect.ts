/** Kysely on the ledger's pool. A connection on which a query failed is closed instead of reused. */
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
    // the other overload takes a cursor, for streams, which the catalog does not use
    query: query as unknown as PostgresPoolClient["query"],
    release: () => client.release(failed),
  };
}

/** `db.destroy()` ends the pool. */
export const postgresDialect = (pool: pg.Pool): Dialect =>
  new PostgresDialect({
    pool: { options: pool.options, connect: () => connect(pool), end: () => pool.end() },
  });
