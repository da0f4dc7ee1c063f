/** Segments, funnels and annotations that members save for the stats of a source (docs/api/reports.md). */
import { LIMITS } from "@headwater/contract/limits";
import type { SavedItemRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { lockSource } from "./sources.ts";

export async function savedItems(
  db: CatalogDb,
  { sourceId, userId }: Argument<"savedItems">,
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

export async function createSavedItem(
  db: CatalogDb,
  { item, actor, now }: Argument<"createSavedItem">,
): Promise<"created" | "unknown" | "too_many"> {
  const { sourceId, savedId, kind, name, isShared, definition } = item;
  // the lock keeps requests at the same time below the limit
  const source = await lockSource(db, { sourceId, now });
  if (!source) return "unknown";
  const { items } = await db
    .selectFrom("savedItems")
    .select((eb) => eb.fn.countAll().as("items"))
    .where("sourceId", "=", sourceId)
    .executeTakeFirstOrThrow();
  if (Number(items) >= LIMITS.maxSavedItems) return "too_many";
  await db
    .insertInto("savedItems")
    .values({ ...item, isShared: isShared ? 1 : 0, definition: JSON.stringify(definition) })
    .execute();
  if (isShared) {
    const entry = { organizationId: source.organizationId, now, actor, target: sourceId };
    await writeAudit(db, {
      ...entry,
      action: "source.saved_item_created",
      before: null,
      after: { savedId, kind, name },
    });
  }
  return "created";
}

export async function deleteSavedItem(
  db: CatalogDb,
  { sourceId, savedId, mayDeleteShared, actor, now }: Argument<"deleteSavedItem">,
): Promise<"deleted" | "unknown" | "denied"> {
  const source = await lockSource(db, { sourceId, now });
  const items = await savedItems(db, { sourceId, userId: actor.userId });
  const item = items.find((one) => one.savedId === savedId);
  if (!source || !item) return "unknown";
  const { kind, name, isShared, userId } = item;
  if (userId !== actor.userId && !mayDeleteShared) return "denied";
  await db.deleteFrom("savedItems").where("savedId", "=", savedId).execute();
  if (isShared) {
    const entry = { organizationId: source.organizationId, now, actor, target: sourceId };
    await writeAudit(db, {
      ...entry,
      action: "source.saved_item_deleted",
      before: { savedId, kind, name },
      after: null,
    });
  }
  return "deleted";
}
