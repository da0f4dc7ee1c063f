/** Reads on the path of a request, on SQLite: a source by its key, a session by its id. Also deletes expired sessions. */
import { LIMITS } from "@headwater/contract/limits";
import { type SourceByKeyRow, sourceByKeySql, toKeyedSource } from "../catalog/source-columns.ts";
import type { IngestLedger } from "../ledger.ts";
import type { SessionRecord } from "../records.ts";
import { LATEST_SESSIONS } from "../visitors.ts";
import type { Statements, Synchronous } from "./statements.ts";

const SLICE_SESSIONS = 2_000;

const SOURCE_BY_KEY = sourceByKeySql("?");
const SESSIONS = `
  select source_id as sourceId, session_id as sessionId, anonymous_id as anonymousId, user_id as userId,
    started_at as startedAt, last_activity_at as lastActivityAt, landing
  from sessions`;
const SESSIONS_BY_ID = `${SESSIONS} where source_id = ? and session_id in (select value from json_each(?))`;
const LATEST_SESSION = `
  select * from (${SESSIONS} where source_id = ? and anonymous_id = ? and started_at <= ? order by started_at desc limit ${LATEST_SESSIONS})
  order by lastActivityAt desc limit 1`;
const NEXT_SESSIONS = `
  select source_id as sourceId, session_id as sessionId, last_activity_at as lastActivityAt from sessions
  where (source_id, session_id) > (?, ?) order by source_id, session_id limit ${SLICE_SESSIONS}`;
const DELETE_SESSION = "delete from sessions where source_id = ? and session_id = ?";

type SweptSession = Pick<SessionRecord, "sourceId" | "sessionId" | "lastActivityAt">;

export const createReadMethods = (
  sql: Statements,
): Synchronous<Pick<IngestLedger, "sourceByKey" | "sessionsById" | "latestSessions">> & {
  isSetUp(): boolean;
} => ({
  sourceByKey(asked) {
    const row = sql.get<SourceByKeyRow>(SOURCE_BY_KEY, asked.publicKey);
    return row ? toKeyedSource(row, asked) : null;
  },

  sessionsById: ({ sourceId, sessionIds }) =>
    sql.all<SessionRecord>(SESSIONS_BY_ID, sourceId, JSON.stringify(sessionIds)),

  latestSessions: ({ sourceId, anonymousIds, startedBy = Number.MAX_SAFE_INTEGER }) =>
    [...new Set(anonymousIds)].flatMap((id) =>
      sql.all<SessionRecord>(LATEST_SESSION, sourceId, id, startedBy),
    ),

  isSetUp: () => sql.get("select 1 from organizations limit 1") !== undefined,
});

/** The result of one slice of the walk over all sessions. */
interface SessionSweep {
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
