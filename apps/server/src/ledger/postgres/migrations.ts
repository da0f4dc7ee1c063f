/** The schema of the ledger on PostgreSQL, and how a database is brought to it. */
import { setTimeout as pause } from "node:timers/promises";
import { OperatorError } from "../../core/errors.ts";
import { catalogDdl } from "../catalog/schema.ts";
import { keptTables } from "../kept-queries.ts";
import { StorageError } from "../ledger.ts";
import { ATTEMPTS_FUNCTIONS, ATTEMPTS_TABLES } from "./attempts-ddl.ts";
import { COMMIT_FUNCTIONS, COMMIT_TABLES } from "./commit-ddl.ts";
import { LOCKS, openConnection, type Queryable } from "./connections.ts";
import { isDeadlock, isLockTimeout, toStorageError } from "./failure.ts";
import { NODES_DDL } from "./nodes-ddl.ts";
import { SALT_FUNCTIONS, SALTS_DDL } from "./visitor-salts.ts";

const SCHEMA = [
  ...catalogDdl({
    sequence: "bigint generated always as identity primary key",
    sessions: "with (fillfactor = 80)",
    counters: "with (fillfactor = 50)",
  }),
  ...COMMIT_TABLES,
  ...ATTEMPTS_TABLES,
  ...keptTables("bigint generated always as identity primary key", "bytea"),
  ...SALTS_DDL,
  ...NODES_DDL,
];

/**
 * One entry a version. A released entry never changes: a change of the schema is a new entry at the end, and a change of the
 * functions alone an empty one.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [SCHEMA];

/** Functions hold no data, so every migration replaces all of them. */
const FUNCTIONS = [...COMMIT_FUNCTIONS, ...ATTEMPTS_FUNCTIONS, ...SALT_FUNCTIONS];

/** Queries wait behind a migration that waits for a table lock, so it waits briefly and tries again. */
const LOCK_TIMEOUT_MS = 2_000;
const MAX_TRIES = 10;
const PAUSE_MS = 1_000;
const IN_USE =
  "The ledger's schema cannot be upgraded: another session has locked one of its tables, such as a dump or an open " +
  "transaction (see pg_stat_activity). Nothing was changed. Start again when that session has ended.";

/** The ledger was written by a newer version. The message says so. */
export class NewerLedger extends OperatorError {}

/** The version of the ledger's schema; 0: the database has no ledger. */
export async function readSchemaVersion(connection: Queryable): Promise<number> {
  const { rows } = await connection.query("select to_regclass('headwater_schema') is not null as exists");
  if (!rows[0].exists) return 0;
  return Number((await connection.query("select version from headwater_schema")).rows[0].version);
}

function refuseNewer(from: number, to: number): void {
  if (from <= to) return;
  throw new NewerLedger(
    `The ledger has schema ${from}, but this version knows only schema ${to}. It was written by a newer Headwater, ` +
      "or by a checkout from before the first release, which is not read. Start the newer Headwater that wrote it.",
  );
}

/**
 * Brings the ledger to the newest schema in one transaction. Nodes that start together do it one after the other.
 * @param migrations others, for tests; so is `maxTries`
 * @throws NewerLedger when the ledger has a newer schema
 * @throws StorageError when a table stays locked; nothing was changed then
 */
export async function migrate(
  connection: Queryable,
  migrations = MIGRATIONS,
  maxTries = MAX_TRIES,
): Promise<{ from: number; to: number }> {
  const to = migrations.length;
  // most starts find the newest schema, and must not need the right to create tables
  const found = await readSchemaVersion(connection);
  refuseNewer(found, to);
  if (found === to) return { from: to, to };
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(connection, migrations);
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      if (tries === maxTries) throw new StorageError(IN_USE, "failed", error);
      await pause(PAUSE_MS);
    }
  }
}

async function migrateOnce(
  connection: Queryable,
  migrations: typeof MIGRATIONS,
): Promise<{ from: number; to: number }> {
  const to = migrations.length;
  await connection.query("begin");
  try {
    await connection.query("select pg_advisory_xact_lock($1, $2)", LOCKS.migration);
    await connection.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = 0`);
    // commits lock the tables in another order, which could deadlock
    await connection.query("select pg_advisory_xact_lock($1, $2)", LOCKS.keys);
    await connection.query("create table if not exists headwater_schema (version integer not null)");
    const from = Number(
      (await connection.query("select version from headwater_schema")).rows[0]?.version ?? 0,
    );
    refuseNewer(from, to);
    const statements = [...migrations.slice(from).flat(), ...FUNCTIONS];
    for (const sql of from < to ? statements : []) await connection.query(sql);
    await connection.query("delete from headwater_schema");
    await connection.query("insert into headwater_schema values ($1)", [to]);
    await connection.query("commit");
    return { from, to };
  } catch (error) {
    await connection.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** Migrates a database from the command line. Run it with a role that may create tables; the service itself then does not need that right. */
export async function migrateDatabase(url: string): Promise<{ from: number; to: number }> {
  try {
    const client = await openConnection(url);
    try {
      return await migrate(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}
