/** The suites of the hot verbs over PostgreSQL: the same as over SQLite. */
import { ledgerSuite } from "../../src/ledger/ledger.suite.ts";
import type { LedgerHome } from "../../src/ledger/ledger-home.suite.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { createDatabase } from "./databases.ts";

async function newHome(): Promise<LedgerHome> {
  const { url, remove } = await createDatabase();
  return { open: (now) => openPostgresLedger({ url, now }), remove };
}

ledgerSuite("PostgreSQL", newHome);
