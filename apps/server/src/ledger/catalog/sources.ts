/** Sources (docs/api/sources.md): read, create, update, delete. */
import type { SourceFieldName, SourceSettings } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { PageOf, QueriedSource, SourceRecord, WorkspacePageRequest } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, lockOrganization, onPage, toPage } from "./database.ts";
import { SOURCE_SELECTION, toSourceColumns, toSourceRecord } from "./source-columns.ts";

const selectSources = (db: CatalogDb) =>
  db
    .selectFrom("sources")
    .leftJoin("sourceActivity", "sourceActivity.sourceId", "sources.sourceId")
    .select(SOURCE_SELECTION)
    .where("sources.deletedAt", "is", null);

async function sources(db: CatalogDb, page: WorkspacePageRequest): Promise<PageOf<SourceRecord>> {
  const rows = await selectSources(db)
    .where("sources.organizationId", "=", page.organizationId)
    .$call(onPage(page, "sources.createdAt", "sources.sourceId"))
    .execute();
  const found = rows.map((row) => toSourceRecord(row));
  return toPage(found, page, ({ sourceId }) => sourceId);
}

interface SourceRequest {
  sourceId: string;
  now: number;
}

/** @returns null when the source is unknown or deleted */
async function source(db: CatalogDb, { sourceId, now }: SourceRequest): Promise<SourceRecord | null> {
  const row = await selectSources(db).where("sources.sourceId", "=", sourceId).executeTakeFirst();
  return row ? toSourceRecord(row, now) : null;
}

/** Sources that one statement reads: the settings of one can have 300 KB. */
const SOURCES_AT_ONCE = 50;

/** Reads what a query of several sources needs of each, of any workspace. Unknown and deleted ones are left out. */
async function severalSources(
  db: CatalogDb,
  { sourceIds }: { sourceIds: readonly string[] },
): Promise<QueriedSource[]> {
  const found: QueriedSource[] = [];
  for (let start = 0; start < sourceIds.length; start += SOURCES_AT_ONCE) {
    const ids = sourceIds.slice(start, start + SOURCES_AT_ONCE);
    const rows = await selectSources(db).where("sources.sourceId", "in", ids).execute();
    for (const row of rows) {
      const { sourceId, organizationId, pathRules } = toSourceRecord(row);
      found.push({ sourceId, organizationId, pathRules });
    }
  }
  return found;
}

/** Reads a source and locks its row until the transaction ends. */
export async function lockSource(db: CatalogDb, asked: SourceRequest): Promise<SourceRecord | null> {
  await db
    .updateTable("sources")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("sourceId", "=", asked.sourceId)
    .execute();
  return source(db, asked);
}

const cut = (slug: string, length: number) => slug.slice(0, length).replace(/-+$/, "");

/** `Café — Zürich!` becomes `cafe-zurich`; a name without Latin letters or digits becomes `source`. */
function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return cut(words.replace(/^-+/, ""), LIMITS.maxSlugLength) || "source";
}

/** The base itself if it is free, else the base with the first free number: `shop`, `shop-2`, `shop-3`. */
function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let candidate = base;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `-${number}`;
    candidate = cut(base, LIMITS.maxSlugLength - suffix.length) + suffix;
  }
  return candidate;
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

/** If `slugGiven` is false, the slug is derived from the source's name and made unique. */
async function createSource(
  db: CatalogDb,
  made: AuditedChange & { source: SourceRecord; slugGiven: boolean },
): Promise<SourceRecord | "slug_taken" | "too_many_sources"> {
  const { slugGiven, now } = made;
  const { organizationId, sourceId, publicKey, name } = made.source;
  await lockOrganization(db, organizationId);
  const taken = await slugsIn(db, organizationId);
  if (taken.size >= SERVER_LIMITS.maxSourcesPerWorkspace) return "too_many_sources";
  if (slugGiven && taken.has(made.source.slug)) return "slug_taken";
  const slug = slugGiven ? made.source.slug : freeSlug(slugOf(name), taken);
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
  await writeAudit(db, made, { organizationId, action: "source.created", target: sourceId, after });
  return created;
}

/** Fields whose members can be changed one by one. */
type ObjectField = "privacy" | "pathRules" | "limits";
/** An update of a source. Missing (or undefined) fields keep their value, even inside those that are objects. */
export type SourceChange = {
  [F in Exclude<SourceFieldName, ObjectField>]?: SourceRecord[F] | undefined;
} & {
  [F in ObjectField]?:
    | { [Member in keyof SourceRecord[F]]?: SourceRecord[F][Member] | undefined }
    | undefined;
};

/** The members that are not undefined. */
const definedMembers = <T extends object>(values: T) =>
  // `Object.fromEntries` loses the names of the members
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

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

async function updateSource(
  db: CatalogDb,
  changed: AuditedChange & { sourceId: string; change: SourceChange },
): Promise<SourceRecord | "unknown" | "slug_taken"> {
  const { sourceId, change, now } = changed;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  const after = withChange(before, change);
  const changes = difference(before, after);
  if (!changes) return before;
  const { organizationId } = before;
  if (after.slug !== before.slug) {
    await lockOrganization(db, organizationId);
    if ((await slugsIn(db, organizationId)).has(after.slug)) return "slug_taken";
  }
  const updated: SourceRecord = { ...after, updatedAt: now };
  await db.updateTable("sources").set(toSourceColumns(updated)).where("sourceId", "=", sourceId).execute();
  const entry = { organizationId, action: "source.updated", target: sourceId };
  await writeAudit(db, changed, { ...entry, ...changes });
  return updated;
}

/** Refuses the source's keys, revokes its tokens and frees its slug. Its events and usage are kept. */
async function deleteSource(
  db: CatalogDb,
  deleted: AuditedChange & { sourceId: string },
): Promise<"deleted" | "unknown"> {
  const { sourceId, now } = deleted;
  const before = await lockSource(db, { sourceId, now });
  if (!before) return "unknown";
  await db
    .updateTable("sources")
    .set({ deletedAt: now, updatedAt: now, previousKeyExpiresAt: null })
    .where("sourceId", "=", sourceId)
    .execute();
  await db.updateTable("sourceKeys").set({ letInUntil: null }).where("sourceId", "=", sourceId).execute();
  for (const table of ["eventCatalog", "savedItems", "reports"] as const)
    await db.deleteFrom(table).where("sourceId", "=", sourceId).execute();
  const revoked = await db
    .updateTable("tokens")
    .set({ revokedAt: now })
    .where("sourceId", "=", sourceId)
    .where("revokedAt", "is", null)
    .returning("tokenId")
    .execute();
  const entry = { organizationId: before.organizationId, action: "source.deleted", target: sourceId };
  const after = { revokedTokens: revoked.map((token) => token.tokenId) };
  await writeAudit(db, deleted, { ...entry, before: auditedFields(before), after });
  return "deleted";
}

export const sourceReads = { sources, source, severalSources };
export const sourceWrites = { createSource, updateSource, deleteSource };
