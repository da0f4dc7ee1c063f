import { type Dialect, PostgresDialect } from "kysely";
import type pg from "pg";
import { openPool } from "./connections.ts";

/** Kysely over the ledger's own pool; `db.destroy()` ends it. */
export const postgresDialect = (pool: pg.Pool): Dialect => new PostgresDialect({ pool });

/** One connection, for a command of the command line. */
export const openDialect = (url: string): Dialect => postgresDialect(openPool(url, 1));
