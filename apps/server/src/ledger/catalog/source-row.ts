/** Between a source as the ledger keeps it and as the service knows it. The hot verbs of each engine use it too. */
import type { Counting } from "@headwater/contract";
import type { SourceRecord } from "../../core/records.ts";
import { number, numberOrNull } from "./database.ts";
import type { CatalogTables } from "./schema.ts";

type Row = CatalogTables["sources"];
type Activity = Pick<CatalogTables["source_activity"], "last_bootstrap_at" | "last_event_at">;

/** A row of `sources`, left-joined with its activity. */
export type SourceRow = Omit<Row, "deleted_at"> & Activity;

/** The columns a SourceRow needs, with their tables. */
export const SOURCE_COLUMNS = [
  "sources.source_id",
  "sources.organization_id",
  "sources.name",
  "sources.slug",
  "sources.public_key",
  "sources.previous_key_expires_at",
  "sources.public_key_rotated_at",
  "sources.allowed_origins",
  "sources.framework_hint",
  "sources.is_active",
  "sources.require_origin",
  "sources.limits",
  "sources.privacy",
  "sources.counting",
  "sources.retention_days",
  "sources.created_at",
  "sources.updated_at",
  "source_activity.last_bootstrap_at",
  "source_activity.last_event_at",
] as const;

/** @param now hides a previous key's end that is past; without it the row's own value is given */
export function sourceRecord(row: SourceRow, now = Number.NEGATIVE_INFINITY): SourceRecord {
  const previous = numberOrNull(row.previous_key_expires_at);
  return {
    sourceId: row.source_id,
    organizationId: row.organization_id,
    name: row.name,
    slug: row.slug,
    publicKey: row.public_key,
    previousKeyExpiresAt: previous !== null && previous > now ? previous : null,
    publicKeyRotatedAt: numberOrNull(row.public_key_rotated_at),
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    frameworkHint: row.framework_hint,
    isActive: number(row.is_active) === 1,
    requireOrigin: number(row.require_origin) === 1,
    privacy: JSON.parse(row.privacy) as SourceRecord["privacy"],
    ...(JSON.parse(row.counting) as Omit<Counting, "retentionDays">),
    retentionDays: numberOrNull(row.retention_days),
    limits: JSON.parse(row.limits) as SourceRecord["limits"],
    lastBootstrapAt: numberOrNull(row.last_bootstrap_at),
    lastEventAt: numberOrNull(row.last_event_at),
    createdAt: number(row.created_at),
    updatedAt: number(row.updated_at),
  };
}

/** What a source's row holds of it; its activity is counted elsewhere. */
export const rowOf = (source: SourceRecord): Omit<Row, "deleted_at"> => ({
  source_id: source.sourceId,
  organization_id: source.organizationId,
  name: source.name,
  slug: source.slug,
  public_key: source.publicKey,
  previous_key_expires_at: source.previousKeyExpiresAt,
  public_key_rotated_at: source.publicKeyRotatedAt,
  allowed_origins: JSON.stringify(source.allowedOrigins),
  framework_hint: source.frameworkHint,
  is_active: source.isActive ? 1 : 0,
  require_origin: source.requireOrigin ? 1 : 0,
  privacy: JSON.stringify(source.privacy),
  counting: JSON.stringify({
    goals: source.goals,
    bots: source.bots,
    excludedPaths: source.excludedPaths,
  }),
  retention_days: source.retentionDays,
  limits: JSON.stringify(source.limits),
  created_at: source.createdAt,
  updated_at: source.updatedAt,
});
