/** The suites of the hot methods over PostgreSQL: the same as over SQLite. */
import { ledgerSuite } from "../ledger/ledger.suite.ts";
import type { LedgerHome } from "../ledger/ledger-home.suite.ts";
import { createDatabase, openAt } from "./databases.ts";

async function newHome(): Promise<LedgerHome> {
  const { url, remove } = await createDatabase();
  return { open: (now) => openAt(url, now), remove };
}

ledgerSuite("PostgreSQL", newHome);
