import type { DatabaseSync } from "node:sqlite";

/** Does it as one transaction, which takes the right to write at its beginning; nothing of it is done when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    // a full disk has ended it already
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}
