/** What the catalog's methods share: the Kysely database, paged lists, and the lock on a workspace. */
import { CamelCasePlugin, type Dialect, Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { toStorable } from "../../core/text.ts";
import type { PageOf, PageRequest } from "../records.ts";
import type { CatalogMethods } from "./methods.ts";
import type { CatalogTables } from "./schema.ts";

/** The database or one of its transactions. */
export type CatalogDb = Kysely<CatalogTables>;

/** The argument of one of the catalog's methods. */
export type Argument<Name extends keyof CatalogMethods> = Parameters<CatalogMethods[Name]>[0];

/** The SQL of the current time in milliseconds, given the caller's time: leases of nodes need one common clock. */
export type LeaseClock = (now: number) => RawBuilder<number>;

/** The plugin translates between `camelCase` here and `snake_case` in the database. */
export const createCatalogDb = (dialect: Dialect): CatalogDb =>
  new Kysely<CatalogTables>({ dialect, plugins: [new CamelCasePlugin()] });

/** A cursor holds the creation time and the id of the last row of a page. */
function parseCursor({ cursor }: PageRequest): { createdAt: number; id: string } {
  const [createdAt = String(Number.MAX_SAFE_INTEGER), id = ""] = cursor?.split(".", 2) ?? [];
  return { createdAt: Number(createdAt), id: toStorable(Buffer.from(id, "base64url").toString()) };
}

/**
 * The condition that a row comes after the page's cursor. Lists are sorted by creation time and id, the newest first, so rows
 * that are added or removed between two pages neither repeat a row nor hide one.
 */
export function isAfterCursor(page: PageRequest, createdAt: string, id: string) {
  const last = parseCursor(page);
  return sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${last.createdAt}, ${last.id})`;
}

/** @param found one row more than the page's limit, if there is one */
export function toPage<T extends { createdAt: number }>(
  found: readonly T[],
  { limit }: PageRequest,
  idOf: (row: T) => string,
): PageOf<T> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const cursor = last && `${last.createdAt}.${Buffer.from(idOf(last)).toString("base64url")}`;
  return { rows, nextCursor: cursor ?? null };
}

/**
 * Locks a workspace until the transaction ends, for rules that involve several rows. SQLite does not know
 * `select … for update`, so this is an update that changes nothing.
 */
export async function lockOrganization(db: CatalogDb, organizationId: string): Promise<void> {
  await db
    .updateTable("organizations")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("organizationId", "=", organizationId)
    .execute();
}
