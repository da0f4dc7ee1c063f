/** The catalog on SQLite. In a module of its own, because it loads Kysely. */
import type { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { createCatalog } from "../catalog/catalog.ts";
import { createCatalogDb } from "../catalog/database.ts";
import type { CatalogMethods } from "../catalog/methods.ts";
import { sqliteDialect } from "./dialect.ts";

/** Uses the given connection. The ledger has one process, so leases follow the caller's clock. */
export const openCatalogOn = (database: DatabaseSync): CatalogMethods =>
  createCatalog(createCatalogDb(sqliteDialect(database)), (now) => sql<number>`${now}`);
