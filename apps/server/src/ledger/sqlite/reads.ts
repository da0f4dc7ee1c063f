/** The hot reads: a source by its key, a session by its id; and the deletion of sessions past their time. */
import type { DatabaseSync } from "node:sqlite";
import type { KeyState } from "@headwater/contract/attempts";
import { LIMITS } from "@headwater/contract/limits";
import type { KeyedSource, SessionRecord } from "../../core/records.ts";
import { type SourceRow, sourceRecord } from "../catalog/source-row.ts";
import { inTransaction } from "./transaction.ts";

const SESSION_SLICE = 2_000;

/** What a slice of the walk over the sessions came to. */
export interface SessionSweep {
  deleted: number;
  /** It has not gone round yet. */
  more: boolean;
}

interface KeyRow extends SourceRow {
  let_in_until: number | null;
}

function keyStateOf(row: KeyRow, publicKey: string, now: number): KeyState {
  if (row.public_key === publicKey) return "current";
  return row.let_in_until !== null && row.let_in_until > now ? "previous" : "retired";
}

export function prepareReads(database: DatabaseSync) {
  const byKey = database.prepare(
    `select s.*, a.last_bootstrap_at, a.last_event_at, k.let_in_until from source_keys k
     join sources s on s.source_id = k.source_id left join source_activity a on a.source_id = s.source_id
     where k.public_key = ? and s.deleted_at is null`,
  );
  const bySession = database.prepare(
    `select source_id as sourceId, session_id as sessionId, anonymous_id as anonymousId, user_id as userId,
       started_at as startedAt, last_activity_at as lastActivityAt, landing
     from sessions where source_id = ? and session_id = ?`,
  );
  const nextSessions = database.prepare(
    `select source_id as sourceId, session_id as sessionId, last_activity_at as lastActivityAt from sessions
     where (source_id, session_id) > (?, ?) order by source_id, session_id limit ${SESSION_SLICE}`,
  );
  const deleteSession = database.prepare("delete from sessions where source_id = ? and session_id = ?");
  const anyOrganization = database.prepare("select 1 from organizations limit 1");
  let sweptTo = ["", ""];

  return {
    sourceByKey({ publicKey, now }: { publicKey: string; now: number }): KeyedSource | null {
      const row = byKey.get(publicKey) as unknown as KeyRow | undefined;
      if (!row) return null;
      return {
        source: sourceRecord(row, now),
        keyState: keyStateOf(row, publicKey, now),
        keyExpiresAt: row.let_in_until,
      };
    },

    session({ sourceId, sessionId }: { sourceId: string; sessionId: string }): SessionRecord | null {
      return (bySession.get(sourceId, sessionId) as unknown as SessionRecord | undefined) ?? null;
    },

    isSetUp: () => anyOrganization.get() !== undefined,

    /** Walks the sessions a slice at a call and deletes those past their time. */
    sweepSessions(now: number): SessionSweep {
      const slice = nextSessions.all(sweptTo[0]!, sweptTo[1]!) as unknown as SessionRecord[];
      const past = slice.filter((one) => one.lastActivityAt + LIMITS.sessionRetentionSeconds * 1_000 < now);
      inTransaction(database, () => {
        for (const { sourceId, sessionId } of past) deleteSession.run(sourceId, sessionId);
      });
      const last = slice.length === SESSION_SLICE ? slice.at(-1) : undefined;
      sweptTo = last ? [last.sourceId, last.sessionId] : ["", ""];
      return { deleted: past.length, more: last !== undefined };
    },
  };
}
