/** The event catalogue of each source: one row for each event name, to which every node adds what it has seen. */
import { LIMITS } from "@headwater/contract/limits";
import { mergeCatalogEvents, OTHER_EVENTS } from "../merge-events.ts";
import type { CatalogEventRecord, PlanViolationRecord } from "../records.ts";
import type { Argument, CatalogDb } from "./database.ts";

export async function eventCatalog(
  db: CatalogDb,
  { sourceId }: Argument<"eventCatalog">,
): Promise<CatalogEventRecord[]> {
  const rows = await db
    .selectFrom("eventCatalog")
    .select("record")
    .where("sourceId", "=", sourceId)
    .orderBy("name")
    .execute();
  return rows.map(({ record }) => JSON.parse(record));
}

/** Violations of the source's tracking plan, those seen last first. */
export async function planViolations(
  db: CatalogDb,
  { sourceId }: Argument<"planViolations">,
): Promise<readonly PlanViolationRecord[]> {
  const row = await db
    .selectFrom("eventCatalog")
    .select("record")
    .where("sourceId", "=", sourceId)
    .where("name", "=", OTHER_EVENTS)
    .executeTakeFirst();
  const record: CatalogEventRecord | null = row ? JSON.parse(row.record) : null;
  return record?.violations ?? [];
}

async function knownNames(db: CatalogDb, sourceId: string): Promise<Set<string>> {
  const rows = await db.selectFrom("eventCatalog").select("name").where("sourceId", "=", sourceId).execute();
  return new Set(rows.map(({ name }) => name));
}

/** Inserts the row, or locks and reads the one that is there. */
async function lockRow(db: CatalogDb, sourceId: string, name: string): Promise<CatalogEventRecord | null> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("eventCatalog")
    .values({ sourceId, name, record: "" })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return null;
  const { record } = await db
    .updateTable("eventCatalog")
    .set((eb) => ({ record: eb.ref("record") }))
    .where("sourceId", "=", sourceId)
    .where("name", "=", name)
    .returning("record")
    .executeTakeFirstOrThrow();
  return JSON.parse(record);
}

async function addEvent(db: CatalogDb, sourceId: string, seen: CatalogEventRecord): Promise<void> {
  const stored = await lockRow(db, sourceId, seen.name);
  await db
    .updateTable("eventCatalog")
    .set({ record: JSON.stringify(stored ? mergeCatalogEvents(stored, seen) : seen) })
    .where("sourceId", "=", sourceId)
    .where("name", "=", seen.name)
    .execute();
}

/** Only the counts of further names are kept. */
const asOther = (seen: CatalogEventRecord): CatalogEventRecord => ({
  ...seen,
  name: OTHER_EVENTS,
  sampled: 0,
  properties: [],
  clientVersions: [],
  pages: [],
});

export async function addToEventCatalog(
  db: CatalogDb,
  { sourceId, events }: Argument<"addToEventCatalog">,
): Promise<void> {
  const source = await db
    .selectFrom("sources")
    .select("sourceId")
    .where("sourceId", "=", sourceId)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (!source) return;
  const known = await knownNames(db, sourceId);
  known.delete(OTHER_EVENTS);
  const added = new Map<string, CatalogEventRecord>();
  for (const seen of events) {
    const isKept =
      seen.name !== OTHER_EVENTS && (known.has(seen.name) || known.size < LIMITS.maxCatalogEvents);
    const event = isKept ? seen : asOther(seen);
    if (isKept) known.add(seen.name);
    const same = added.get(event.name);
    added.set(event.name, same ? mergeCatalogEvents(same, event) : event);
  }
  // in one order on all nodes, so that two transactions never wait for each other
  for (const name of [...added.keys()].toSorted()) {
    const seen = added.get(name);
    if (seen) await addEvent(db, sourceId, seen);
  }
}
