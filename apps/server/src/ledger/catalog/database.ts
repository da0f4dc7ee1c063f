/** The parts that the catalog's methods share: the Kysely database, paged lists, and the lock on a workspace. */
import {
  CamelCasePlugin,
  type Dialect,
  Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from "kysely";
import { toStorable } from "../../core/text.ts";
import type { PageOf, PageRequest } from "../records.ts";
import type { CatalogTables } from "./schema.ts";

/** The database or one of its transactions. */
export type CatalogDb = Kysely<CatalogTables>;

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
 * Selects the rows of a page, and one more if there is one. Lists are sorted by creation time and id, the newest first, so rows
 * that are added or removed between two pages neither repeat a row nor hide one.
 */
export function onPage(page: PageRequest, createdAt: string, id: string) {
  const last = parseCursor(page);
  const place = sql<SqlBool>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${last.createdAt}, ${last.id})`;
  return <DB, Tables extends keyof DB, Row>(query: SelectQueryBuilder<DB, Tables, Row>) =>
    query
      .where(place)
      .orderBy(sql.ref(createdAt), "desc")
      .orderBy(sql.ref(id), "desc")
      .limit(page.limit + 1);
}

/** @param found what `onPage` selects */
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

/** @returns whether a query has at least `count` rows */
export const hasRows = async (
  query: { limit(rows: number): { execute(): Promise<unknown[]> } },
  count: number,
): Promise<boolean> => (await query.limit(count).execute()).length >= count;

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

/** The SQL of the time of the next try, given the column with the number of earlier ones. The last delay repeats. */
export function nextTryAt(now: number, retryMs: readonly number[]): RawBuilder<number> {
  const delays = retryMs.map((ms, tries) => sql`when ${sql.lit(tries)} then ${sql.lit(ms)}`);
  const last = sql.lit(retryMs.at(-1) ?? 0);
  return sql<number>`cast(${now} as bigint) + case tries ${sql.join(delays, sql` `)} else ${last} end`;
}
