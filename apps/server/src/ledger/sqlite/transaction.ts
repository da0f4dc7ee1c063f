import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in one transaction that may write from its start. It is rolled back when `work` throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    // a full disk has ended the transaction already
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}
