import type { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../core/operator-error.ts";
import { AUDIT_INDEX, auditDdl, CATALOG_CHANGES, CATALOG_DDL } from "../catalog/schema.ts";
import { inTransaction } from "./transaction.ts";

/** The schema, one entry a version. Entries are never changed: a change of the schema is a new entry at the end. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    ...CATALOG_DDL,
    auditDdl("integer primary key autoincrement"),
    AUDIT_INDEX,
    `create table sessions (source_id text not null, session_id text not null, anonymous_id text not null, user_id text,
      started_at integer not null, last_activity_at integer not null, landing text not null,
      primary key (source_id, session_id)) without rowid`,
    `create table outbox (seq integer primary key autoincrement, events integer not null, created_at integer not null,
      payload blob not null)`,
    `create table outbox_totals (one integer primary key check (one = 1), events integer not null, bytes integer not null)`,
    `insert into outbox_totals values (1, 0, 0)`,
    `create table key_generations (generation integer primary key, opened_at integer not null, retired integer not null)`,
    `create table recent_keys (seq integer primary key autoincrement, keys blob not null)`,
    `create table heartbeat (one integer primary key check (one = 1), at integer not null)`,
  ],
  CATALOG_CHANGES[0],
  CATALOG_CHANGES[1],
  [
    `create table move_mark (one integer primary key check (one = 1), move_id text not null, begun_at integer not null,
      finished_at integer)`,
  ],
  [
    // a page has the outbox rows from first_seq to last_seq; there is one writer, so no row is added between them later
    `create table outbox_pages (page_id text primary key, first_seq integer not null, last_seq integer not null,
      events integer not null, created_at integer not null, tries integer not null, claimed_until integer not null) without rowid`,
  ],
  CATALOG_CHANGES[2],
  CATALOG_CHANGES[3],
  CATALOG_CHANGES[4],
  CATALOG_CHANGES[5],
  // Further changes of the catalog need no line here. A migration of this engine alone must not move them: end this slice
  // before it, and start another slice after it.
  ...CATALOG_CHANGES.slice(6, 7),
  // a move marks the folder instead
  ["drop table move_mark"],
  ...CATALOG_CHANGES.slice(7),
];

/**
 * Brings the ledger to the newest schema; does nothing when it has it.
 * @param to for tests: an older schema
 * @throws OperatorError when a newer version of Headwater has migrated the ledger
 */
export function migrate(database: DatabaseSync, to = MIGRATIONS.length): { from: number; to: number } {
  return inTransaction(database, () => {
    const from = Number(database.prepare("pragma user_version").get()?.user_version);
    if (from > to) {
      throw new OperatorError(
        `The ledger has schema ${from}, this program knows ${to}: it was written by a newer Headwater. Start that version.`,
      );
    }
    for (const statements of MIGRATIONS.slice(from, to)) for (const sql of statements) database.exec(sql);
    // without a write a ledger on a full disk can still be opened and read
    if (from < to) database.exec(`pragma user_version = ${to}`);
    return { from, to };
  });
}
