/** The lookup of a source by a key, for every ingest request: SQL for both engines. */
import type { KeyState } from "@headwater/contract/attempts";
import type { KeyedSource } from "../records.ts";
import { SOURCE_SELECT_LIST, type SourceRow, toSourceRecord } from "./source-columns.ts";

export type SourceByKeyRow = SourceRow & { letInUntil: number | null; planVersion: number | null };

/** @param placeholder of the key, in the engine's own syntax: `?` or `$1` */
export const sourceByKeySql = (placeholder: string): string =>
  `select ${SOURCE_SELECT_LIST}, source_keys.let_in_until as "letInUntil", tracking_plans.version as "planVersion" from source_keys
    join sources on sources.source_id = source_keys.source_id
    left join source_activity on source_activity.source_id = sources.source_id
    left join tracking_plans on tracking_plans.source_id = sources.source_id and tracking_plans.is_current = 1
    where source_keys.public_key = ${placeholder} and sources.deleted_at is null`;

function keyStateOf(row: SourceByKeyRow, publicKey: string, now: number): KeyState {
  if (row.publicKey === publicKey) return "current";
  return row.letInUntil !== null && row.letInUntil > now ? "previous" : "retired";
}

export const toKeyedSource = (
  row: SourceByKeyRow,
  { publicKey, now }: { publicKey: string; now: number },
): KeyedSource => ({
  source: toSourceRecord(row, now),
  planVersion: row.planVersion,
  keyState: keyStateOf(row, publicKey, now),
  keyExpiresAt: row.letInUntil,
});
