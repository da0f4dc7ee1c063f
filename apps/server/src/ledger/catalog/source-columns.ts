/**
 * How a source is stored, and how ingest finds it by a key: SQL for both engines. The settings that no statement reads are one
 * JSON text, so a new setting needs no column.
 */
import type { SourceSettings } from "@headwater/contract";
import type { KeyedSource, SourceRecord } from "../records.ts";

/** Settings with a column of their own. */
type ColumnSetting = "slug" | "isActive" | "retentionDays";
/** Commits write them, into `source_activity`. */
type ActivityField = "lastBootstrapAt" | "lastEventAt";

export type SourceColumns = Omit<SourceRecord, keyof SourceSettings | ActivityField> &
  Pick<SourceSettings, Exclude<ColumnSetting, "isActive">> & {
    isActive: number;
    /** The other `SourceSettings` as JSON. */
    settings: string;
  };
/** A row of `sources`, left-joined with `source_activity`. */
export type SourceRow = SourceColumns & Pick<SourceRecord, ActivityField>;

/** The columns of a SourceRow, for Kysely. */
export const SOURCE_SELECTION = [
  "sources.sourceId",
  "sources.organizationId",
  "sources.slug",
  "sources.publicKey",
  "sources.previousKeyExpiresAt",
  "sources.publicKeyRotatedAt",
  "sources.isActive",
  "sources.retentionDays",
  "sources.settings",
  "sources.createdAt",
  "sources.updatedAt",
  "sourceActivity.lastBootstrapAt",
  "sourceActivity.lastEventAt",
] as const satisfies (`sources.${keyof SourceColumns}` | `sourceActivity.${ActivityField}`)[];

/** Builds the columns to insert or update. */
export function toSourceColumns(source: SourceRecord): SourceColumns {
  const { sourceId, organizationId, slug, publicKey, isActive, retentionDays, ...others } = source;
  const { previousKeyExpiresAt, publicKeyRotatedAt, createdAt, updatedAt, ...fields } = others;
  const { lastBootstrapAt: _, lastEventAt: __, ...settings } = fields;
  const ids = { sourceId, organizationId, slug, publicKey };
  const times = { previousKeyExpiresAt, publicKeyRotatedAt, createdAt, updatedAt };
  return { ...ids, ...times, retentionDays, isActive: isActive ? 1 : 0, settings: JSON.stringify(settings) };
}

/** @param now a `previousKeyExpiresAt` before this time becomes null. Without `now`, the stored time is returned */
export function toSourceRecord(row: SourceRow, now = Number.NEGATIVE_INFINITY): SourceRecord {
  const { settings: json, isActive, previousKeyExpiresAt: expiresAt, ...columns } = row;
  const settings: Omit<SourceSettings, ColumnSetting> = JSON.parse(json);
  const previousKeyExpiresAt = expiresAt !== null && expiresAt > now ? expiresAt : null;
  return { ...columns, ...settings, isActive: isActive === 1, previousKeyExpiresAt };
}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `sources.source_id as "sourceId", …` */
const SOURCE_SELECT_LIST = SOURCE_SELECTION.map(
  (column) => `${toSnakeCase(column)} as "${column.slice(column.indexOf(".") + 1)}"`,
).join(", ");

export type SourceByKeyRow = SourceRow & { letInUntil: number | null; planVersion: number | null };

/** @param placeholder of the key, in the engine's own syntax: `?` or `$1` */
export const sourceByKeySql = (placeholder: string): string =>
  `select ${SOURCE_SELECT_LIST}, source_keys.let_in_until as "letInUntil", tracking_plans.version as "planVersion" from source_keys
    join sources on sources.source_id = source_keys.source_id
    left join source_activity on source_activity.source_id = sources.source_id
    left join tracking_plans on tracking_plans.source_id = sources.source_id and tracking_plans.is_current = 1
    where source_keys.public_key = ${placeholder} and sources.deleted_at is null`;

export function toKeyedSource(
  { letInUntil, planVersion, ...row }: SourceByKeyRow,
  { publicKey, now }: { publicKey: string; now: number },
): KeyedSource {
  const isAccepted = letInUntil !== null && letInUntil > now;
  const keyState = row.publicKey === publicKey ? "current" : isAccepted ? "previous" : "retired";
  return { source: toSourceRecord(row, now), planVersion, keyState, keyExpiresAt: letInUntil };
}
