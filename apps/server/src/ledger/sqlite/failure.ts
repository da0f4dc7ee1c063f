/** Distinguishes storage errors from bugs, and passes both between threads. */
import { THREAD_ENDED, type ThreadFailure } from "../../core/thread-calls.ts";
import { StorageError } from "../ledger.ts";

/** SQLite's result code for a full disk (sqlite.org/rescode.html). */
const SQLITE_FULL = 13;
const NO_SPACE = ["ENOSPC", "EDQUOT"];

/** Errors of SQLite and of the file system become a `StorageError`; any other error, which is a bug, stays as it is. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall }: Error & { code?: string; errcode?: number; syscall?: string } = error;
  if (code === "ERR_SQLITE_ERROR")
    return new StorageError(error.message, ((errcode ?? 0) & 0xff) === SQLITE_FULL, error);
  if (code !== undefined && syscall !== undefined)
    return new StorageError(error.message, NO_SPACE.includes(code), error);
  return error;
}

/** For `serveThread`. */
export function describeError(thrown: unknown): ThreadFailure {
  const error = toStorageError(thrown);
  if (error instanceof StorageError)
    return { name: error.name, message: error.message, isDiskFull: error.full };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message };
}

/** For `startThread`: without its thread the ledger cannot store anything. */
export const toLedgerError = ({ name, message, isDiskFull }: ThreadFailure): Error =>
  isDiskFull !== undefined || name === THREAD_ENDED
    ? new StorageError(message, isDiskFull === true)
    : Object.assign(new Error(message), { name });
