/** Consistent copies of the ledger and of the debug history, taken while a service writes to them. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../core/errors.ts";
import { ATTEMPTS_FILE, flush, LEDGER_FILE, makePrivateFile } from "../../ledger/sqlite/database.ts";
import { isDamage } from "../../ledger/sqlite/failure.ts";
import { CommandFailed } from "../errors.ts";

const BUSY_TIMEOUT_MS = 5_000;
/** The debug history may be missing. */
export type SqliteFile = typeof LEDGER_FILE | typeof ATTEMPTS_FILE;

/** The content of a copy, for the report. */
const COUNTS: Readonly<Record<SqliteFile, Readonly<Record<string, string>>>> = {
  [LEDGER_FILE]: {
    workspaces: "select count(*) as n from organizations",
    members: "select count(*) as n from members",
    sources: "select count(*) as n from sources where deleted_at is null",
    sessions: "select count(*) as n from sessions",
    "accepted events": "select coalesce(sum(accepted), 0) as n from usage",
    "events not shipped": "select events as n from outbox_totals",
  },
  [ATTEMPTS_FILE]: { attempts: "select count(*) as n from attempts" },
};

export interface CopiedFile {
  file: string;
  path: string;
  bytes: number;
  counts: Record<string, number>;
}

/** Flushes a file, or a folder with everything in it, to the disk. */
export function flushToDisk(path: string): void {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) flushToDisk(join(path, name));
  flush(path);
}

const unfinishedPath = (file: SqliteFile, folder: string) => join(folder, `${file}.unfinished`);

/**
 * Copies the file as it is now. The copy has a temporary name until `finishCopy`, so that an interrupted backup does not
 * look like a complete one.
 * @returns false when the file is a damaged debug history, which is left out
 */
export function startCopy(file: SqliteFile, from: string, to: string): boolean {
  const path = unfinishedPath(file, to);
  rmSync(path, { force: true });
  makePrivateFile(path);
  const database = new DatabaseSync(join(from, file), { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare("vacuum into ?").run(path);
    flushToDisk(path);
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    if (file === ATTEMPTS_FILE && isDamage(error)) return false;
    throw new CommandFailed(`${join(from, file)} cannot be copied to ${to}: ${messageOf(error)}.`);
  } finally {
    database.close();
  }
}

/** Statements that remove from the copy what was removed from the ledger since. */
const COPY_REMOVALS = [
  `update shipped_days set (removed, expired) = (select l.removed, l.expired from live.shipped_days l
    where l.source_id = shipped_days.source_id and l.day = shipped_days.day)`,
];

/**
 * Events that were removed from the warehouse before it was copied are not in its copy. The ledger's copy is older and
 * must not expect them. Call it before `finishCopy`.
 */
export function copyRemovals(from: string, to: string): void {
  const copy = new DatabaseSync(unfinishedPath(LEDGER_FILE, to), { timeout: BUSY_TIMEOUT_MS });
  try {
    const live = pathToFileURL(join(from, LEDGER_FILE));
    live.searchParams.set("mode", "ro");
    copy.prepare("attach database ? as live").run(live.href);
    for (const statement of COPY_REMOVALS) copy.exec(statement);
  } finally {
    copy.close();
  }
  flushToDisk(unfinishedPath(LEDGER_FILE, to));
}

/** @throws CommandFailed when the copy cannot be read */
function inspect(path: string, file: SqliteFile): CopiedFile {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const result = database.prepare("pragma integrity_check(1)").get()?.integrity_check;
    if (result !== "ok")
      throw new CommandFailed(
        `The copy ${path} is damaged: ${result}. The original may be damaged too: check its disk.`,
      );
    const counts = Object.entries(COUNTS[file]).map(([name, sql]) => [
      name,
      Number(database.prepare(sql).get()?.n),
    ]);
    return { file, path, bytes: statSync(path).size, counts: Object.fromEntries(counts) };
  } finally {
    database.close();
  }
}

/**
 * @param setting the setting or option that names the folder, for the message
 * @throws CommandFailed when the folder has no ledger
 */
export function listSqliteFiles(folder: string, setting: string): SqliteFile[] {
  if (!existsSync(join(folder, LEDGER_FILE)))
    throw new CommandFailed(
      `There is no ledger in ${setting} ${folder}. Set ${setting} to the folder that has one.`,
    );
  const files: SqliteFile[] = [LEDGER_FILE, ATTEMPTS_FILE];
  return files.filter((file) => existsSync(join(folder, file)));
}

export function finishCopy(file: SqliteFile, folder: string): CopiedFile {
  const path = join(folder, file);
  renameSync(unfinishedPath(file, folder), path);
  return inspect(path, file);
}
