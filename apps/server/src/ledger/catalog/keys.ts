/** Public keys of a source (docs/api/sources.md): one current key, and at most one previous key that is still accepted. */
import type { SourceRecord } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
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

interface KeyChange extends AuditedChange {
  sourceId: string;
  publicKey: string;
  /** For how long the previous key is accepted. */
  graceMs: number;
}

/** Makes `publicKey` the current key. The previous key is accepted for another `graceMs`. */
async function rotateKey(db: CatalogDb, rotated: KeyChange): Promise<SourceRecord | "unknown"> {
  const { sourceId, publicKey, graceMs, now } = rotated;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const until = graceMs > 0 ? now + graceMs : null;
  await db
    .insertInto("sourceKeys")
    .values({ publicKey, sourceId, letInUntil: null, createdAt: now })
    .execute();
  await acceptUntil(db, sourceId, before.publicKey, until);
  await deleteOldKeys(db, sourceId);
  const change = { publicKey, previousKeyExpiresAt: until, publicKeyRotatedAt: now, updatedAt: now };
  await db.updateTable("sources").set(change).where("sourceId", "=", sourceId).execute();
  const entry = { organizationId: before.organizationId, action: "source.key_rotated", target: sourceId };
  const after = { publicKey, previousKeyExpiresAt: until };
  await writeAudit(db, rotated, { ...entry, before: { publicKey: before.publicKey }, after });
  return { ...before, ...change };
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
  return row !== undefined && (row.letInUntil === null || row.letInUntil <= now);
}

/** Accepts a retired key again for `graceMs`. */
async function restoreKey(
  db: CatalogDb,
  restored: KeyChange,
): Promise<SourceRecord | "unknown" | "not_retired"> {
  const { sourceId, publicKey, graceMs, now } = restored;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  if (!(await isRetired(db, before, publicKey, now))) return "not_retired";
  const { organizationId, previousKeyExpiresAt } = before;
  const change = { previousKeyExpiresAt: now + graceMs, updatedAt: now };
  await acceptUntil(db, sourceId, publicKey, change.previousKeyExpiresAt);
  await db.updateTable("sources").set(change).where("sourceId", "=", sourceId).execute();
  const entry = { organizationId, action: "source.key_restored", target: sourceId };
  const after = { restoredKey: publicKey, previousKeyExpiresAt: change.previousKeyExpiresAt };
  await writeAudit(db, restored, { ...entry, before: { previousKeyExpiresAt }, after });
  return { ...before, ...change };
}

export const keyWrites = { rotateKey, restoreKey };
