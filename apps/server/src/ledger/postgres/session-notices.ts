/** Tells the other nodes to drop a session from their caches. Sessions that change while a query runs are sent by the next query. */
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { CHANGE_CHANNEL } from "./nodes-ddl.ts";
import { toSessionPayload } from "./remote-changes.ts";

const NOTIFY = "select pg_notify($1, payload) from unnest($2::text[]) as payload";

interface SessionNotifier {
  notify(session: { sourceId: string; sessionId: string }): void;
  /** Resolves when no query is running. */
  close(): Promise<void>;
}

/** A notification that fails is lost: caches keep a session only for a short time anyway. */
export function createSessionNotifier(pool: pg.Pool, nodeId: string): SessionNotifier {
  let unsent = new Set<string>();
  let sending: Promise<void> | null = null;

  const sendAll = async () => {
    while (unsent.size > 0) {
      const payloads = [...unsent];
      unsent = new Set();
      await pool.query(NOTIFY, [CHANGE_CHANNEL, payloads]);
    }
  };
  return {
    notify: ({ sourceId, sessionId }) => {
      if (unsent.size >= SERVER_LIMITS.maxUnsentSessionNotices) return;
      unsent.add(toSessionPayload(nodeId, sourceId, sessionId));
      sending ??= sendAll()
        .catch(() => undefined)
        .finally(() => {
          sending = null;
        });
    },
    close: async () => {
      await sending;
    },
  };
}
