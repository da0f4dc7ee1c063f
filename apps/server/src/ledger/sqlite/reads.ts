/** Reads on the path of a request, on SQLite: a source by its key, a session by its id. Also deletes expired sessions. */
import type { KeyState } from "@headwater/contract/attempts";
import { LIMITS } from "@headwater/contract/limits";
import type { KeyedSource, SessionRecord } from "../../core/records.ts";
import { type SourceRow, sourceRecord } from "../catalog/source-row.ts";
import type { IngestLedger } from "../ledger.ts";
import type { Statements, Synchronous } from "./statements.ts";

const SLICE_SESSIONS = 2_000;

const SOURCE_BY_KEY = `
  select s.*, a.last_bootstrap_at, a.last_event_at, k.let_in_until from source_keys k
  join sources s on s.source_id = k.source_id left join source_activity a on a.source_id = s.source_id
  where k.public_key = ? and s.deleted_at is null`;
const SESSION = `
  select source_id as sourceId, session_id as sessionId, anonymous_id as anonymousId, user_id as userId,
    started_at as startedAt, last_activity_at as lastActivityAt, landing
  from sessions where source_id = ? and session_id = ?`;
const NEXT_SESSIONS = `
  select source_id as sourceId, session_id as sessionId, last_activity_at as lastActivityAt from sessions
  where (source_id, session_id) > (?, ?) order by source_id, session_id limit ${SLICE_SESSIONS}`;
const DELETE_SESSION = "delete from sessions where source_id = ? and session_id = ?";

type SweptSession = Pick<SessionRecord, "sourceId" | "sessionId" | "lastActivityAt">;

interface SourceKeyRow extends SourceRow {
  let_in_until: number | null;
}

function keyStateOf(row: SourceKeyRow, publicKey: string, now: number): KeyState {
  if (row.public_key === publicKey) return "current";
  return row.let_in_until !== null && row.let_in_until > now ? "previous" : "retired";
}

export const createReadVerbs = (
  sql: Statements,
): Synchronous<Pick<IngestLedger, "sourceByKey" | "session">> & { isSetUp(): boolean } => ({
  sourceByKey({ publicKey, now }): KeyedSource | null {
    const row = sql.get<SourceKeyRow>(SOURCE_BY_KEY, publicKey);
    if (!row) return null;
    return {
      source: sourceRecord(row, now),
      keyState: keyStateOf(row, publicKey, now),
      keyExpiresAt: row.let_in_until,
    };
  },

  session: ({ sourceId, sessionId }) => sql.get<SessionRecord>(SESSION, sourceId, sessionId) ?? null,

  isSetUp: () => sql.get("select 1 from organizations limit 1") !== undefined,
});

/** What one slice of the walk over all sessions found. */
export interface SessionSweep {
  deleted: number;
  /** The walk has not reached the last session yet. */
  hasMore: boolean;
}

/** Walks over all sessions, one slice a call, and deletes the expired ones; after the last session it starts over. */
export function createSessionSweep(sql: Statements) {
  let last: Pick<SessionRecord, "sourceId" | "sessionId"> = { sourceId: "", sessionId: "" };
  return {
    sweepSessions({ now }: { now: number }): SessionSweep {
      const slice = sql.all<SweptSession>(NEXT_SESSIONS, last.sourceId, last.sessionId);
      const oldest = now - LIMITS.sessionRetentionSeconds * 1_000;
      const expired = slice.filter(({ lastActivityAt }) => lastActivityAt < oldest);
      sql.transaction(() => {
        for (const { sourceId, sessionId } of expired) sql.run(DELETE_SESSION, sourceId, sessionId);
      });
      const end = slice.length === SLICE_SESSIONS ? slice.at(-1) : undefined;
      last = end ?? { sourceId: "", sessionId: "" };
      return { deleted: expired.length, hasMore: end !== undefined };
    },
  };
}
