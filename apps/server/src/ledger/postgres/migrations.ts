import { setTimeout as pause } from "node:timers/promises";
import { AUDIT_INDEX, auditDdl, CATALOG_CHANGES, CATALOG_DDL } from "../catalog/schema.ts";
import { StorageError } from "../ledger.ts";
import { ATTEMPTS_FUNCTIONS, ATTEMPTS_TABLES } from "./attempts-ddl.ts";
import { COMMIT_CHANGES, COMMIT_FUNCTIONS, COMMIT_TABLES, MORE_KEY_SLOTS } from "./commit-ddl.ts";
import { type Connection, LOCKS } from "./connections.ts";
import { isDeadlock, isLockTimeout } from "./failure.ts";
import { CHANGES, NODES_DDL } from "./nodes-ddl.ts";
import { OUTBOX_DDL } from "./outbox-ddl.ts";

/** As schema 1 had it: any change of these told every node to forget everything. */
const NOTICED: Readonly<Record<string, string>> = {
  organizations: "insert or delete",
  members: "insert or update or delete",
  tokens: "insert or update of revoked_at, expires_at or delete",
  sources: "insert or update or delete",
  source_keys: "insert or update or delete",
};
const NOTICE_DDL = [
  `create function notice_change() returns trigger language plpgsql as $$
    begin perform pg_notify('${CHANGES}', ''); return null; end $$`,
  ...Object.entries(NOTICED).map(
    ([table, events]) =>
      `create trigger notice_change after ${events} on ${table} for each statement execute function notice_change()`,
  ),
];

/** Forward only: a number once given is never changed, a new one is appended. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    ...CATALOG_DDL,
    ...CATALOG_CHANGES[0]!,
    auditDdl("bigint generated always as identity primary key"),
    AUDIT_INDEX,
    ...NOTICE_DDL,
    ...COMMIT_TABLES,
    ...ATTEMPTS_TABLES,
    `create table nodes (node_id text primary key, seen_at timestamptz not null)`,
  ],
  // what the catalog changes later is a migration of its own on either engine
  CATALOG_CHANGES[1]!,
  NODES_DDL,
  // functions only
  [],
  OUTBOX_DDL,
  // functions only
  [],
  CATALOG_CHANGES[2]!,
  CATALOG_CHANGES[3]!,
  CATALOG_CHANGES[4]!,
  COMMIT_CHANGES,
  CATALOG_CHANGES[5]!,
  // functions only
  [],
  MORE_KEY_SLOTS,
];

/** They hold nothing, so that every migration ends with the newest; one that changes nothing else is empty. */
const FUNCTIONS = [...COMMIT_FUNCTIONS, ...ATTEMPTS_FUNCTIONS];

/** Everybody queues behind who waits for a table, such as while a dump reads it: so nobody waits long, but often. */
const LOCK_MS = 2_000;
const TRIES = 10;
const PAUSE_MS = 1_000;
const IN_USE =
  "The ledger cannot be brought to this version's schema: something else holds one of its tables, such as a dump or " +
  "a transaction that was left open (pg_stat_activity shows it). Nothing was changed. Start again when it has ended.";

export class NewerLedger extends Error {}

/** The schema that the ledger has; 0: none. */
export async function schemaOf(connection: Connection): Promise<number> {
  const { rows } = await connection.query("select to_regclass('headwater_schema') is not null as exists");
  if (!rows[0].exists) return 0;
  return Number((await connection.query("select version from headwater_schema")).rows[0].version);
}

function refuseNewer(from: number, to: number): void {
  if (from <= to) return;
  throw new NewerLedger(
    `The ledger has schema ${from}, this program knows ${to}: it was written by a newer Headwater. Start that version.`,
  );
}

/**
 * Brings the ledger to the newest schema, one node at a time and all or nothing; safe to run again, and refused by
 * an older program. What the catalog changes (`CATALOG_CHANGES`) has its own number among those of PostgreSQL.
 * @param to an older schema, to see what becomes of one
 * @throws StorageError when others hold a table for too long; nothing is changed then
 */
export async function migrate(
  connection: Connection,
  to = MIGRATIONS.length,
): Promise<{ from: number; to: number }> {
  // most starts have nothing to do, and need no right to create anything
  const found = await schemaOf(connection);
  refuseNewer(found, to);
  if (found === to) return { from: to, to };
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(connection, to);
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      if (tries === TRIES) throw new StorageError(IN_USE, false, error);
      await pause(PAUSE_MS);
    }
  }
}

async function migrateOnce(connection: Connection, to: number): Promise<{ from: number; to: number }> {
  await connection.query("begin");
  try {
    await connection.query("select pg_advisory_xact_lock($1, $2)", LOCKS.migration);
    await connection.query(`set local lock_timeout = ${LOCK_MS}`);
    // commits lock the tables in an order of their own
    await connection.query("select pg_advisory_xact_lock($1, $2)", LOCKS.keys);
    // where rows are distributed, tables and functions cannot both change otherwise; elsewhere it means nothing
    await connection.query("set local citus.multi_shard_modify_mode = 'sequential'");
    await connection.query("create table if not exists headwater_schema (version integer not null)");
    const from = await schemaOrNone(connection);
    refuseNewer(from, to);
    const statements = [...MIGRATIONS.slice(from, to).flat(), ...FUNCTIONS];
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

async function schemaOrNone(connection: Connection): Promise<number> {
  const { rows } = await connection.query("select version from headwater_schema");
  return Number(rows[0]?.version ?? 0);
}
