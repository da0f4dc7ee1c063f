/** Errors: their text, those that only a person can fix, and how a storage fails. */

/** The code of the system, such as `ENOENT`. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * A failure that a restart does not fix; a person must. The message says what to do. The process exits with 78, and a
 * process manager leaves it stopped. Other errors of the storage have `needsOperator` too.
 */
export class OperatorError extends Error {
  readonly needsOperator = true;
}

export const needsOperator = (error: unknown): error is Error =>
  error instanceof Error && "needsOperator" in error && error.needsOperator === true;

/**
 * How the storage failed. `full`: the disk is full. `lost`: the files that are open are no longer the files of DATA_DIR.
 * `damaged`: a file cannot be read as what it was written. `failed`: another reason.
 */
export const STORAGE_FAILURES = ["full", "lost", "damaged", "failed"] as const;
export type StorageFailure = (typeof STORAGE_FAILURES)[number];
