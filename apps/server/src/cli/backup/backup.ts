/** `headwater backup`: copies the ledger and the embedded warehouse while a service writes to them. */

import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { processEnvironment, readConfig } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { systemCode } from "../../core/errors.ts";
import { ATTEMPTS_FILE, flush, LEDGER_FILE, makeFolder } from "../../ledger/sqlite/database.ts";
import { noteBackup, refuseMarked } from "../../ledger/sqlite/folder-mark.ts";
import { defineCommand, required, text } from "../command.ts";
import { CommandFailed } from "../errors.ts";
import { type CommandReport, formatBytes, type ProgressWriter, table } from "../report.ts";
import { MANIFEST, writeManifest } from "./manifest.ts";
import {
  type CopiedFile,
  copyRemovals,
  finishCopy,
  flushToDisk,
  listSqliteFiles,
  type SqliteFile,
  startCopy,
} from "./sqlite-copy.ts";
import { copyWarehouse, hasEmbeddedWarehouse, WAREHOUSE } from "./warehouse-copy.ts";

const DUMP = '`pg_dump --format=custom --no-unlogged-table-data --file=headwater.dump "$DATABASE_URL"`';
const LEDGER_IS_POSTGRES =
  "The ledger is in PostgreSQL (DATABASE_URL). Back it up with PostgreSQL's own tools while the service runs: " +
  `${DUMP}, or a base backup with archived WAL for point-in-time recovery (docs/operate/postgresql.md).`;
const NO_WAREHOUSE =
  "There is no embedded warehouse in DATA_DIR. Run this command on the node that has it, with its DATA_DIR.";
/** An event that is shipped between the two copies must be in both, not in neither. */
const needsDump = (begunAt: Date) =>
  `The ledger is in PostgreSQL (DATABASE_URL) and not in this backup. Restore this backup together with a dump that finished before ${begunAt.toISOString()}. ` +
  `If you have none, run ${DUMP} now, and then this command again. `;
const WAREHOUSE_NOT_INCLUDED =
  " The warehouse at CLICKHOUSE_URL is not included. Back it up with ClickHouse's own tools, after the ledger.";

function createFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CommandFailed(`--to ${folder} is not a folder and cannot be created (${systemCode(error)}).`);
  }
}

const toRow = ({ path, bytes, counts }: CopiedFile) => [
  path,
  formatBytes(bytes),
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", "),
];

/** The result of `backup` and of `restore`. @param found the files that should be among the copied ones */
export function reportCopies(
  copied: readonly CopiedFile[],
  found: readonly string[],
  note: string,
): CommandReport {
  const damaged = found.filter((name) => copied.every(({ file }) => file !== name));
  const leftOut = damaged.map((name) => `${name} is damaged and was left out. It holds no events.\n`);
  return {
    json: { files: copied },
    text: table(["file", "size", "content"], copied.map(toRow)),
    note: leftOut.join("") + note,
  };
}

async function copyEach(
  config: Config,
  target: string,
  { found, progress }: { found: readonly SqliteFile[]; progress: ProgressWriter },
): Promise<CopiedFile[]> {
  const { DATA_DIR: dataDir } = config;
  // the ledger before the warehouse: events that are shipped meanwhile are in both copies, and are stored once
  const files = found.filter((file) => startCopy(file, dataDir, target));
  const warehouse = (await hasEmbeddedWarehouse(config))
    ? [await copyWarehouse(config, target, progress)]
    : [];
  if (files.length > 0) copyRemovals(dataDir, target);
  const copies = [...files.map((file) => finishCopy(file, target)), ...warehouse];
  flushToDisk(target);
  writeManifest(
    target,
    copies.map(({ file }) => file),
  );
  flushToDisk(join(target, MANIFEST));
  flush(target);
  return copies;
}

/** After a failure: the folder held nothing of these before. */
function removeCopies(target: string): void {
  for (const name of [LEDGER_FILE, ATTEMPTS_FILE, WAREHOUSE, MANIFEST])
    for (const path of [join(target, name), join(target, `${name}.unfinished`)])
      rmSync(path, { recursive: true, force: true });
}

export const backup = defineCommand({
  description: "Copy the ledger, the debug history and the embedded warehouse to a folder",
  details: [
    "The service can keep running. With DATABASE_URL, it copies only the embedded warehouse. Back up PostgreSQL first.",
  ],
  options: { to: required(text("folder", "Folder for the backup; created if it is missing")) },
  run: async ({ to }, { progress }) => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url, CLICKHOUSE_URL } = config;
    if (url !== null && config.WAREHOUSE !== "embedded") throw new CommandFailed(LEDGER_IS_POSTGRES);
    const begunAt = new Date();
    const target = resolve(to);
    refuseMarked(dataDir, url === null ? [] : ["move"]);
    const found = url === null ? listSqliteFiles(dataDir, "DATA_DIR") : [];
    if (url !== null && !(await hasEmbeddedWarehouse(config))) throw new CommandFailed(NO_WAREHOUSE);
    const existing = [...found, WAREHOUSE, MANIFEST].find((file) => existsSync(join(target, file)));
    if (existing !== undefined)
      throw new CommandFailed(
        `${join(target, existing)} already exists. Choose a folder for --to that holds no backup.`,
      );
    createFolder(target);
    const copies = await copyEach(config, target, { found, progress }).catch((error: unknown) => {
      removeCopies(target);
      throw error;
    });
    noteBackup(dataDir);
    const note = `To restore it: set DATA_DIR to an empty folder and run \`${HEADWATER} restore --from ${target}\`.`;
    const before = url === null ? "" : needsDump(begunAt);
    return reportCopies(
      copies,
      found,
      before + note + (CLICKHOUSE_URL === null ? "" : WAREHOUSE_NOT_INCLUDED),
    );
  },
});
