/** `headwater restore`: what `headwater backup` has copied, in an empty DATA_DIR. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCommand } from "citty";
import { processEnvironment, readConfig } from "../../config/config.ts";
import { lockDataDir } from "../../ledger/sqlite/lock.ts";
import { JSON_FLAG } from "../arguments.ts";
import { aboutDataDir, CommandFailed } from "../failure.ts";
import type { Report } from "../report.ts";
import { reportOf } from "./backup.ts";
import { draft, filesOf, finish, flush } from "./ledger-copy.ts";
import { restoreWarehouse, WAREHOUSE } from "./warehouse-copy.ts";

function held(dataDir: string): () => void {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    throw aboutDataDir(error, dataDir);
  }
}

export const restore = defineCommand({
  meta: { description: "Put what a backup holds into an empty DATA_DIR; the service must not run" },
  args: {
    from: { type: "string", valueHint: "folder", required: true, description: "What `backup --to` has made" },
    ...JSON_FLAG,
  },
  run: async ({ args }): Promise<Report> => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    if (url !== null)
      throw new CommandFailed(
        "The ledger is in the database of DATABASE_URL, which is restored with PostgreSQL's own tools (see docs/operate.md).",
      );
    const source = resolve(args.from);
    const files = filesOf(source, "--from");
    if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
      throw new CommandFailed(
        `DATA_DIR ${dataDir} is not empty. Set it to a new folder, or move away what is in it.`,
      );
    const unlock = held(dataDir);
    try {
      const isWhole = existsSync(join(source, WAREHOUSE));
      const warehouse = isWhole ? [await restoreWarehouse(config, source)] : [];
      // the ledger last: without one nobody takes it for restored
      for (const file of files) draft(file, source, dataDir);
      const copied = files.toReversed().map((file) => finish(file, dataDir));
      flush(dataDir);
      return reportOf([...copied.toReversed(), ...warehouse], "Start the service with this DATA_DIR.");
    } finally {
      unlock();
    }
  },
});
