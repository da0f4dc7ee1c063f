/** Opens the files of a data directory: SQLite's version and settings, and folders that only their owner can read. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { OperatorError } from "../../core/errors.ts";
import { toStorageError } from "./failure.ts";
import { enableShrinking } from "./free-space.ts";
import { migrate } from "./migrations.ts";

/** Before this version the WAL-reset bug (sqlite.org/changes.html, 3.51.3) can corrupt a ledger. */
const MIN_VERSION = [3, 51, 3] as const;
const WITHDRAWN_VERSION = "3.52.0";

export function sqliteVersion(): string {
  const memory = new DatabaseSync(":memory:");
  const version = memory.prepare("select sqlite_version() as version").get()?.version;
  memory.close();
  return String(version);
}

/** null when the version is safe, else a sentence that says what to do. */
export function sqliteProblem(version: string): string | null {
  const parts = version.split(".").map(Number);
  const differences = MIN_VERSION.map((minimum, index) => (parts[index] ?? 0) - minimum);
  const isOlder = (differences.find((difference) => difference !== 0) ?? 0) < 0;
  if (!isOlder && version !== WITHDRAWN_VERSION) return null;
  return `SQLite ${version} has a bug that can corrupt the ledger. Use Node 24.15 or later (SQLite ${MIN_VERSION.join(".")} or later).`;
}

export class UnsafeSqlite extends OperatorError {}

/** @throws UnsafeSqlite */
export function refuseUnsafeSqlite(): void {
  const problem = sqliteProblem(sqliteVersion());
  if (problem) throw new UnsafeSqlite(problem);
}

export const LEDGER_FILE = "ledger.sqlite";
export const ATTEMPTS_FILE = "attempts.sqlite";
export const ledgerPath = (dataDir: string) => join(dataDir, LEDGER_FILE);
export const attemptsPath = (dataDir: string) => join(dataDir, ATTEMPTS_FILE);

/** `full`: a commit that has returned survives a loss of power. `off` is for the control run of the power-loss test. */
export type Durability = "full" | "off";

/**
 * The address of a file that SQLite must not create. A file that is opened again after an error may be gone with its volume,
 * and an empty ledger in its place would accept every event a second time.
 */
export function existingFile(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "rw");
  return url;
}

/**
 * Opens a connection; it is closed again when `prepare` throws.
 * @throws StorageError that names the file
 */
export function connect(
  file: string | URL,
  prepare: (database: DatabaseSync) => void,
  options: DatabaseSyncOptions = {},
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5_000, ...options });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    throw toStorageError(error, basename(file instanceof URL ? file.pathname : file));
  }
}

const pragmas = (durability: Durability) => `
  pragma journal_mode = wal;
  pragma synchronous = ${durability};
  pragma cache_size = -65536;
  pragma journal_size_limit = 67108864;
  pragma wal_autocheckpoint = 4000;
  pragma secure_delete = fast;
`;

/**
 * Creates a folder and the folders above it, readable only by their owner: the files in it hold visitors' data. Node's own
 * recursive mkdir does not end where a folder cannot be created, as in /proc.
 */
export function makeFolder(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Flushes a file, or the names in a folder, to the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Writes a private file as a whole: it is on the disk when this returns, and after a crash before that it is as it was. */
export function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.unfinished`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  flush(unfinished);
  renameSync(unfinished, path);
  flush(dirname(path));
}

/** Creates a missing file and its folder, readable only by their owner. SQLite creates `-wal` and `-shm` with the file's mode. */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(path));
  // a file that exists is not opened: closing it would release the locks that this process has on it
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

/** Opens the ledger's only writing connection and brings its schema up to date. Creates what is missing. */
export function openDatabase(dataDir: string, durability: Durability = "full"): DatabaseSync {
  makePrivateFile(ledgerPath(dataDir));
  return connect(ledgerPath(dataDir), (database) => {
    // before anything is written
    enableShrinking(database);
    database.exec(pragmas(durability));
    migrate(database);
  });
}

/** Opens the same ledger again after an error. @throws when the file is missing */
export function reopenDatabase(dataDir: string, durability: Durability): DatabaseSync {
  return connect(existingFile(ledgerPath(dataDir)), (database) => database.exec(pragmas(durability)));
}
