/** `headwater migrate`: brings the ledger to the schema of this version, as `headwater serve` does when it starts. */
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { ConfigError, processEnvironment, readConfig } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { connect, ledgerPath, openDatabase } from "../../ledger/sqlite/database.ts";
import { refuseMarked } from "../../ledger/sqlite/folder-mark.ts";
import { defineCommand, flag } from "../command.ts";
import { explainDataDirError, explainLedgerError } from "../ledger-errors.ts";

interface Migration {
  /** Schema versions; 0: there was no ledger. */
  readonly from: number;
  readonly to: number;
  /** Tables that were distributed over the nodes of Citus. */
  readonly distributed: readonly string[];
}

function readSchemaVersion(dataDir: string): number {
  if (!existsSync(ledgerPath(dataDir))) return 0;
  let version = 0;
  const read = (database: DatabaseSync) => {
    version = Number(database.prepare("pragma user_version").get()?.user_version);
  };
  connect(ledgerPath(dataDir), read, { readOnly: true }).close();
  return version;
}

function migrateSqlite(dataDir: string): Migration {
  try {
    refuseMarked(dataDir);
    const from = readSchemaVersion(dataDir);
    openDatabase(dataDir).close();
    return { from, to: readSchemaVersion(dataDir), distributed: [] };
  } catch (error) {
    throw explainDataDirError(error, dataDir);
  }
}

async function migratePostgres(url: string, config: Config, isDistributed: boolean): Promise<Migration> {
  const { migrateDatabase } = await import("../../ledger/postgres/migrate-database.ts");
  return migrateDatabase(url, isDistributed).catch((error: unknown) => {
    throw explainLedgerError(error, config);
  });
}

export const migrate = defineCommand({
  description: "Upgrade the ledger's database schema to this version",
  details: [
    "`headwater serve` does the same when it starts. A ledger cannot be brought back to an older schema.",
  ],
  options: {
    distributed: flag("Also distribute the tables by source; DATABASE_URL must name a Citus coordinator"),
  },
  run: async ({ distributed: isDistributed }) => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    if (isDistributed && url === null)
      throw new ConfigError("--distributed needs a ledger on PostgreSQL. Set DATABASE_URL.");
    const migration =
      url === null ? migrateSqlite(dataDir) : await migratePostgres(url, config, isDistributed);
    const { from, to, distributed } = migration;
    const ledger = url === null ? `The ledger in ${dataDir}` : "The ledger of DATABASE_URL";
    const text =
      from === to
        ? `${ledger} has schema ${to}, the newest; nothing to do.`
        : `${ledger} was migrated from schema ${from} to ${to}.`;
    if (!isDistributed) return { json: { from, to }, text };
    const tables =
      distributed.length === 0
        ? "All tables were distributed already."
        : `Distributed by source: ${distributed.join(", ")}.`;
    return { json: migration, text: `${text} ${tables}` };
  },
});
