/** Runs the ledger's suites on SQLite, including its threads and files. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { attemptsSuite } from "./attempts.suite.ts";
import { catalogSuite } from "./catalog.suite.ts";
import { ledgerSuite } from "./ledger.suite.ts";
import type { LedgerHome } from "./ledger-home.suite.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

async function newHome(): Promise<LedgerHome> {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-ledger-"));
  return {
    open: (now) => openSqliteLedger({ dataDir, now }),
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

ledgerSuite("SQLite", newHome);

describe("the catalog of the whole ledger on SQLite", () => {
  catalogSuite(async () => {
    const home = await newHome();
    const ledger = await home.open(NOW);
    const close = async () => {
      await ledger.close();
      await home.remove();
    };
    return { ledger, close };
  });
});

attemptsSuite("the whole ledger on SQLite", async ({ storeBytes }) => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-ledger-"));
  const ledger = await openSqliteLedger({ dataDir, now: NOW, attemptStoreBytes: storeBytes });
  const close = async () => {
    await ledger.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ledger, maintain: (at) => ledger.maintain(at), close };
});
