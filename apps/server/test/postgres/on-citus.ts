/**
 * The port's suites, and the service with a warehouse behind it, over a real cluster of Citus:
 * `CITUS_URL=postgres://… node --test apps/server/test/postgres/on-citus.ts`. The database, on the coordinator, has the extension and nothing else, and is emptied again and again. It is no part of
 * `npm test`, because Citus is not among Debian's packages.
 */
import assert from "node:assert/strict";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { migrateDatabase } from "../../src/ledger/postgres/migrate-database.ts";
import { attemptsSuite } from "../ledger/attempts.suite.ts";
import { catalogSuite } from "../ledger/catalog.suite.ts";
import { ledgerSuite } from "../ledger/ledger.suite.ts";
import { erasureSuite } from "../warehouse/erasure.suite.ts";
import { query } from "./cluster.ts";
import { openAt, standFor } from "./databases.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const url = process.env.CITUS_URL ?? "";
assert.ok(url, "CITUS_URL names the database");
await migrateDatabase(url, true);

const KEPT = ["headwater_schema", "attempt_totals"];

async function empty(): Promise<void> {
  const tables = await query<{ name: string }>(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname <> all ($1)`,
    [KEPT],
  );
  for (const { name } of tables) await query(url, `delete from ${name}`);
  await query(url, "update attempt_totals set bytes = 0");
}

async function openOne(attemptStoreBytes?: number) {
  await empty();
  const ledger = await openAt(url, NOW, attemptStoreBytes);
  return { ledger, close: () => ledger.close() };
}

ledgerSuite("Citus", async () => {
  await empty();
  return { open: (now) => openAt(url, now), remove: async () => undefined };
});
catalogSuite(openOne);
attemptsSuite("Citus", async ({ storeBytes }) => {
  const { ledger, close } = await openOne(storeBytes);
  return { ledger, maintain: (at) => ledger.maintain(at), close };
});
if (isInstalled())
  erasureSuite("Citus", async (dataDir) => {
    standFor(dataDir, url);
    return { DATABASE_URL: url };
  });
