/** The schema of the ledger on SQLite, and how a file is brought to it. */
import type { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../core/errors.ts";
import { catalogDdl } from "../catalog/schema.ts";
import { inTransaction } from "./statements.ts";

const SCHEMA = [
  ...catalogDdl({ sequence: "integer primary key autoincrement", sessions: "without rowid", counters: "" }),
  `create table outbox (seq integer primary key autoincrement, events integer not null, created_at integer not null,
    payload blob not null)`,
  `create table outbox_totals (one integer primary key check (one = 1), events integer not null, bytes integer not null)`,
  `insert into outbox_totals values (1, 0, 0)`,
  // a page has the outbox rows from first_seq to last_seq; there is one writer, so no row is added between them later
  `create table outbox_pages (page_id text primary key, first_seq integer not null, last_seq integer not null,
    events integer not null, created_at integer not null, tries integer not null, claimed_until integer not null) without rowid`,
  `create table key_generations (generation integer primary key, opened_at integer not null, retired integer not null)`,
  `create table recent_keys (seq integer primary key autoincrement, keys blob not null)`,
  `create table heartbeat (one integer primary key check (one = 1), at integer not null)`,
];

/** One entry a version. A released entry never changes: a change of the schema is a new entry at the end. */
export const MIGRATIONS: readonly (readonly string[])[] = [SCHEMA];

/**
 * Brings the ledger to the newest schema; does nothing when it has it.
 * @param migrations others, for tests
 * @throws OperatorError when a newer version of Headwater has migrated the ledger
 */
export function migrate(database: DatabaseSync, migrations = MIGRATIONS): { from: number; to: number } {
  return inTransaction(database, () => {
    const to = migrations.length;
    const from = Number(database.prepare("pragma user_version").get()?.user_version);
    if (from > to) {
      throw new OperatorError(
        `The ledger has schema ${from}, but this program knows only ${to}. It was written by a newer Headwater, ` +
          "or by a checkout from before the first release, which is not read. Start the newer Headwater that wrote it.",
      );
    }
    for (const statements of migrations.slice(from)) for (const sql of statements) database.exec(sql);
    // without a write a ledger on a full disk can still be opened and read
    if (from < to) database.exec(`pragma user_version = ${to}`);
    return { from, to };
  });
}
