/** Sources (docs/api/sources.md): read, create, update, delete. */
import type { SourceSettings } from "@headwater/contract";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { SourceChange } from "../ledger.ts";
import type { PageOf, SourceRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, isAfterCursor, lockOrganization, toPage } from "./database.ts";
import { freeSlug, slugOf } from "./slug.ts";
import { SOURCE_SELECTION, toSourceColumns, toSourceRecord } from "./source-columns.ts";

const selectSources = (db: CatalogDb) =>
  db
    .selectFrom("sources")
    .leftJoin("sourceActivity", "sourceActivity.sourceId", "sources.sourceId")
    .select(SOURCE_SELECTION)
    .where("sources.deletedAt", "is", null);

export async function sources(db: CatalogDb, page: Argument<"sources">): Promise<PageOf<SourceRecord>> {
  const rows = await selectSources(db)
    .where("sources.organizationId", "=", page.organizationId)
    .where(isAfterCursor(page, "sources.createdAt", "sources.sourceId"))
    .orderBy("sources.createdAt", "desc")
    .orderBy("sources.sourceId", "desc")
    .limit(page.limit + 1)
    .execute();
  const found = rows.map((row) => toSourceRecord(row));
  return toPage(found, page, ({ sourceId }) => sourceId);
}

export async function source(
  db: CatalogDb,
  { sourceId, now }: Argument<"source">,
): Promise<SourceRecord | null> {
  const row = await selectSources(db).where("sources.sourceId", "=", sourceId).executeTakeFirst();
  return row ? toSourceRecord(row, now) : null;
}

/** Reads a source and locks its row until the transaction ends. */
export async function lockSource(db: CatalogDb, asked: Argument<"source">): Promise<SourceRecord | null> {
  await db
    .updateTable("sources")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("sourceId", "=", asked.sourceId)
    .execute();
  return source(db, asked);
}

/** Lock the workspace first, or two sources could get the same slug. */
async function slugsIn(db: CatalogDb, organizationId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("sources")
    .select("slug")
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .execute();
  return new Set(rows.map((row) => row.slug));
}

/** The fields that audit entries leave out, because the server sets them. */
const NOT_AUDITED = {
  sourceId: true,
  organizationId: true,
  previousKeyExpiresAt: true,
  publicKeyRotatedAt: true,
  lastBootstrapAt: true,
  lastEventAt: true,
  createdAt: true,
  updatedAt: true,
} satisfies Record<Exclude<keyof SourceRecord, keyof SourceSettings | "publicKey">, true>;

/** The part of a source that audit entries show: its public key and the fields that its users set. */
const auditedFields = (source: SourceRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(source).filter(([name]) => !(name in NOT_AUDITED)));

export async function createSource(
  db: CatalogDb,
  made: Argument<"createSource">,
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
    .values({ ...toSourceColumns(created), deletedAt: null })
    .execute();
  await db
    .insertInto("sourceKeys")
    .values({ publicKey, sourceId, letInUntil: null, createdAt: now })
    .execute();
  const after = auditedFields(created);
  await writeAudit(db, { organizationId, now, actor, action: "source.created", target: sourceId, after });
  return created;
}

/** The members that are not undefined. */
const definedMembers = <T extends object>(values: T) =>
  // `Object.fromEntries` loses the names of the members
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Missing members keep their value, also inside those that are objects. */
function withChange(before: SourceRecord, change: SourceChange): SourceRecord {
  const { limits, privacy, pathRules, ...fields } = change;
  return {
    ...before,
    ...definedMembers(fields),
    limits: { ...before.limits, ...definedMembers(limits ?? {}) },
    privacy: { ...before.privacy, ...definedMembers(privacy ?? {}) },
    pathRules: { ...before.pathRules, ...definedMembers(pathRules ?? {}) },
  };
}

/** The audited fields in which the two differ; null when they are equal. */
function difference(before: SourceRecord, after: SourceRecord) {
  const newValues = auditedFields(after);
  const changed = Object.entries(auditedFields(before)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(newValues[field]),
  );
  if (changed.length === 0) return null;
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([field]) => [field, newValues[field]])),
  };
}

export async function updateSource(
  db: CatalogDb,
  changed: Argument<"updateSource">,
): Promise<SourceRecord | "unknown" | "slug_taken"> {
  const { sourceId, actor, now } = changed;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const after = withChange(before, changed.change);
  const changes = difference(before, after);
  if (!changes) return before;
  const { organizationId } = before;
  if (after.slug !== before.slug) {
    await lockOrganization(db, organizationId);
    if ((await slugsIn(db, organizationId)).has(after.slug)) return "slug_taken";
  }
  const updated: SourceRecord = { ...after, updatedAt: now };
  await db.updateTable("sources").set(toSourceColumns(updated)).where("sourceId", "=", sourceId).execute();
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "source.updated",
    target: sourceId,
    ...changes,
  });
  return updated;
}

/** Refuses the source's keys, revokes its tokens and frees its slug. Its events and usage are kept. */
export async function deleteSource(
  db: CatalogDb,
  deleted: Argument<"deleteSource">,
): Promise<"deleted" | "unknown"> {
  const { sourceId, actor, now } = deleted;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  await db
    .updateTable("sources")
    .set({ deletedAt: now, updatedAt: now, previousKeyExpiresAt: null })
    .where("sourceId", "=", sourceId)
    .execute();
  await db.updateTable("sourceKeys").set({ letInUntil: null }).where("sourceId", "=", sourceId).execute();
  await db.deleteFrom("eventCatalog").where("sourceId", "=", sourceId).execute();
  await db.deleteFrom("savedItems").where("sourceId", "=", sourceId).execute();
  await db.deleteFrom("reports").where("sourceId", "=", sourceId).execute();
  const revoked = await db
    .updateTable("tokens")
    .set({ revokedAt: now })
    .where("sourceId", "=", sourceId)
    .where("revokedAt", "is", null)
    .returning("tokenId")
    .execute();
  const entry = { organizationId: before.organizationId, now, actor, target: sourceId };
  const after = { revokedTokens: revoked.map((token) => token.tokenId) };
  await writeAudit(db, { ...entry, action: "source.deleted", before: auditedFields(before), after });
  return "deleted";
}
