/** From whatever was thrown to an exit code and a sentence for the person at the terminal. */
import type { ErrorCode, Issue } from "@headwater/contract";
import { type Config, ConfigError } from "../config/config.ts";
import { Refusal } from "../core/refusal.ts";
import { StorageError } from "../ledger/ledger.ts";

/** The command line itself is wrong; the sentence names the flag. */
export class UsageError extends Error {}

/** The command cannot be done; the sentence says what to do instead. */
export class CommandFailed extends Error {}

/** Why a folder cannot be made where none can be: another start mends none of them. */
const NO_FOLDER = new Set(["EEXIST", "ENOTDIR", "ENOENT", "EACCES", "EPERM", "EROFS"]);

/** What the operating system or SQLite says of the ledger's folder, as a sentence about the setting. */
export function aboutDataDir(error: unknown, dataDir: string): unknown {
  const { code, path, message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "mkdir" && NO_FOLDER.has(code ?? ""))
    return new ConfigError(`DATA_DIR ${dataDir} is no folder and none can be made there (${code}).`);
  const isOfFolder =
    error instanceof StorageError || code === "ERR_SQLITE_ERROR" || path?.startsWith(dataDir);
  return isOfFolder ? new CommandFailed(`DATA_DIR ${dataDir} cannot be used: ${message}.`) : error;
}

/** The same for whichever ledger is set. */
export function aboutLedger(error: unknown, { DATABASE_URL, DATA_DIR }: Config): unknown {
  // their classes are those of an adapter, which is not loaded where it is not used
  const { name, message } = error as Error;
  if (name === "UnfitPostgres" || name === "MovedLedger") return new ConfigError(message);
  if (DATABASE_URL === null) return aboutDataDir(error, DATA_DIR);
  return error instanceof StorageError
    ? new CommandFailed(`The database of DATABASE_URL cannot be used: ${message}.`)
    : error;
}

/** As sysexits.h has them. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

export interface Explained {
  exitCode: number;
  message: string;
}

/** The flag that gives a field of the API its value. */
const FLAGS: Readonly<Record<string, string>> = {
  name: "--name",
  slug: "--slug",
  allowedOrigins: "--origin",
  frameworkHint: "--framework",
  goals: "--goal",
  excludedPaths: "--exclude-path",
  retentionDays: "--retention-days",
  "limits.maxBatchSize": "--max-batch-size",
  "limits.maxPayloadBytes": "--max-payload-bytes",
  "limits.clientRatePerSecond": "--client-rate-per-second",
  userId: "--user",
  email: "--email",
  role: "--role",
  label: "--label",
  expiresAt: "--expires",
  from: "--from",
  to: "--to",
  cursor: "--resume",
};

/** Where the catalogue's hint speaks of HTTP, what to do here. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  source_not_found: "`headwater source list` shows the sources there are.",
  member_not_found: "`headwater member list` shows the members there are.",
  token_not_found: "`headwater token list` shows the tokens there are.",
  member_exists: "`headwater member role` changes the role of a member.",
  slug_taken: "Give another --slug, or none to have one derived from the name.",
};

function sentenceOf({ path, message }: Issue): string {
  const field = path.join(".");
  const flag = FLAGS[field] ?? FLAGS[String(path[0])];
  if (flag === undefined || !message.startsWith(field)) return `${message}.`;
  const which = typeof path[1] === "number" ? ` (number ${path[1] + 1})` : "";
  return `${flag}${which}${message.slice(field.length)}`.replace(/[^.?!]$/, "$&.");
}

function explainRefusal(refusal: Refusal): Explained {
  const { issues } = refusal.detail;
  if (issues !== undefined) return { exitCode: EXIT_USAGE, message: issues.map(sentenceOf).join(" ") };
  const hint = HINTS[refusal.code] ?? refusal.hint;
  return { exitCode: EXIT_FAILED, message: `${refusal.message} ${hint}` };
}

export function explain(error: unknown): Explained {
  if (error instanceof ConfigError) return { exitCode: EXIT_CONFIG, message: error.message };
  if (error instanceof UsageError) return { exitCode: EXIT_USAGE, message: error.message };
  if (error instanceof Refusal) return explainRefusal(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT_FAILED, message: message === "" ? "The command failed." : message };
}
