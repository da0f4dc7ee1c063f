/** Which failures are the storage's: SQLite's, and what the operating system says of files. */
import { StorageError } from "../ledger.ts";

/** SQLite's result codes (sqlite.org/rescode.html): 13 is SQLITE_FULL. */
const SQLITE_FULL = 13;
const NO_SPACE = ["ENOSPC", "EDQUOT"];

/** As a StorageError when the storage failed; anything else, which is a bug, as it is. */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall } = error as Error & { code?: string; errcode?: number; syscall?: string };
  if (code === "ERR_SQLITE_ERROR")
    return new StorageError(error.message, ((errcode ?? 0) & 0xff) === SQLITE_FULL, error);
  if (code !== undefined && syscall !== undefined)
    return new StorageError(error.message, NO_SPACE.includes(code), error);
  return error;
}
