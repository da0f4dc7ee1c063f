/**
 * The catalog on SQLite. It runs Kysely on `node:sqlite`, with the interface of better-sqlite3 that Kysely's SQLite dialect expects.
 * No other module of the engine loads Kysely.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from "kysely";
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { createCatalogDb } from "../catalog/database.ts";

/** Kysely makes every value a parameter, and the catalog uses only text, numbers and null. */
const toInputs = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];

/**
 * Every transaction of the catalog writes. A deferred transaction fails at its first write if another process has written
 * since it began; an immediate one waits for its turn. When the disk is full, SQLite has already ended the transaction: a
 * rollback would fail and hide the cause.
 */
function adaptTransaction(database: DatabaseSync, sql: string): string {
  if (sql === "begin") return "begin immediate";
  return sql === "rollback" && !database.isTransaction ? "select 1" : sql;
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const prepared = database.prepare(adaptTransaction(database, sql));
  return {
    // a statement with columns returns rows, even `insert … returning`
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...toInputs(parameters)),
    run: (parameters) => prepared.run(...toInputs(parameters)),
    iterate: (parameters) => prepared.iterate(...toInputs(parameters)),
  };
}

/**
 * Uses the given connection. It still belongs to the caller, so nothing may call `destroy()` of the Kysely instance: it would close
 * it. Kysely does not queue transactions on one connection, so methods must run one after the other. The ledger has one process,
 * so leases follow the caller's clock.
 */
export function openCatalogOn(database: DatabaseSync): Catalog {
  const adapted: SqliteDatabase = {
    prepare: (sql) => prepare(database, sql),
    close: () => database.close(),
  };
  const dialect = new SqliteDialect({ database: adapted });
  return createCatalog(createCatalogDb(dialect), (now) => sql<number>`${now}`);
}
