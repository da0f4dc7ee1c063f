/** Kysely over Node's own SQLite: the interface of better-sqlite3 that Kysely's dialect expects, on `node:sqlite`. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type Dialect, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";

/** Kysely compiles every value to a parameter; the catalog sends text, numbers and null only. */
const bound = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];

/**
 * Every transaction of the catalog writes. A deferred one that reads first and finds at its first write that
 * another process wrote meanwhile fails at once, without waiting; an immediate one waits its turn. And a full disk has
 * ended a transaction already: a rollback that fails in its stead would hide why.
 */
function meant(database: DatabaseSync, sql: string): string {
  if (sql === "begin") return "begin immediate";
  return sql === "rollback" && !database.isTransaction ? "select 1" : sql;
}

function statement(database: DatabaseSync, sql: string): SqliteStatement {
  const prepared = database.prepare(meant(database, sql));
  return {
    // a statement that names columns answers with rows, `insert … returning` included
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...bound(parameters)),
    run: (parameters) => prepared.run(...bound(parameters)),
    iterate: (parameters) => prepared.iterate(...bound(parameters)),
  };
}

/**
 * The connection stays the caller's: `db.destroy()` closes it, and whoever shares it must not call that.
 * Kysely does not queue transactions on a single connection, so verbs have to be run one after the other.
 */
export function sqliteDialect(database: DatabaseSync): Dialect {
  const adapted: SqliteDatabase = {
    prepare: (sql) => statement(database, sql),
    close: () => database.close(),
  };
  return new SqliteDialect({ database: adapted });
}
