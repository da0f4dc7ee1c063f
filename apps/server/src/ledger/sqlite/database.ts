import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { migrate } from "./migrations.ts";

/** The WAL-reset bug (sqlite.org/changes.html, 3.51.3) can corrupt a ledger; 3.52.0 was withdrawn. */
const SAFE_SQLITE = [3, 51, 3] as const;

export function sqliteVersion(): string {
  const memory = new DatabaseSync(":memory:");
  const { version } = memory.prepare("select sqlite_version() as version").get() as { version: string };
  memory.close();
  return version;
}

/** null when the version is safe, else a sentence that says what to do. */
export function sqliteProblem(version: string): string | null {
  const parts = version.split(".").map(Number);
  const older = SAFE_SQLITE.map((least, index) => (parts[index] ?? 0) - least).find(
    (difference) => difference !== 0,
  );
  if ((older === undefined || older > 0) && version !== "3.52.0") return null;
  return `SQLite ${version} has a bug that can corrupt the ledger. Use Node 24.15 or later (SQLite ${SAFE_SQLITE.join(".")} or later).`;
}

export class UnsafeSqlite extends Error {}

export function refuseUnsafeSqlite(): void {
  const problem = sqliteProblem(sqliteVersion());
  if (problem) throw new UnsafeSqlite(problem);
}

export const ledgerPath = (dataDir: string) => join(dataDir, "ledger.sqlite");

export type Durability = "full" | "off";

/**
 * Where a file is that must be there: SQLite makes none in its place. What is opened again after an error may be gone
 * with its volume, and an empty ledger in its stead would take every event a second time.
 */
export function existingFile(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "rw");
  return url;
}

/** A connection that cannot be used is closed, whatever keeps it from being used. */
export function connect(file: string | URL, prepare: (database: DatabaseSync) => void): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** `synchronous=FULL`: a commit that has returned survives a loss of power. */
const pragmas = (durability: Durability) => `
  pragma journal_mode = wal;
  pragma synchronous = ${durability};
  pragma cache_size = -65536;
  pragma journal_size_limit = 67108864;
  pragma wal_autocheckpoint = 4000;
`;

/**
 * Makes a folder and those above it, for its owner alone: the files in it hold what visitors did, and are made readable
 * for all. Node's own recursion does not end where nothing can be made in a folder that is there, as in /proc.
 */
export function makeFolder(path: string): void {
  const above = dirname(path);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Opens the ledger's one writing connection and brings its schema up to date; makes what is missing.
 * `off` exists for the control run of the power-loss test.
 */
export function openDatabase(dataDir: string, durability: Durability = "full"): DatabaseSync {
  makeFolder(dataDir);
  return connect(ledgerPath(dataDir), (database) => {
    database.exec(pragmas(durability));
    migrate(database);
  });
}

/** Opens the same ledger again, after an error; makes nothing. @throws when it is not there */
export function reopenDatabase(dataDir: string, durability: Durability): DatabaseSync {
  return connect(existingFile(ledgerPath(dataDir)), (database) => database.exec(pragmas(durability)));
}
