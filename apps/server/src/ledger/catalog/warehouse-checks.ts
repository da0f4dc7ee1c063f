/** What the warehouse must hold of each source and day, and the outcome of the latest checks of the warehouse. */
import { sql } from "kysely";
import type { ShippedDays, WarehouseCheck } from "../warehouse-ledger.ts";
import type { DayCount } from "../warehouse-report.ts";
import type { Argument, CatalogDb, LeaseClock } from "./database.ts";

/** SQLite binds at most 32,766 values in a statement. */
const ROWS_AT_ONCE = 2_000;

export async function allSourceIds(db: CatalogDb): Promise<string[]> {
  const rows = await db.selectFrom("sources").select("sourceId").orderBy("sourceId").execute();
  return rows.map(({ sourceId }) => sourceId);
}

async function readRevision(db: CatalogDb): Promise<number> {
  return (await db.selectFrom("warehouseChecks").select("revision").executeTakeFirstOrThrow()).revision;
}

/** To be called before the rows are changed: it makes transactions that change the revision wait. */
const raiseRevision = (db: CatalogDb) =>
  db.updateTable("warehouseChecks").set((eb) => ({ revision: eb("revision", "+", 1) }));

export async function shippedDays(
  db: CatalogDb,
  { sourceIds }: Argument<"shippedDays">,
): Promise<ShippedDays> {
  // before the days: a change between the two reads makes the answer outdated and not wrong
  const revision = await readRevision(db);
  const erasing = await db
    .selectFrom("erasures")
    .select("receiptId")
    .where("finishedAt", "is", null)
    .where("status", "=", "warehouse")
    .limit(1)
    .execute();
  const days = await db
    .selectFrom("shippedDays")
    .select((eb) => ["sourceId", "day", eb("shipped", "-", eb.ref("removed")).as("events")])
    .where("sourceId", "in", sourceIds)
    .execute();
  return { days, revision, isErasing: erasing.length > 0 };
}

async function addToDays(
  db: CatalogDb,
  days: readonly DayCount[],
  column: "shipped" | "removed",
): Promise<void> {
  for (let start = 0; start < days.length; start += ROWS_AT_ONCE) {
    const rows = days.slice(start, start + ROWS_AT_ONCE);
    await db
      .insertInto("shippedDays")
      .values(
        rows.map(({ sourceId, day, events }) => ({
          sourceId,
          day,
          shipped: 0,
          removed: 0,
          [column]: events,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["sourceId", "day"]).doUpdateSet((eb) => ({
          [column]: eb(`shippedDays.${column}`, "+", eb.ref(`excluded.${column}`)),
        })),
      )
      .execute();
  }
}

export async function addShippedDays(
  db: CatalogDb,
  { days, revision }: Argument<"addShippedDays">,
): Promise<boolean> {
  const { numUpdatedRows } = await raiseRevision(db)
    .where("revision", "=", revision)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await addToDays(db, days, "shipped");
  return true;
}

export async function forgetShippedDays(
  db: CatalogDb,
  expired: Argument<"forgetShippedDays">,
): Promise<void> {
  await raiseRevision(db).execute();
  for (const { sourceId, before } of expired)
    await db.deleteFrom("shippedDays").where("sourceId", "=", sourceId).where("day", "<", before).execute();
}

export async function subtractRemoved(db: CatalogDb, removed: readonly DayCount[]): Promise<void> {
  await raiseRevision(db).execute();
  await addToDays(db, removed, "removed");
}

export async function warehouseCheck(db: CatalogDb): Promise<WarehouseCheck> {
  const { comparedAt, partsCheckedAt, report } = await db
    .selectFrom("warehouseChecks")
    .select(["comparedAt", "partsCheckedAt", "report"])
    .executeTakeFirstOrThrow();
  return { comparedAt, partsCheckedAt, report: JSON.parse(report) };
}

export async function claimWarehouseCheck(
  db: CatalogDb,
  leaseClock: LeaseClock,
  { now, leaseMs }: Argument<"claimWarehouseCheck">,
): Promise<boolean> {
  const time = leaseClock(now);
  const { numUpdatedRows } = await db
    .updateTable("warehouseChecks")
    .set({ claimedUntil: sql<number>`${time} + ${leaseMs}` })
    .where("claimedUntil", "<=", time)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function saveWarehouseReport(
  db: CatalogDb,
  { report, comparedAt }: Argument<"saveWarehouseReport">,
): Promise<void> {
  await db
    .updateTable("warehouseChecks")
    .set({ report: JSON.stringify(report), comparedAt, claimedUntil: 0 })
    .execute();
}

export async function savePartsCheck(
  db: CatalogDb,
  { partsCheckedAt }: Argument<"savePartsCheck">,
): Promise<void> {
  await db.updateTable("warehouseChecks").set({ partsCheckedAt }).execute();
}
