/** What the verbs of the catalog share: the database's type, what a verb is asked, and pages. */
import { type Kysely, type SqlBool, sql } from "kysely";
import type { PageOf, PageRequest } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import type { CatalogTables } from "./schema.ts";

/** Either the database or a transaction of it. */
export type Db = Kysely<CatalogTables>;

/** The one value that a verb of the port takes. */
export type Asked<V extends keyof Catalog> = Parameters<Catalog[V]>[0];

/** PostgreSQL answers bigint as text. */
export const number = (value: number | string): number => Number(value);
export const numberOrNull = (value: number | string | null): number | null =>
  value === null ? null : Number(value);

/** The cursor of a list names the last row that was given: when it was made, and its id. */
function lastGiven({ cursor }: PageRequest): { createdAt: number; id: string } {
  const [createdAt = "-1", id = ""] = cursor?.split(".", 2) ?? [];
  // a cursor that nobody was given may hold what no text of PostgreSQL does
  const text = Buffer.from(id, "base64url").toString().replaceAll("\0", "\ufffd");
  return { createdAt: Number(createdAt), id: text };
}

/**
 * Lists are in the order in which their rows were made, and a page begins after the last row of the one before:
 * what is added or removed meanwhile neither repeats a row nor leaves one out.
 */
export function isAfter(page: PageRequest, createdAt: string, id: string) {
  const last = lastGiven(page);
  return sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) > (${last.createdAt}, ${last.id})`;
}

/** @param found one row more than asked, where there is one */
export function pageOf<T extends { createdAt: number }>(
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
 * Holds a workspace for the rest of the transaction: an update that changes nothing locks its row on PostgreSQL
 * (`for update` is unknown to SQLite, where a writer is alone anyway). Rules over several rows need it.
 */
export async function lockOrganization(db: Db, organizationId: string): Promise<void> {
  await db
    .updateTable("organizations")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("organization_id", "=", organizationId)
    .execute();
}
