/** Distinguishes storage errors from bugs, names the file, and passes both between threads. */
import { HEADWATER } from "../../core/command-name.ts";
import type { StorageFailure } from "../../core/errors.ts";
import { needsOperator, OperatorError } from "../../core/errors.ts";
import { THREAD_ENDED, type ThreadFailure } from "../../core/thread-calls.ts";
import { StorageError } from "../ledger.ts";

/** SQLite's result codes (sqlite.org/rescode.html). */
const FAILURES: Readonly<Record<number, StorageFailure>> = { 11: "damaged", 13: "full", 26: "damaged" };
/** The `-shm` file could not grow: a new connection on a full disk gets this instead of 13. */
const IOERR_SHMSIZE = 4874;
const NO_SPACE = ["ENOSPC", "EDQUOT"];
/** Files that this user may not use: SQLite's perm, readonly, cantopen; codes of the file system. */
const FORBIDDEN_RESULTS = [3, 8, 14];
const FORBIDDEN_CODES: readonly unknown[] = [
  "EACCES",
  "EPERM",
  "EROFS",
  "EEXIST",
  "EISDIR",
  "ENOTDIR",
  "ENOENT",
];

/** The repair of each damaged file of DATA_DIR. */
const REPAIRS: Readonly<Record<string, string>> = {
  "ledger.sqlite":
    `When \`headwater_outbox_events\` no longer falls, stop the service, rename its folder, and run \`${HEADWATER} restore --from\` with the last backup. ` +
    "The renamed folder may have events that the backup lacks. See docs/operate/runbook/HeadwaterStorageFailing.md",
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
  // what failed first: an erasure's clean-up fails on a full disk too
  if (error instanceof SuppressedError) return toStorageError(error.suppressed, file);
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const { code, errcode, syscall }: Error & { code?: string; errcode?: number; syscall?: string } = error;
  if (code === "ERR_SQLITE_ERROR") {
    const result = (errcode ?? 0) & 0xff;
    const kind = errcode === IOERR_SHMSIZE ? "full" : (FAILURES[result] ?? "failed");
    const needsOperator = kind === "damaged" || FORBIDDEN_RESULTS.includes(result);
    return new StorageError(describeSqlite(error.message, kind, file), kind, error, needsOperator);
  }
  if (code !== undefined && syscall !== undefined)
    return new StorageError(
      error.message,
      NO_SPACE.includes(code) ? "full" : "failed",
      error,
      FORBIDDEN_CODES.includes(code),
    );
  return error;
}

export const isDamage = (error: unknown): boolean => {
  const failure = toStorageError(error);
  return failure instanceof StorageError && failure.kind === "damaged";
};

/** For `serveThread`. */
export function describeError(thrown: unknown, file: string): ThreadFailure {
  const error = toStorageError(thrown, file);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const failure = { name, message, needsOperator: needsOperator(error) };
  return error instanceof StorageError ? { ...failure, storage: error.kind } : failure;
}

/** For `startThread`. That a thread has ended is a storage error too: without it the ledger cannot store anything. */
export function toLedgerError({ name, message, storage, needsOperator }: ThreadFailure): Error {
  if (storage !== undefined || name === THREAD_ENDED)
    return new StorageError(message, storage ?? "failed", undefined, needsOperator);
  return needsOperator ? new OperatorError(message) : Object.assign(new Error(message), { name });
}
