/** The hot reads: a source by its key, a session by its id. */
import type { KeyState } from "@headwater/contract/attempts";
import type pg from "pg";
import type { SessionRecord } from "../../core/records.ts";
import { SOURCE_COLUMNS, type SourceRow, sourceRecord } from "../catalog/source-row.ts";
import type { IngestLedger } from "../ledger.ts";

interface KeyRow extends SourceRow {
  let_in_until: number | null;
}

const BY_KEY = `select ${SOURCE_COLUMNS.join()}, source_keys.let_in_until from source_keys
  join sources on sources.source_id = source_keys.source_id
  left join source_activity on source_activity.source_id = sources.source_id
  where source_keys.public_key = $1 and sources.deleted_at is null`;
const BY_SESSION = `select source_id as "sourceId", session_id as "sessionId", anonymous_id as "anonymousId",
    user_id as "userId", started_at as "startedAt", last_activity_at as "lastActivityAt", landing
  from sessions where source_id = $1 and session_id = $2`;

function keyStateOf(row: KeyRow, publicKey: string, now: number): KeyState {
  if (row.public_key === publicKey) return "current";
  return row.let_in_until !== null && row.let_in_until > now ? "previous" : "retired";
}

export const readVerbs = (pool: pg.Pool): Pick<IngestLedger, "sourceByKey" | "session"> => ({
  sourceByKey: async ({ publicKey, now }) => {
    const query = { name: "source_by_key", text: BY_KEY, values: [publicKey] };
    const row = (await pool.query<KeyRow>(query)).rows[0];
    if (!row) return null;
    const keyState = keyStateOf(row, publicKey, now);
    return { source: sourceRecord(row, now), keyState, keyExpiresAt: row.let_in_until };
  },
  session: async ({ sourceId, sessionId }) => {
    const query = { name: "session", text: BY_SESSION, values: [sourceId, sessionId] };
    return (await pool.query<SessionRecord>(query)).rows[0] ?? null;
  },
});
