import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "./database.ts";

const SQLITE_BUSY = 5;

export class DataDirInUse extends Error {}

/**
 * Holds a data directory for one serving process. The lock is the operating system's, taken through an
 * exclusive SQLite file, so that it ends with the process, however that ends.
 * @returns a function that lets go
 */
export function lockDataDir(dataDir: string): () => void {
  makeFolder(dataDir);
  const file = new DatabaseSync(join(dataDir, "serve.lock"), { timeout: 0 });
  try {
    file.exec(
      "pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive; pragma user_version = 1; commit;",
    );
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DataDirInUse(
      `Another Headwater process serves DATA_DIR ${dataDir}. Stop it first, or give this one a DATA_DIR of its own; ` +
        "several nodes share a ledger with DATABASE_URL.",
    );
  }
  return () => file.close();
}
