import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { createCatalog } from "../catalog/catalog.ts";
import type { CatalogTables } from "../catalog/schema.ts";
import type { Catalog } from "../ledger.ts";
import { sqliteDialect } from "./dialect.ts";

/** The catalog's verbs on the ledger's own connection. */
export const openCatalogOn = (database: DatabaseSync): Catalog =>
  createCatalog(new Kysely<CatalogTables>({ dialect: sqliteDialect(database) }));
