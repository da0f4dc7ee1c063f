import { DatabaseSync } from "node:sqlite";
import { describe } from "node:test";
import { Kysely } from "kysely";
import { createRegister } from "../src/ledger/register/register.ts";
import {
  AUDIT_INDEX,
  auditDdl,
  REGISTER_CHANGES,
  REGISTER_DDL,
  type RegisterTables,
} from "../src/ledger/register/schema.ts";
import { registerSuite } from "../src/ledger/register.suite.ts";
import { sqliteDialect } from "../src/ledger/sqlite/dialect.ts";

describe("the register on SQLite", () => {
  registerSuite(async () => {
    const database = new DatabaseSync(":memory:");
    for (const ddl of [
      ...REGISTER_DDL,
      auditDdl("integer primary key autoincrement"),
      AUDIT_INDEX,
      ...REGISTER_CHANGES.flat(),
    ])
      database.exec(ddl);
    const db = new Kysely<RegisterTables>({ dialect: sqliteDialect(database) });
    return { ledger: createRegister(db), close: () => db.destroy() };
  });
});
