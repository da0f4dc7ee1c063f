import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../core/errors.ts";
import { makePrivateFile } from "./database.ts";
import { toStorageError } from "./failure.ts";

/** SQLite's result code for a lock that another process holds (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

export const LOCK_FILE = "serve.lock";
/** Longer than a look of `isServed` at the lock, which excludes nobody for longer. */
const LOCK_TIMEOUT_MS = 250;

export class DataDirInUse extends OperatorError {}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;

/**
 * Locks a data directory for one serving process. The operating system holds the lock, through an exclusive SQLite file,
 * so it is released when the process ends, however it ends.
 * @returns releases the lock
 * @throws DataDirInUse when another process holds it
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, LOCK_FILE);
  makePrivateFile(path);
  const file = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    file.exec(
      "pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive; pragma user_version = 1; commit;",
    );
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw toStorageError(error, LOCK_FILE);
    throw new DataDirInUse(
      `Another Headwater process serves DATA_DIR ${dataDir}. Stop it, or set another DATA_DIR for this process. ` +
        "To share one ledger between several nodes, set DATABASE_URL.",
    );
  }
  return () => file.close();
}

/** Whether another process serves the data directory. */
export function isServed(dataDir: string): boolean {
  const path = join(dataDir, LOCK_FILE);
  if (!existsSync(path)) return false;
  const file = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    file.prepare("pragma user_version").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw toStorageError(error, LOCK_FILE);
  } finally {
    file.close();
  }
}
