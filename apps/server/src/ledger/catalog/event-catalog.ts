/** The event catalogue of each source: one row for each event name, to which every node adds what it has seen. */
import { LIMITS } from "@headwater/contract/limits";
import { parseExactJson } from "../../core/exact-json.ts";
import { mergeCatalogEvents, OTHER_EVENTS } from "../merge-events.ts";
import type { CatalogEventRecord, PlanViolationRecord } from "../records.ts";
import type { CatalogDb } from "./database.ts";

/** @param asked name: only the event with this name; default: all */
async function eventCatalog(
  db: CatalogDb,
  { sourceId, name }: { sourceId: string; name?: string },
): Promise<CatalogEventRecord[]> {
  const rows = await db
    .selectFrom("eventCatalog")
    .select("record")
    .where("sourceId", "=", sourceId)
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    .orderBy("name")
    .execute();
  return rows.map(({ record }) => parseExactJson(record));
}

/** Violations of the source's tracking plan, those seen last first. */
async function planViolations(
  db: CatalogDb,
  { sourceId }: { sourceId: string },
): Promise<readonly PlanViolationRecord[]> {
  const [others] = await eventCatalog(db, { sourceId, name: OTHER_EVENTS });
  return others?.violations ?? [];
}

async function knownNames(db: CatalogDb, sourceId: string): Promise<Set<string>> {
  const rows = await db.selectFrom("eventCatalog").select("name").where("sourceId", "=", sourceId).execute();
  return new Set(rows.map(({ name }) => name));
}

/** Inserts the row, or locks and reads the one that is there. */
async function lockRow(db: CatalogDb, sourceId: string, name: string): Promise<CatalogEventRecord | null> {
  const { record } = await db
    .insertInto("eventCatalog")
    .values({ sourceId, name, record: "null" })
    .onConflict((conflict) =>
      conflict.columns(["sourceId", "name"]).doUpdateSet((eb) => ({ record: eb.ref("eventCatalog.record") })),
    )
    .returning("record")
    .executeTakeFirstOrThrow();
  return parseExactJson(record);
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

/** Adds what a node has seen to the event catalogue. A source that was deleted gets none. */
async function addToEventCatalog(
  db: CatalogDb,
  { sourceId, events }: { sourceId: string; events: readonly CatalogEventRecord[] },
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

export const eventCatalogReads = { eventCatalog, planViolations };
export const eventCatalogWrites = { addToEventCatalog };
