/** The port's suites over PostgreSQL: the same as over SQLite. */
import { describe } from "node:test";
import { attemptsSuite } from "../../src/ledger/attempts.suite.ts";
import { ledgerSuite } from "../../src/ledger/ledger.suite.ts";
import type { LedgerHome } from "../../src/ledger/ledger-home.suite.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { registerSuite } from "../../src/ledger/register.suite.ts";
import { createDatabase } from "./databases.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

async function newHome(): Promise<LedgerHome> {
  const { url, remove } = await createDatabase();
  return { open: (now) => openPostgresLedger({ url, now }), remove };
}

ledgerSuite("PostgreSQL", newHome);

describe("the register of the whole ledger on PostgreSQL", () => {
  registerSuite(async () => {
    const home = await newHome();
    const ledger = await home.open(NOW);
    const close = async () => {
      await ledger.close();
      await home.remove();
    };
    return { ledger, close };
  });
});

attemptsSuite("the whole ledger on PostgreSQL", async ({ storeBytes }) => {
  const { url, remove } = await createDatabase();
  const ledger = await openPostgresLedger({ url, now: NOW, attemptStoreBytes: storeBytes });
  const close = async () => {
    await ledger.close();
    await remove();
  };
  return { ledger, maintain: (at) => ledger.maintain(at), close };
});
