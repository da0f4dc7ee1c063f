import { DatabaseSync } from "node:sqlite";
import { describe } from "node:test";
import { openCatalogOn } from "../../src/ledger/sqlite/catalog.ts";
import { migrate } from "../../src/ledger/sqlite/migrations.ts";
import { catalogSuite } from "./catalog.suite.ts";

describe("the catalog on SQLite", () => {
  catalogSuite(async () => {
    const database = new DatabaseSync(":memory:");
    migrate(database);
    return { ledger: openCatalogOn(database), close: async () => database.close() };
  });
});
