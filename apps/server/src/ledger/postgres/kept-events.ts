/** Kept events on PostgreSQL. Like the debug history, they do not wait for the disk: a crash loses those of the last second. */
import type pg from "pg";
import { createKeptEvents, type KeptDatabase, type KeptValue } from "../kept-events.ts";
import type { QuarantineLedger } from "../ledger.ts";
import { LOCKS, type Queryable } from "./connections.ts";
import { inTransaction } from "./transaction.ts";

const allOf =
  (connection: Queryable): KeptDatabase["all"] =>
  async <Row extends object>(sql: string, values: readonly KeptValue[]) =>
    (await connection.query<Row & pg.QueryResultRow>(sql.replaceAll("?", "$"), [...values])).rows;

export function keptMethods(pool: pg.Pool, storeBytes: number): QuarantineLedger {
  const database: KeptDatabase = {
    all: allOf(pool),
    transaction: (work) =>
      inTransaction(pool, async (client) => {
        await client.query("set local synchronous_commit = off");
        await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.kept]);
        return work({ ...database, all: allOf(client) });
      }),
  };
  return createKeptEvents(database, storeBytes);
}
