/** Sessions of visitors: found, opened, resumed, expired (CONTRACT section 4). */

import { LIMITS } from "@headwater/contract";
import { LRUCache } from "lru-cache";
import { createRemembered } from "../core/cache.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SessionRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { IngestLedger } from "../ledger/ledger.ts";

export interface Sessions {
  /**
   * As it is remembered, if that is good enough: another node may have seen more of it since.
   * @param isEnough asked of what is remembered; without it anything is
   */
  find(
    sourceId: string,
    sessionId: string,
    isEnough?: (session: SessionRecord) => boolean,
  ): Promise<SessionRecord | null>;
  /**
   * The joinable session of this visitor that this node has opened last, under half an hour ago; null when that failed. Undefined:
   * there is none. Its bootstrap may still be under way, whose end is waited for.
   */
  recent(sourceId: string, anonymousId: string, now: number): Promise<SessionRecord | null> | undefined;
  /**
   * Remembers the session when the work has stored it.
   * @param isJoinable whether it is `recent`, from the start of the work on
   */
  whileOpening<T>(session: SessionRecord, isJoinable: boolean, work: () => Promise<T>): Promise<T>;
  /** A commit kept it alive, and may have named its user, which other nodes are told. It is stored by now: nothing here may fail. */
  livesOn(sourceId: string, sessionId: string, userId: string | null, now: number): void;
  /** Another node knows more of it; without one, of any. */
  forget(session?: { sourceId: string; sessionId: string }): void;
}

const IDLE_MS = LIMITS.sessionTimeoutSeconds * 1_000;
const LONGEST_MS = SERVER_LIMITS.sessionMaxSeconds * 1_000;
const JOIN_MS = SERVER_LIMITS.sessionJoinSeconds * 1_000;

export function createSessions(ledger: IngestLedger): Sessions {
  const keyOf = (sourceId: string, sessionId: string) => `${sourceId} ${sessionId}`;
  const remembered = createRemembered<SessionRecord>({
    max: SERVER_LIMITS.sessionCacheEntries,
    ageMs: SERVER_LIMITS.sessionMemoryMs,
    lookUp: (key) => {
      // a source's id holds no space; what a client sends as a session's may
      const end = key.indexOf(" ");
      return ledger.session({ sourceId: key.slice(0, end), sessionId: key.slice(end + 1) });
    },
  });
  const opened = new LRUCache<string, { at: number; sessionId: string; done: Promise<boolean> }>({
    max: SERVER_LIMITS.recentSessionEntries,
  });
  return {
    async find(sourceId, sessionId, isEnough = () => true) {
      const key = keyOf(sourceId, sessionId);
      const cached = remembered.get(key);
      if (cached && isEnough(cached)) return cached;
      return sessionId.length > LIMITS.maxEnvelopeIdLength ? null : remembered.ask(key);
    },
    recent(sourceId, anonymousId, now) {
      const latest = opened.get(keyOf(sourceId, anonymousId));
      if (!latest || now - latest.at >= JOIN_MS) return undefined;
      // another node may have seen more of it since
      return latest.done.then((isOpen) =>
        isOpen ? remembered.ask(keyOf(sourceId, latest.sessionId)) : null,
      );
    },
    async whileOpening(session, isJoinable, work) {
      const { sourceId, sessionId, anonymousId, startedAt } = session;
      const { promise: done, resolve } = Promise.withResolvers<boolean>();
      if (isJoinable) opened.set(keyOf(sourceId, anonymousId), { at: startedAt, sessionId, done });
      try {
        const result = await work();
        remembered.keep(keyOf(sourceId, sessionId), session);
        resolve(true);
        return result;
      } catch (error) {
        resolve(false);
        throw error;
      }
    },
    livesOn(sourceId, sessionId, userId, now) {
      const key = keyOf(sourceId, sessionId);
      const session = remembered.peek(key);
      if (userId !== null && session?.userId !== userId) ledger.notifySessionChanged({ sourceId, sessionId });
      remembered.outdate(key);
      if (!session) return;
      // in place: requests that ran beside this one hold the same record
      session.lastActivityAt = Math.max(session.lastActivityAt, now);
      session.userId = userId ?? session.userId;
    },
    forget(one) {
      if (one) return remembered.drop(keyOf(one.sourceId, one.sessionId));
      opened.clear();
      remembered.forget();
    },
  };
}

/** Bootstrap resumes a session of this visitor, idle under 30 minutes and started under 24 hours ago. */
export function canResume(
  session: SessionRecord | null,
  anonymousId: string,
  now: number,
): session is SessionRecord {
  return (
    session !== null &&
    session.anonymousId === anonymousId &&
    now - session.lastActivityAt < IDLE_MS &&
    now - session.startedAt < LONGEST_MS
  );
}

/** The earlier of last activity + 30 minutes and start + 24 hours. */
export function expiresAt({ startedAt, lastActivityAt }: SessionRecord): number {
  return Math.min(lastActivityAt + IDLE_MS, startedAt + LONGEST_MS);
}

/** Events are taken for longer than a session is resumed, so that late ones stay in the visit they belong to. */
export function takesEvents({ lastActivityAt, startedAt }: SessionRecord, now: number): boolean {
  return (
    now - lastActivityAt <= LIMITS.sessionIdleForEventsSeconds * 1_000 &&
    now - startedAt <= LIMITS.sessionAgeForEventsSeconds * 1_000
  );
}

/** @throws Refusal 403 */
export function mustTakeEvents(session: SessionRecord | null, now: number): asserts session is SessionRecord {
  if (!session) throw new Refusal("invalid_session");
  if (!takesEvents(session, now)) throw new Refusal("session_expired");
}
