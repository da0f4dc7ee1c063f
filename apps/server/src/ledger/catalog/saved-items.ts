/** Segments, funnels and annotations that members save for the stats of a source (docs/api/reports.md). */
import { LIMITS } from "@headwater/contract/limits";
import type { SavedItemRecord } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows } from "./database.ts";
import { lockSource } from "./sources.ts";

/** Shared items and those of the user, oldest first. */
async function savedItems(
  db: CatalogDb,
  { sourceId, userId }: { sourceId: string; userId: string },
): Promise<SavedItemRecord[]> {
  const rows = await db
    .selectFrom("savedItems")
    .selectAll()
    .where("sourceId", "=", sourceId)
    .where((eb) => eb.or([eb("isShared", "=", 1), eb("userId", "=", userId)]))
    .orderBy("createdAt")
    .orderBy("savedId")
    .execute();
  return rows.map(({ isShared, definition, ...row }) => ({
    ...row,
    isShared: isShared === 1,
    definition: JSON.parse(definition),
  }));
}

/** The members that audit entries show. */
const audited = ({ savedId, kind, name }: SavedItemRecord) => ({ savedId, kind, name });

/**
 * The caller has locked the source, so that requests at the same time stay below the limit.
 * @returns false when the source has too many
 */
export async function insertSavedItem(db: CatalogDb, item: SavedItemRecord): Promise<boolean> {
  const { sourceId, isShared, definition } = item;
  const others = db.selectFrom("savedItems").select("savedId").where("sourceId", "=", sourceId);
  if (await hasRows(others, LIMITS.maxSavedItems)) return false;
  await db
    .insertInto("savedItems")
    .values({ ...item, isShared: isShared ? 1 : 0, definition: JSON.stringify(definition) })
    .execute();
  return true;
}

/** Only a change of a shared item writes an audit entry: others concern nobody else. */
async function createSavedItem(
  db: CatalogDb,
  made: AuditedChange & { item: SavedItemRecord },
): Promise<"created" | "unknown" | "too_many"> {
  const { item, now } = made;
  const { sourceId, isShared } = item;
  const source = await lockSource(db, { sourceId, now });
  if (!source) return "unknown";
  if (!(await insertSavedItem(db, item))) return "too_many";
  if (isShared) {
    const { organizationId } = source;
    const entry = { organizationId, action: "source.saved_item_created", target: sourceId };
    await writeAudit(db, made, { ...entry, before: null, after: audited(item) });
  }
  return "created";
}

/** @param deleted mayDeleteShared: also items that others share */
async function deleteSavedItem(
  db: CatalogDb,
  deleted: AuditedChange & { sourceId: string; savedId: string; mayDeleteShared: boolean },
): Promise<"deleted" | "unknown" | "denied"> {
  const { sourceId, savedId, mayDeleteShared, actor, now } = deleted;
  const source = await lockSource(db, { sourceId, now });
  const items = await savedItems(db, { sourceId, userId: actor.userId });
  const item = items.find((one) => one.savedId === savedId);
  if (!source || !item) return "unknown";
  if (item.userId !== actor.userId && !mayDeleteShared) return "denied";
  await db.deleteFrom("savedItems").where("savedId", "=", savedId).execute();
  if (item.isShared) {
    const { organizationId } = source;
    const entry = { organizationId, action: "source.saved_item_deleted", target: sourceId };
    await writeAudit(db, deleted, { ...entry, before: audited(item), after: null });
  }
  return "deleted";
}

export const savedItemReads = { savedItems };
export const savedItemWrites = { createSavedItem, deleteSavedItem };
