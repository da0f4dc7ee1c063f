/** The port's suites over PostgreSQL, of what is not on the path of ingest: the same as over SQLite. */
import { describe } from "node:test";
import { attemptsSuite } from "../ledger/attempts.suite.ts";
import { catalogSuite } from "../ledger/catalog.suite.ts";
import { createDatabase, openAt } from "./databases.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

async function openOne(attemptStoreBytes?: number) {
  const { url, remove } = await createDatabase();
  const ledger = await openAt(url, NOW, attemptStoreBytes);
  const close = async () => {
    await ledger.close();
    await remove();
  };
  return { ledger, close };
}

describe("the catalog of the whole ledger on PostgreSQL", () => catalogSuite(openOne));

attemptsSuite("the whole ledger on PostgreSQL", async ({ storeBytes }) => {
  const { ledger, close } = await openOne(storeBytes);
  return { ledger, maintain: (at) => ledger.maintain(at), close };
});
