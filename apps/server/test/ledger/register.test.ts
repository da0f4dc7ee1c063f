import { DatabaseSync } from "node:sqlite";
import { describe } from "node:test";
import { migrate } from "../../src/ledger/sqlite/migrations.ts";
import { openRegisterOn } from "../../src/ledger/sqlite/register.ts";
import { registerSuite } from "./register.suite.ts";

describe("the register on SQLite", () => {
  registerSuite(async () => {
    const database = new DatabaseSync(":memory:");
    migrate(database);
    return { ledger: openRegisterOn(database), close: async () => database.close() };
  });
});
