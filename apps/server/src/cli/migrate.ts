/** `headwater migrate`: brings the ledger to the schema of this version. `serve` does the same when it starts. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { defineCommand } from "citty";
import { type Config, ConfigError, processEnvironment, readConfig } from "../config/config.ts";
import { ledgerPath, openDatabase } from "../ledger/sqlite/database.ts";
import { JSON_FLAG } from "./arguments.ts";
import { aboutDataDir, aboutLedger } from "./failure.ts";
import type { Report } from "./report.ts";

/** 0: there is no ledger yet. */
function schemaOf(dataDir: string): number {
  if (!existsSync(ledgerPath(dataDir))) return 0;
  const database = new DatabaseSync(ledgerPath(dataDir), { readOnly: true });
  try {
    return (database.prepare("pragma user_version").get() as { user_version: number }).user_version;
  } finally {
    database.close();
  }
}

function bringUpToDate(dataDir: string): { from: number; to: number } {
  try {
    const from = schemaOf(dataDir);
    openDatabase(dataDir).close();
    return { from, to: schemaOf(dataDir) };
  } catch (error) {
    throw aboutDataDir(error, dataDir);
  }
}

async function bringDatabaseUpToDate(url: string, config: Config, distributed: boolean) {
  const { migrateDatabase } = await import("../ledger/postgres/migrate-database.ts");
  return migrateDatabase(url, distributed).catch((error: unknown) => {
    throw aboutLedger(error, config);
  });
}

function distributionSentence(tables: readonly string[]): string {
  return tables.length === 0
    ? " Its tables are distributed; nothing to do."
    : ` Distributed by source: ${tables.join(", ")}.`;
}

export const migrate = defineCommand({
  meta: { description: "Bring the ledger to the schema of this version; never back to an older one" },
  args: {
    distributed: {
      type: "boolean",
      description: "Distribute its tables by source too; DATABASE_URL names a coordinator of Citus",
    },
    ...JSON_FLAG,
  },
  run: async ({ args }): Promise<Report> => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    const isDistributed = args.distributed === true;
    if (isDistributed && url === null)
      throw new ConfigError("--distributed is for a ledger on PostgreSQL: set DATABASE_URL.");
    const migrated =
      url === null
        ? { ...bringUpToDate(dataDir), distributed: [] }
        : await bringDatabaseUpToDate(url, config, isDistributed);
    const { from, to, distributed } = migrated;
    const place = url === null ? `in ${dataDir}` : "of DATABASE_URL";
    const done =
      from === to ? `has schema ${to}, the newest; nothing to do` : `went from schema ${from} to ${to}`;
    const text = `The ledger ${place} ${done}.${isDistributed ? distributionSentence(distributed) : ""}`;
    return { json: isDistributed ? migrated : { from, to }, text };
  },
});
