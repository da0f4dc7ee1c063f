/**
 * The number of events that the warehouse must hold of each source and day, and the latest checks of it, shared by all nodes
 * (docs/decisions/0022).
 */
import { sql } from "kysely";
import type { DayCount, WarehouseReport } from "../warehouse-report.ts";
import { type CatalogDb, hasRows, type LeaseClock } from "./database.ts";

/** SQLite binds at most 32,766 values in a statement. */
const ROWS_AT_ONCE = 2_000;

/** The ids of all sources, deleted ones included: their events still exist. */
async function allSourceIds(db: CatalogDb): Promise<string[]> {
  const rows = await db.selectFrom("sources").select("sourceId").orderBy("sourceId").execute();
  return rows.map(({ sourceId }) => sourceId);
}

/** To be called before the rows are changed: it makes transactions that change the revision wait. */
const raiseRevision = (db: CatalogDb) =>
  db.updateTable("warehouseChecks").set((eb) => ({ revision: eb("revision", "+", 1) }));

/** The events that the warehouse must hold, as the ledger has counted them. */
export interface ShippedDays {
  /** Counts events that were shipped, and not the ones that were erased or expired. Days without any are left out. */
  days: DayCount[];
  /** How often the counts were changed otherwise than by shipping. Once it has changed, an earlier answer can no longer be compared. */
  revision: number;
  /** Whether visitors are being deleted from the warehouse, so that it may hold more than `days` says. */
  isErasing: boolean;
}

/** The events that the warehouse must hold of a row of `shipped_days`. */
const IN_WAREHOUSE = sql<number>`shipped - removed - expired`;

/** Whether visitors are being deleted from the warehouse. */
const isErasingWarehouse = (db: CatalogDb): Promise<boolean> =>
  hasRows(
    db
      .selectFrom("erasures")
      .select("receiptId")
      .where("finishedAt", "is", null)
      .where("status", "=", "warehouse"),
    1,
  );

/** The days of these sources. Read it before the warehouse is counted: events are shipped meanwhile. */
async function shippedDays(db: CatalogDb, { sourceIds }: { sourceIds: string[] }): Promise<ShippedDays> {
  // before the days: a change between the two reads makes the answer outdated and not wrong
  const { revision } = await db.selectFrom("warehouseChecks").select("revision").executeTakeFirstOrThrow();
  const isErasing = await isErasingWarehouse(db);
  const days = await db
    .selectFrom("shippedDays")
    .select(["sourceId", "day", IN_WAREHOUSE.as("events")])
    .where("sourceId", "in", sourceIds)
    .where(IN_WAREHOUSE, "<>", 0)
    .execute();
  return { days, revision, isErasing };
}

/** What the ledger has counted of the events of a source on a UTC day of `occurredAt`. */
export interface CountedDay {
  day: number;
  shipped: number;
  /** Erased in the warehouse. */
  removed: number;
  /** Deleted from the warehouse by the source's retention. */
  expired: number;
  /** Erased before they were shipped. */
  erasedWaiting: number;
}

/** @param span.to the last day */
const countedDays = (
  db: CatalogDb,
  { sourceId, from, to }: { sourceId: string; from: number; to: number },
): Promise<CountedDay[]> =>
  db
    .selectFrom("shippedDays")
    .select(["day", "shipped", "removed", "expired", "erasedWaiting"])
    .where("sourceId", "=", sourceId)
    .where("day", ">=", from)
    .where("day", "<=", to)
    .orderBy("day")
    .execute();

const NOTHING = { shipped: 0, removed: 0, expired: 0, erasedWaiting: 0 };

async function addToDays(
  db: CatalogDb,
  days: readonly DayCount[],
  column: "shipped" | "removed",
): Promise<void> {
  for (let start = 0; start < days.length; start += ROWS_AT_ONCE) {
    const rows = days
      .slice(start, start + ROWS_AT_ONCE)
      .map(({ sourceId, day, events }) => ({ sourceId, day, ...NOTHING, [column]: events }));
    await db
      .insertInto("shippedDays")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["sourceId", "day"]).doUpdateSet((eb) => ({
          [column]: eb(`shippedDays.${column}`, "+", eb.ref(`excluded.${column}`)),
        })),
      )
      .execute();
  }
}

/**
 * Adds to the number of events that the warehouse must hold on each of these days.
 * @param change.revision what `shippedDays` returned before the events were counted
 * @returns false when the counts were changed otherwise than by shipping since then: nothing is added
 */
async function addShippedDays(
  db: CatalogDb,
  { days, revision }: { days: DayCount[]; revision: number },
): Promise<boolean> {
  const { numUpdatedRows } = await raiseRevision(db)
    .where("revision", "=", revision)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await addToDays(db, days, "shipped");
  return true;
}

/** Counts the events of a source before a day as expired, because they are going to be deleted from the warehouse. */
async function expireShippedDays(
  db: CatalogDb,
  expired: { sourceId: string; before: number }[],
): Promise<void> {
  await raiseRevision(db).execute();
  for (const { sourceId, before } of expired)
    await db
      .updateTable("shippedDays")
      .set((eb) => ({ expired: eb("shipped", "-", eb.ref("removed")) }))
      .where("sourceId", "=", sourceId)
      .where("day", "<", before)
      .execute();
}

/**
 * Counts events as removed that are going to be deleted.
 * @returns false while other visitors are being deleted: they may be the same events, which must not be subtracted twice
 */
export async function subtractRemoved(db: CatalogDb, removed: readonly DayCount[]): Promise<boolean> {
  await raiseRevision(db).execute();
  if (await isErasingWarehouse(db)) return false;
  await addToDays(db, removed, "removed");
  return true;
}

/** `comparedAt` and `partsCheckedAt`: when a node last compared it, or began to check its files; 0: never. */
async function warehouseCheck(
  db: CatalogDb,
): Promise<{ comparedAt: number; partsCheckedAt: number; report: WarehouseReport }> {
  const { report, ...check } = await db
    .selectFrom("warehouseChecks")
    .select(["comparedAt", "partsCheckedAt", "report"])
    .executeTakeFirstOrThrow();
  return { ...check, report: JSON.parse(report) };
}

/** @returns false while another node has the claim */
async function claimWarehouseCheck(
  db: CatalogDb,
  { now, leaseMs }: { now: number; leaseMs: number },
  leaseClock: LeaseClock,
): Promise<boolean> {
  const time = leaseClock(now);
  const { numUpdatedRows } = await db
    .updateTable("warehouseChecks")
    .set({ claimedUntil: sql<number>`${time} + ${leaseMs}` })
    .where("claimedUntil", "<=", time)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Stores the outcome of a comparison, and ends the claim. */
async function saveWarehouseReport(
  db: CatalogDb,
  { report, comparedAt }: { report: WarehouseReport; comparedAt: number },
): Promise<void> {
  await db
    .updateTable("warehouseChecks")
    .set({ report: JSON.stringify(report), comparedAt, claimedUntil: 0 })
    .execute();
}

async function savePartsCheck(db: CatalogDb, { partsCheckedAt }: { partsCheckedAt: number }): Promise<void> {
  await db.updateTable("warehouseChecks").set({ partsCheckedAt }).execute();
}

export const warehouseReads = {
  allSourceIds,
  isErasingWarehouse,
  shippedDays,
  countedDays,
  warehouseCheck,
};
export const warehouseWrites = {
  addShippedDays,
  expireShippedDays,
  claimWarehouseCheck,
  saveWarehouseReport,
  savePartsCheck,
};
