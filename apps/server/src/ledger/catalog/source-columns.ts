/**
 * How each field of a source is stored. Both engines read, insert and update sources by this table. A field of the
 * contract (packages/contract/src/source-fields.ts) that is missing here does not compile. CONTRIBUTING.md has the recipe
 * for a new field.
 */
import type { SourceRecord } from "../records.ts";

/**
 * - `value`: a column with the same value
 * - `flag`: a column with 0 or 1
 * - `json`: a column with JSON text
 * - `counting`: a member of the JSON object in the column `counting`
 * - `activity`: a column of `source_activity`, which commits write; null while the source has no such row
 */
type StorageFor<Value> = [Value] extends [boolean]
  ? "flag" | "counting"
  : [Value] extends [string | number | null]
    ? "value" | "activity" | "counting"
    : "json" | "counting";

const SOURCE_STORAGE = {
  sourceId: "value",
  organizationId: "value",
  name: "value",
  slug: "value",
  publicKey: "value",
  previousKeyExpiresAt: "value",
  publicKeyRotatedAt: "value",
  allowedOrigins: "json",
  frameworkHint: "value",
  isActive: "flag",
  requireOrigin: "flag",
  privacy: "json",
  engagement: "flag",
  goals: "counting",
  bots: "counting",
  excludedPaths: "counting",
  excludedAddresses: "json",
  queryParameters: "json",
  pathRules: "json",
  channelRules: "json",
  retentionDays: "value",
  embedOrigins: "json",
  limits: "json",
  lastBootstrapAt: "activity",
  lastEventAt: "activity",
  createdAt: "value",
  updatedAt: "value",
} as const satisfies { [F in keyof SourceRecord]: StorageFor<SourceRecord[F]> };

type StorageTable = typeof SOURCE_STORAGE;
type FieldStorage = StorageTable[keyof StorageTable];
type FieldStoredAs<S extends FieldStorage> = {
  [F in keyof StorageTable]: StorageTable[F] extends S ? F : never;
}[keyof StorageTable];

/** The columns of `sources` that hold fields, in camel case. */
export type SourceColumns = Pick<SourceRecord, FieldStoredAs<"value">> &
  Record<FieldStoredAs<"flag">, number> &
  Record<FieldStoredAs<"json"> | "counting", string>;
/** A row of `sources`, left-joined with `source_activity`. */
export type SourceRow = SourceColumns & Pick<SourceRecord, FieldStoredAs<"activity">>;

// `Object.entries` has lost the names of the members
const STORED_FIELDS = Object.entries(SOURCE_STORAGE) as [keyof StorageTable, FieldStorage][];

type SelectedColumn = `sources.${keyof SourceColumns}` | `sourceActivity.${FieldStoredAs<"activity">}`;

const toSelectedColumn = ([field, storage]: (typeof STORED_FIELDS)[number]) => {
  if (storage === "counting") return "sources.counting";
  return storage === "activity" ? `sourceActivity.${field}` : `sources.${field}`;
};

/** The columns of a SourceRow, for Kysely. */
export const SOURCE_SELECTION = [
  ...new Set(STORED_FIELDS.map(toSelectedColumn)),
  // the types of the template strings are wider: each storage has its own fields
] as SelectedColumn[];

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The same for SQL text: `sources.source_id as "sourceId", …`. */
export const SOURCE_SELECT_LIST = SOURCE_SELECTION.map(
  (column) => `${toSnakeCase(column)} as "${column.slice(column.indexOf(".") + 1)}"`,
).join(", ");

/** Builds the columns to insert or update. Activity is left out, because commits write it. */
export function toSourceColumns(source: SourceRecord): SourceColumns {
  const counting: Record<string, unknown> = {};
  const columns: Record<string, unknown> = {};
  for (const [field, storage] of STORED_FIELDS) {
    const value = source[field];
    if (storage === "counting") counting[field] = value;
    else if (storage === "flag") columns[field] = value ? 1 : 0;
    else if (storage === "json") columns[field] = JSON.stringify(value);
    else if (storage === "value") columns[field] = value;
  }
  // the loop has visited every field of the table
  return { ...columns, counting: JSON.stringify(counting) } as SourceColumns;
}

/** @param now a `previousKeyExpiresAt` before this time becomes null. Without `now`, the stored time is returned */
export function toSourceRecord(row: SourceRow, now = Number.NEGATIVE_INFINITY): SourceRecord {
  const columns: Record<string, unknown> = row;
  const record: Record<string, unknown> = JSON.parse(row.counting);
  for (const [field, storage] of STORED_FIELDS) {
    const value = columns[field];
    if (storage === "flag") record[field] = value === 1;
    else if (storage === "json") record[field] = JSON.parse(String(value));
    else if (storage !== "counting") record[field] = value;
  }
  const expiresAt = row.previousKeyExpiresAt;
  record.previousKeyExpiresAt = expiresAt !== null && expiresAt > now ? expiresAt : null;
  // the loop has visited every field of the table
  return record as unknown as SourceRecord;
}
