/** Distinguishes storage errors from bugs, names the file, and passes both between threads. */
import type { StorageFailure } from "../../core/records.ts";
import { THREAD_ENDED, type ThreadFailure } from "../../core/thread-calls.ts";
import { StorageError } from "../ledger.ts";

/** SQLite's result codes (sqlite.org/rescode.html). */
const FAILURES: Readonly<Record<number, StorageFailure>> = { 11: "damaged", 13: "full", 26: "damaged" };
const NO_SPACE = ["ENOSPC", "EDQUOT"];

/** What to do about a damaged file of DATA_DIR. */
const REPAIRS: Readonly<Record<string, string>> = {
  "ledger.sqlite":
    "When `headwater_outbox_events` no longer falls, stop the service, rename its folder, and run `headwater restore --from` with the last backup. " +
    'The renamed folder may have events that the backup lacks. See "Damaged files" in docs/operate.md',
  "attempts.sqlite": "It holds only the debug history, so move it away",
  "serve.lock": "It holds no data. Delete it while no service runs on this folder",
};

/** @param description SQLite's */
export function describeDamage(file: string, description: string): string {
  const repair = REPAIRS[file];
  return `${file} is damaged (${description})${repair === undefined ? "" : `. ${repair}`}`;
}

function describeSqlite(message: string, kind: StorageFailure, file: string | undefined): string {
  if (file === undefined) return message;
  return kind === "damaged" ? describeDamage(file, message) : `${file}: ${message}`;
}

/**
 * Errors of SQLite and of the file system become a `StorageError`; any other error, which is a bug, stays as it is.
 * @param file the name of the database in DATA_DIR, for the message
 */
export function toStorageError(error: unknown, file?: string): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall }: Error & { code?: string; errcode?: number; syscall?: string } = error;
  if (code === "ERR_SQLITE_ERROR") {
    const kind = FAILURES[(errcode ?? 0) & 0xff] ?? "failed";
    return new StorageError(describeSqlite(error.message, kind, file), kind, error);
  }
  if (code !== undefined && syscall !== undefined)
    return new StorageError(error.message, NO_SPACE.includes(code) ? "full" : "failed", error);
  return error;
}

export const isDamage = (error: unknown): boolean => {
  const failure = toStorageError(error);
  return failure instanceof StorageError && failure.kind === "damaged";
};

/** For `serveThread`. */
export function describeError(thrown: unknown, file: string): ThreadFailure {
  const error = toStorageError(thrown, file);
  if (error instanceof StorageError) return { name: error.name, message: error.message, storage: error.kind };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message };
}

/** For `startThread`. That a thread has ended is a storage error too: without it the ledger cannot store anything. */
export const toLedgerError = ({ name, message, storage }: ThreadFailure): Error =>
  storage !== undefined || name === THREAD_ENDED
    ? new StorageError(message, storage ?? "failed")
    : Object.assign(new Error(message), { name });
