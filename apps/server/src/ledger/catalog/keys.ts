/** Public keys of a source (docs/api/sources.md): one current key, and at most one previous key that is still accepted. */
import type { SourceRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { lockSource } from "./sources.ts";

/** Each rotation adds a retired key. The debug view recognizes installs that still use one. */
export const RETIRED_KEYS_KEPT = 50;

/** Accepts this key until the given time, and no other previous key. With null, no previous key is accepted. */
async function acceptUntil(
  db: CatalogDb,
  sourceId: string,
  publicKey: string,
  until: number | null,
): Promise<void> {
  await db.updateTable("sourceKeys").set({ letInUntil: null }).where("sourceId", "=", sourceId).execute();
  if (until === null) return;
  await db
    .updateTable("sourceKeys")
    .set({ letInUntil: until })
    .where("sourceId", "=", sourceId)
    .where("publicKey", "=", publicKey)
    .execute();
}

/** Deletes the oldest retired keys, so that a script that rotates again and again cannot fill the table. */
async function deleteOldKeys(db: CatalogDb, sourceId: string): Promise<void> {
  const kept = db
    .selectFrom("sourceKeys")
    .select("publicKey")
    .where("sourceId", "=", sourceId)
    .orderBy("createdAt", "desc")
    .limit(RETIRED_KEYS_KEPT + 1);
  await db
    .deleteFrom("sourceKeys")
    .where("sourceId", "=", sourceId)
    .where("letInUntil", "is", null)
    .where("publicKey", "not in", kept)
    .execute();
}

export async function rotateKey(
  db: CatalogDb,
  rotated: Argument<"rotateKey">,
): Promise<SourceRecord | "unknown"> {
  const { sourceId, publicKey, graceMs, actor, now } = rotated;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const until = graceMs > 0 ? now + graceMs : null;
  await db
    .insertInto("sourceKeys")
    .values({ publicKey, sourceId, letInUntil: null, createdAt: now })
    .execute();
  await acceptUntil(db, sourceId, before.publicKey, until);
  await deleteOldKeys(db, sourceId);
  await db
    .updateTable("sources")
    .set({
      publicKey,
      previousKeyExpiresAt: until,
      publicKeyRotatedAt: now,
      updatedAt: now,
    })
    .where("sourceId", "=", sourceId)
    .execute();
  await writeAudit(db, {
    organizationId: before.organizationId,
    now,
    actor,
    action: "source.key_rotated",
    target: sourceId,
    before: { publicKey: before.publicKey },
    after: { publicKey, previousKeyExpiresAt: until },
  });
  return { ...before, publicKey, previousKeyExpiresAt: until, publicKeyRotatedAt: now, updatedAt: now };
}

/** Whether the key belongs to this source and is not accepted any more. */
async function isRetired(
  db: CatalogDb,
  source: SourceRecord,
  publicKey: string,
  now: number,
): Promise<boolean> {
  if (publicKey === source.publicKey) return false;
  const row = await db
    .selectFrom("sourceKeys")
    .select("letInUntil")
    .where("publicKey", "=", publicKey)
    .where("sourceId", "=", source.sourceId)
    .executeTakeFirst();
  if (!row) return false;
  return row.letInUntil === null || row.letInUntil <= now;
}

export async function restoreKey(
  db: CatalogDb,
  restored: Argument<"restoreKey">,
): Promise<SourceRecord | "unknown" | "not_retired"> {
  const { sourceId, publicKey, graceMs, actor, now } = restored;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  if (!(await isRetired(db, before, publicKey, now))) return "not_retired";
  const until = now + graceMs;
  await acceptUntil(db, sourceId, publicKey, until);
  await db
    .updateTable("sources")
    .set({ previousKeyExpiresAt: until, updatedAt: now })
    .where("sourceId", "=", sourceId)
    .execute();
  await writeAudit(db, {
    organizationId: before.organizationId,
    now,
    actor,
    action: "source.key_restored",
    target: sourceId,
    before: { previousKeyExpiresAt: before.previousKeyExpiresAt },
    after: { restoredKey: publicKey, previousKeyExpiresAt: until },
  });
  return { ...before, previousKeyExpiresAt: until, updatedAt: now };
}
