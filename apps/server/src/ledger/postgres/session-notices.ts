/** Word to other nodes of what one has learned of a session, by the way: what gathers while one is under way goes with the next. */

import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { CHANGES } from "./nodes-ddl.ts";
import { sessionPayload } from "./remote-changes.ts";

export interface Teller {
  tell(session: { sourceId: string; sessionId: string }): void;
  /** Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** What cannot be told is lost: nobody remembers a session for long. */
export function createTeller(pool: pg.Pool, nodeId: string): Teller {
  let untold = new Set<string>();
  let telling: Promise<void> | null = null;

  const tellAll = async () => {
    while (untold.size > 0) {
      const payloads = [...untold];
      untold = new Set();
      await pool.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [
        CHANGES,
        payloads,
      ]);
    }
  };
  return {
    tell: ({ sourceId, sessionId }) => {
      if (untold.size >= SERVER_LIMITS.untoldUsers) return;
      untold.add(sessionPayload(nodeId, sourceId, sessionId));
      telling ??= tellAll()
        .catch(() => undefined)
        .finally(() => {
          telling = null;
        });
    },
    close: async () => {
      await telling;
    },
  };
}
