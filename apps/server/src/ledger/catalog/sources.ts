/** Sources (CONTRACT section 2): read, create, update, delete. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { SourceRecord } from "../../core/records.ts";
import type { Catalog, SourceChange } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, isAfter, lockOrganization, pageOf } from "./database.ts";
import { freeSlug, slugOf } from "./slug.ts";
import { rowOf, SOURCE_COLUMNS, sourceRecord } from "./source-row.ts";

const selectSources = (db: Db) =>
  db
    .selectFrom("sources")
    .leftJoin("source_activity", "source_activity.source_id", "sources.source_id")
    .select(SOURCE_COLUMNS)
    .where("sources.deleted_at", "is", null);

async function sources(db: Db, page: Asked<"sources">) {
  const rows = await selectSources(db)
    .where("sources.organization_id", "=", page.organizationId)
    .where(isAfter(page, "sources.created_at", "sources.source_id"))
    .orderBy("sources.created_at")
    .orderBy("sources.source_id")
    .limit(page.limit + 1)
    .execute();
  const found = rows.map((row) => sourceRecord(row));
  return pageOf(found, page, ({ sourceId }) => sourceId);
}

async function source(db: Db, { sourceId, now }: Asked<"source">): Promise<SourceRecord | null> {
  const row = await selectSources(db).where("sources.source_id", "=", sourceId).executeTakeFirst();
  return row ? sourceRecord(row, now) : null;
}

/** Reads a source and holds its row for the rest of the transaction, so that what follows rests on what was read. */
export async function lockSource(db: Db, asked: Asked<"source">): Promise<SourceRecord | null> {
  await db
    .updateTable("sources")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("source_id", "=", asked.sourceId)
    .execute();
  return source(db, asked);
}

/** The workspace must be held, else two sources could take one slug. */
async function slugsIn(db: Db, organizationId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("sources")
    .select("slug")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .execute();
  return new Set(rows.map((row) => row.slug));
}

/** The members of a source that the audit log leaves out: the server sets them. */
const NOT_AUDITED: ReadonlySet<string> = new Set<keyof SourceRecord>([
  "sourceId",
  "organizationId",
  "previousKeyExpiresAt",
  "publicKeyRotatedAt",
  "lastBootstrapAt",
  "lastEventAt",
  "createdAt",
  "updatedAt",
]);

/** The part of a source that the audit log records: its public key and the fields that its users set. */
const audited = (source: SourceRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(source).filter(([name]) => !NOT_AUDITED.has(name)));

async function createSource(
  db: Db,
  made: Asked<"createSource">,
): Promise<SourceRecord | "slug_taken" | "too_many_sources"> {
  const { actor, now } = made;
  const { organizationId, sourceId, publicKey } = made.source;
  await lockOrganization(db, organizationId);
  const taken = await slugsIn(db, organizationId);
  if (taken.size >= SERVER_LIMITS.maxSourcesPerWorkspace) return "too_many_sources";
  if (made.slugGiven && taken.has(made.source.slug)) return "slug_taken";
  const slug = made.slugGiven ? made.source.slug : freeSlug(slugOf(made.source.name), taken);
  const created: SourceRecord = { ...made.source, slug };
  await db
    .insertInto("sources")
    .values({ ...rowOf(created), deleted_at: null })
    .execute();
  await db
    .insertInto("source_keys")
    .values({ public_key: publicKey, source_id: sourceId, let_in_until: null, created_at: now })
    .execute();
  const after = audited(created);
  await writeAudit(db, { organizationId, now, actor, action: "source.created", target: sourceId, after });
  return created;
}

/** The members that are not undefined. */
const supplied = <T extends object>(values: T) =>
  // `Object.fromEntries` loses the names of the members
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Supplied fields only; of `limits` and `privacy` too. */
function changedSource(before: SourceRecord, { limits, privacy, ...fields }: SourceChange): SourceRecord {
  return {
    ...before,
    ...supplied(fields),
    limits: { ...before.limits, ...supplied(limits ?? {}) },
    privacy: { ...before.privacy, ...supplied(privacy ?? {}) },
  };
}

/** The fields of `audited` in which the two differ. */
function difference(before: SourceRecord, after: SourceRecord) {
  const was = Object.entries(audited(before));
  const is = new Map(Object.entries(audited(after)));
  const changed = was.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(is.get(field)));
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([field]) => [field, is.get(field)])),
    some: changed.length > 0,
  };
}

async function updateSource(
  db: Db,
  changed: Asked<"updateSource">,
): Promise<SourceRecord | "unknown" | "slug_taken"> {
  const { sourceId, actor, now } = changed;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const after = changedSource(before, changed.change);
  const differs = difference(before, after);
  if (!differs.some) return before;
  const { organizationId } = before;
  if (after.slug !== before.slug) {
    await lockOrganization(db, organizationId);
    if ((await slugsIn(db, organizationId)).has(after.slug)) return "slug_taken";
  }
  const updated: SourceRecord = { ...after, updatedAt: now };
  await db.updateTable("sources").set(rowOf(updated)).where("source_id", "=", sourceId).execute();
  const { before: was, after: is } = differs;
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "source.updated",
    target: sourceId,
    before: was,
    after: is,
  });
  return updated;
}

/** Its keys stop, its slug is free again, its history stays. */
async function deleteSource(db: Db, deleted: Asked<"deleteSource">): Promise<"deleted" | "unknown"> {
  const { sourceId, actor, now } = deleted;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  await db
    .updateTable("sources")
    .set({ deleted_at: now, updated_at: now, previous_key_expires_at: null })
    .where("source_id", "=", sourceId)
    .execute();
  await db.updateTable("source_keys").set({ let_in_until: null }).where("source_id", "=", sourceId).execute();
  const revoked = await db
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("source_id", "=", sourceId)
    .where("revoked_at", "is", null)
    .returning("token_id")
    .execute();
  const entry = { organizationId: before.organizationId, now, actor, target: sourceId };
  const after = { revokedTokens: revoked.map((token) => token.token_id) };
  await writeAudit(db, { ...entry, action: "source.deleted", before: audited(before), after });
  return "deleted";
}

type Verbs = "sources" | "source" | "createSource" | "updateSource" | "deleteSource";

export const sourceVerbs = (db: Db): Pick<Catalog, Verbs> => ({
  sources: (page) => sources(db, page),
  source: (asked) => source(db, asked),
  createSource: (made) => db.transaction().execute((trx) => createSource(trx, made)),
  updateSource: (changed) => db.transaction().execute((trx) => updateSource(trx, changed)),
  deleteSource: (deleted) => db.transaction().execute((trx) => deleteSource(trx, deleted)),
});
