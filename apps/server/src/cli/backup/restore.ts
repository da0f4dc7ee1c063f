/**
 * `headwater restore`: puts a backup into an empty DATA_DIR. From the first file on the folder is marked, and nothing uses it
 * until everything is there. After an interruption the same command starts over.
 */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { processEnvironment, readConfig } from "../../config/config.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { ATTEMPTS_FILE, LEDGER_FILE } from "../../ledger/sqlite/database.ts";
import { readMark, refuseMarked, removeMark, writeMark } from "../../ledger/sqlite/folder-mark.ts";
import { lockDataDir } from "../../ledger/sqlite/lock.ts";
import { defineCommand, required, text } from "../command.ts";
import { CommandFailed } from "../errors.ts";
import { explainDataDirError } from "../ledger-errors.ts";
import { reportCopies } from "./backup.ts";
import { checkManifest } from "./manifest.ts";
import { finishCopy, flushToDisk, listSqliteFiles, startCopy } from "./sqlite-copy.ts";
import { restoreWarehouse, WAREHOUSE } from "./warehouse-copy.ts";

/**
 * Marks the folder, locks it, and deletes what an interrupted restore has left there.
 * @returns the function that unlocks it
 */
function beginRestore(dataDir: string, from: string): () => void {
  refuseMarked(dataDir, ["restore"]);
  const found = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const isInterrupted = readMark(dataDir, "restore") !== null;
  if (!isInterrupted && found.some((name) => !name.startsWith("restore.")))
    throw new CommandFailed(
      `DATA_DIR ${dataDir} is not empty. Set it to a new folder, or move its files away.`,
    );
  try {
    writeMark(dataDir, "restore", { from });
    const unlock = lockDataDir(dataDir);
    const written = readdirSync(dataDir).filter((name) =>
      [LEDGER_FILE, ATTEMPTS_FILE, WAREHOUSE].some((start) => name.startsWith(start)),
    );
    for (const name of written) rmSync(join(dataDir, name), { recursive: true });
    return unlock;
  } catch (error) {
    throw explainDataDirError(error, dataDir);
  }
}

const LEDGER_IS_POSTGRES =
  "The ledger is in PostgreSQL (DATABASE_URL). Restore it with PostgreSQL's own tools (docs/operate/postgresql.md). " +
  "With WAREHOUSE=embedded this command restores the copy of an embedded warehouse that was made beside such a database.";

export const restore = defineCommand({
  description: "Put a backup into an empty DATA_DIR",
  details: ["Stop the service first. After an interruption, run the command again. It starts over."],
  options: { from: required(text("folder", `Folder that \`${HEADWATER} backup --to\` has written`)) },
  run: async ({ from }) => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    const source = resolve(from);
    const hasWarehouse = existsSync(join(source, WAREHOUSE));
    if (
      url !== null &&
      (config.WAREHOUSE !== "embedded" || !hasWarehouse || existsSync(join(source, LEDGER_FILE)))
    )
      throw new CommandFailed(LEDGER_IS_POSTGRES);
    const found = url === null ? listSqliteFiles(source, "--from") : [];
    checkManifest(source);
    const unlock = beginRestore(dataDir, source);
    try {
      const warehouse = hasWarehouse ? [await restoreWarehouse(config, source)] : [];
      const files = found.filter((file) => startCopy(file, source, dataDir));
      const copied = files.toReversed().map((file) => finishCopy(file, dataDir));
      flushToDisk(dataDir);
      removeMark(dataDir, "restore");
      return reportCopies(
        [...copied.toReversed(), ...warehouse],
        found,
        hasWarehouse
          ? "Start the service with this DATA_DIR."
          : "The backup has no warehouse, so shipped events are not restored. Start the service with this DATA_DIR.",
      );
    } finally {
      unlock();
    }
  },
});
