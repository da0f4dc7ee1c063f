import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Register } from "../ledger.ts";
import { createRegister } from "../register/register.ts";
import type { RegisterTables } from "../register/schema.ts";
import { sqliteDialect } from "./dialect.ts";

/** The register's verbs on the ledger's own connection. */
export const openRegisterOn = (database: DatabaseSync): Register =>
  createRegister(new Kysely<RegisterTables>({ dialect: sqliteDialect(database) }));
