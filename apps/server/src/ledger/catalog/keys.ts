/** Public keys of a source (CONTRACT section 2): one is current, at most one other is let in for a while. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { SourceRecord } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, numberOrNull } from "./database.ts";
import { lockSource } from "./sources.ts";

/** Lets one key in until then and every other key of the source no longer; null lets none in. */
async function letIn(db: Db, sourceId: string, publicKey: string, until: number | null): Promise<void> {
  await db.updateTable("source_keys").set({ let_in_until: null }).where("source_id", "=", sourceId).execute();
  if (until === null) return;
  await db
    .updateTable("source_keys")
    .set({ let_in_until: until })
    .where("source_id", "=", sourceId)
    .where("public_key", "=", publicKey)
    .execute();
}

/** So that a source that is rotated by a script does not grow for ever. */
async function forgetOldKeys(db: Db, sourceId: string): Promise<void> {
  const kept = db
    .selectFrom("source_keys")
    .select("public_key")
    .where("source_id", "=", sourceId)
    .orderBy("created_at", "desc")
    .limit(SERVER_LIMITS.retiredKeysKept + 1);
  await db
    .deleteFrom("source_keys")
    .where("source_id", "=", sourceId)
    .where("let_in_until", "is", null)
    .where("public_key", "not in", kept)
    .execute();
}

async function rotateKey(db: Db, rotated: Asked<"rotateKey">): Promise<SourceRecord | "unknown"> {
  const { sourceId, publicKey, graceMs, actor, now } = rotated;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const until = graceMs > 0 ? now + graceMs : null;
  await db
    .insertInto("source_keys")
    .values({ public_key: publicKey, source_id: sourceId, let_in_until: null, created_at: now })
    .execute();
  await letIn(db, sourceId, before.publicKey, until);
  await forgetOldKeys(db, sourceId);
  await db
    .updateTable("sources")
    .set({
      public_key: publicKey,
      previous_key_expires_at: until,
      public_key_rotated_at: now,
      updated_at: now,
    })
    .where("source_id", "=", sourceId)
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

/** A key of this source that is neither current nor let in. */
async function isRetired(db: Db, source: SourceRecord, publicKey: string, now: number): Promise<boolean> {
  if (publicKey === source.publicKey) return false;
  const row = await db
    .selectFrom("source_keys")
    .select("let_in_until")
    .where("public_key", "=", publicKey)
    .where("source_id", "=", source.sourceId)
    .executeTakeFirst();
  if (!row) return false;
  const until = numberOrNull(row.let_in_until);
  return until === null || until <= now;
}

async function restoreKey(
  db: Db,
  restored: Asked<"restoreKey">,
): Promise<SourceRecord | "unknown" | "not_retired"> {
  const { sourceId, publicKey, graceMs, actor, now } = restored;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  if (!(await isRetired(db, before, publicKey, now))) return "not_retired";
  const until = now + graceMs;
  await letIn(db, sourceId, publicKey, until);
  await db
    .updateTable("sources")
    .set({ previous_key_expires_at: until, updated_at: now })
    .where("source_id", "=", sourceId)
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

export const keyVerbs = (db: Db): Pick<Catalog, "rotateKey" | "restoreKey"> => ({
  rotateKey: (rotated) => db.transaction().execute((trx) => rotateKey(trx, rotated)),
  restoreKey: (restored) => db.transaction().execute((trx) => restoreKey(trx, restored)),
});
