/** Turns errors of opening the ledger into messages that name the setting. */
import { ConfigError } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { messageOf, needsOperator, systemCode } from "../core/errors.ts";
import { StorageError } from "../ledger/ledger.ts";
import { toStorageError } from "../ledger/sqlite/failure.ts";
import { CommandFailed } from "./errors.ts";

/** Reasons why a folder cannot be created that only a change of DATA_DIR resolves. */
const UNUSABLE_PATH = new Set(["EEXIST", "ENOTDIR", "ENOENT", "EACCES", "EPERM", "EROFS"]);

const MAKE_WRITABLE = "The service's user must be able to read and write its files.";

const memberOf = (error: unknown, name: "syscall" | "path"): unknown =>
  error instanceof Error && name in error ? Reflect.get(error, name) : undefined;

/** @returns the error to throw: an explanation, or the given error if it is not about the folder */
export function explainDataDirError(error: unknown, dataDir: string): unknown {
  const code = systemCode(error);
  if (memberOf(error, "syscall") === "mkdir" && UNUSABLE_PATH.has(code ?? ""))
    return new ConfigError(
      `DATA_DIR ${dataDir} is not a folder and cannot be created (${code}). Set DATA_DIR to a folder that the service's user may write to.`,
    );
  const path = memberOf(error, "path");
  const isOfFolder =
    error instanceof StorageError ||
    code === "ERR_SQLITE_ERROR" ||
    (typeof path === "string" && path.startsWith(dataDir));
  if (!isOfFolder) return error;
  const message = `DATA_DIR ${dataDir} cannot be used: ${messageOf(error)}.`;
  const failure = toStorageError(error);
  if (!needsOperator(failure)) return new CommandFailed(message);
  const isDamaged = failure instanceof StorageError && failure.kind === "damaged";
  return new ConfigError(isDamaged ? message : `${message} ${MAKE_WRITABLE}`);
}

/** Explains errors of the ledger that the settings name: the folder of DATA_DIR or the database of DATABASE_URL. */
export function explainLedgerError(error: unknown, { DATABASE_URL, DATA_DIR }: Config): unknown {
  if (DATABASE_URL === null) return explainDataDirError(error, DATA_DIR);
  if (!(error instanceof StorageError)) return error;
  const message = `The database at DATABASE_URL cannot be used: ${error.message}.`;
  return error.needsOperator ? new ConfigError(message) : new CommandFailed(message);
}
