/** `headwater restore`: puts a backup into an empty DATA_DIR. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { processEnvironment, readConfig } from "../../config/config.ts";
import { lockDataDir } from "../../ledger/sqlite/lock.ts";
import { defineCommand, required, text } from "../command.ts";
import { CommandFailed } from "../errors.ts";
import { explainDataDirError } from "../ledger-errors.ts";
import { reportCopies } from "./backup.ts";
import { finishCopy, flushToDisk, listSqliteFiles, startCopy } from "./sqlite-copy.ts";
import { restoreWarehouse, WAREHOUSE } from "./warehouse-copy.ts";

/** @returns the function that unlocks it */
function lockFolder(dataDir: string): () => void {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    throw explainDataDirError(error, dataDir);
  }
}

export const restore = defineCommand({
  description: "Put a backup into an empty DATA_DIR",
  details: ["Stop the service first."],
  options: { from: required(text("folder", "Folder that `headwater backup --to` has written")) },
  run: async ({ from }) => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    if (url !== null)
      throw new CommandFailed(
        "The ledger is in the database of DATABASE_URL. Restore it with PostgreSQL's own tools (see docs/operate.md).",
      );
    const source = resolve(from);
    const found = listSqliteFiles(source, "--from");
    if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
      throw new CommandFailed(
        `DATA_DIR ${dataDir} is not empty. Set it to a new folder, or move its files away.`,
      );
    const unlock = lockFolder(dataDir);
    try {
      const hasWarehouse = existsSync(join(source, WAREHOUSE));
      const warehouse = hasWarehouse ? [await restoreWarehouse(config, source)] : [];
      // the ledger gets its name last: an interrupted restore leaves a folder without ledger.sqlite
      const files = found.filter((file) => startCopy(file, source, dataDir));
      const copied = files.toReversed().map((file) => finishCopy(file, dataDir));
      flushToDisk(dataDir);
      return reportCopies(
        [...copied.toReversed(), ...warehouse],
        found,
        "Start the service with this DATA_DIR.",
      );
    } finally {
      unlock();
    }
  },
});
