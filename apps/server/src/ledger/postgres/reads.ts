/** The reads of every ingest request: a source by its key, a session by its id. */
import type pg from "pg";
import { type SourceByKeyRow, sourceByKeySql, toKeyedSource } from "../catalog/source-columns.ts";
import type { IngestLedger } from "../ledger.ts";
import type { SessionRecord } from "../records.ts";
import { LATEST_SESSIONS } from "../visitors.ts";

const SOURCE_BY_KEY = sourceByKeySql("$1");
const SESSIONS = `select source_id as "sourceId", session_id as "sessionId", anonymous_id as "anonymousId",
    user_id as "userId", started_at as "startedAt", last_activity_at as "lastActivityAt", landing
  from sessions`;
const SESSIONS_BY_ID = `${SESSIONS} where source_id = $1 and session_id = any($2)`;
const LATEST_OF_EACH = `select latest.* from unnest($2::text[]) as asked (id) cross join lateral (
    select * from (
      ${SESSIONS} where source_id = $1 and anonymous_id = asked.id and started_at <= $3
      order by started_at desc limit ${LATEST_SESSIONS}
    ) as recent
    order by "lastActivityAt" desc limit 1
  ) as latest`;

export const readMethods = (
  pool: pg.Pool,
): Pick<IngestLedger, "sourceByKey" | "sessionsById" | "latestSessions"> => ({
  sourceByKey: async (asked) => {
    const row = (await pool.query<SourceByKeyRow>(SOURCE_BY_KEY, [asked.publicKey])).rows[0];
    return row ? toKeyedSource(row, asked) : null;
  },
  sessionsById: async ({ sourceId, sessionIds }) => {
    return (await pool.query<SessionRecord>(SESSIONS_BY_ID, [sourceId, sessionIds])).rows;
  },
  latestSessions: async ({ sourceId, anonymousIds, startedBy = Number.MAX_SAFE_INTEGER }) => {
    return (await pool.query<SessionRecord>(LATEST_OF_EACH, [sourceId, anonymousIds, startedBy])).rows;
  },
});
