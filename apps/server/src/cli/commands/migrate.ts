/** `headwater migrate`: brings the ledger to the schema of this version, as `headwater serve` does when it starts. */

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { processEnvironment, readConfig } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { connect, ledgerPath, openDatabase } from "../../ledger/sqlite/database.ts";
import { refuseMarked } from "../../ledger/sqlite/folder-mark.ts";
import { defineCommand } from "../command.ts";
import { explainDataDirError, explainLedgerError } from "../ledger-errors.ts";

interface Migration {
  /** Schema versions; 0: there was no ledger. */
  readonly from: number;
  readonly to: number;
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
    return { from, to: readSchemaVersion(dataDir) };
  } catch (error) {
    throw explainDataDirError(error, dataDir);
  }
}

async function migratePostgres(url: string, config: Config): Promise<Migration> {
  const { migrateDatabase } = await import("../../ledger/postgres/migrations.ts");
  return migrateDatabase(url).catch((error: unknown) => {
    throw explainLedgerError(error, config);
  });
}

export const migrate = defineCommand({
  description: "Upgrade the ledger's database schema to this version",
  details: [`\`${HEADWATER} serve\` does the same when it starts. The ledger's schema cannot be downgraded.`],
  run: async () => {
    const config = readConfig(processEnvironment());
    const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
    const { from, to } = url === null ? migrateSqlite(dataDir) : await migratePostgres(url, config);
    const ledger = url === null ? `The ledger in ${dataDir}` : "The ledger in PostgreSQL (DATABASE_URL)";
    const text =
      from === to
        ? `${ledger} already has the newest schema, ${to}.`
        : `${ledger} was migrated from schema ${from} to ${to}.`;
    return { json: { from, to }, text };
  },
});
