/** What the verbs of the register share: the database's type, what a verb is asked, and pages. */
import type { Kysely } from "kysely";
import type { Register } from "../ledger.ts";
import type { Page, PageOf } from "../records.ts";
import type { RegisterTables } from "./schema.ts";

/** Either the database or a transaction of it. */
export type Db = Kysely<RegisterTables>;

/** The one value that a verb of the port takes. */
export type Asked<V extends keyof Register> = Parameters<Register[V]>[0];

/** PostgreSQL answers bigint as text. */
export const number = (value: number | string): number => Number(value);
export const numberOrNull = (value: number | string | null): number | null =>
  value === null ? null : Number(value);

/**
 * Lists that grow at their end are paged by position: what is added meanwhile comes last, so no row is
 * given twice. The cursor is how many rows were given.
 */
export const offsetOf = (page: Page): number => (page.cursor === null ? 0 : Number(page.cursor));

/** @param found one row more than asked, where there is one */
export function pageByPosition<R, T>(found: readonly R[], page: Page, record: (row: R) => T): PageOf<T> {
  const rows = found.slice(0, page.limit).map(record);
  return { rows, nextCursor: found.length > page.limit ? String(offsetOf(page) + page.limit) : null };
}

/**
 * Holds a workspace for the rest of the transaction: an update that changes nothing locks its row on PostgreSQL
 * (`for update` is unknown to SQLite, where a writer is alone anyway). Rules over several rows need it.
 */
export async function holdOrganization(db: Db, organizationId: string): Promise<void> {
  await db
    .updateTable("organizations")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("organization_id", "=", organizationId)
    .execute();
}
