/** Sessions of visitors, cached in memory, and the rules of their age (docs/api/ingest.md). */
import { LIMITS } from "@headwater/contract";
import { createCache } from "../core/cache.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SessionRecord } from "../ledger/records.ts";

/**
 * For how long after a session was opened a bootstrap with `joinSession` joins it. Long enough for pages that start at the
 * same time and for retries of a bootstrap whose response was lost; not longer than a session can be resumed.
 */
const SESSION_JOIN_SECONDS = 1_800;
const SESSION_CACHE_ENTRIES = 50_000;
/** Joinable sessions: ten seconds at one source's full rate, or half an hour at 11 a second. */
const RECENT_SESSION_ENTRIES = 20_000;
/** A cached session is looked up again after this time, since a notice of another node may have been lost. */
const SESSION_CACHE_MS = 60_000;

export type RunWork = <T>(work: () => Promise<T>) => Promise<T>;

interface SessionActivity {
  readonly sourceId: string;
  readonly sessionId: string;
  /** The user that the request named; null: none. */
  readonly userId: string | null;
  /** The session's user when the request read the session. undefined: not known, so it may be another one. */
  readonly userIdBefore: string | null | undefined;
  readonly at: number;
}

export interface SessionCache {
  /**
   * Finds a session in the cache or in the ledger. A cached session may be older than another node's changes.
   * @param isUsable whether the cached session is good enough; else the ledger is asked. Default: always
   */
  find(
    sourceId: string,
    sessionId: string,
    isUsable?: (session: SessionRecord) => boolean,
  ): Promise<SessionRecord | null>;
  /** Finds sessions in the cache, and all others in the ledger at once: a request can name hundreds that do not exist. */
  findAll(sourceId: string, sessionIds: ReadonlySet<string>): Promise<ReadonlyMap<string, SessionRecord>>;
  /** Asks the ledger for the session in which each visitor was last active. Their clients do not know their sessions. */
  findLatest(sourceId: string, anonymousIds: readonly string[]): Promise<ReadonlyMap<string, SessionRecord>>;
  /**
   * Finds the joinable session that this node last opened with the key, at most half an hour ago. Waits for a request
   * that is still opening it, and resolves to null when that fails. Returns undefined at once when there is none.
   */
  findJoinable(sourceId: string, joinKey: string, now: number): Promise<SessionRecord | null> | undefined;
  /**
   * @param joinKey by which other requests may join this session from now on, such as its visitor; null: none may
   * @returns a function that runs the work that stores the session, and caches the session if that succeeds
   */
  open(session: SessionRecord, joinKey: string | null): RunWork;
  /** Updates a cached session after a commit. Notifies the other nodes when the session's user may have changed. Never throws. */
  recordActivity(activity: SessionActivity): void;
  /** Has a session looked up again that another node changed. Without a session: all, since any may have changed. */
  forget(session?: { sourceId: string; sessionId: string }): void;
}

interface RecentSession {
  readonly openedAt: number;
  readonly sessionId: string;
  /** Whether the session was stored. */
  readonly stored: Promise<boolean>;
}

const IDLE_MS = LIMITS.sessionTimeoutSeconds * 1_000;
const MAX_AGE_MS = SERVER_LIMITS.sessionMaxSeconds * 1_000;
const JOIN_MS = SESSION_JOIN_SECONDS * 1_000;

const keyOf = (sourceId: string, id: string) => `${sourceId} ${id}`;

function createRecords(ledger: IngestLedger) {
  return createCache<SessionRecord>({
    maxEntries: SESSION_CACHE_ENTRIES,
    maxAgeMs: SESSION_CACHE_MS,
    lookUp: async (key) => {
      // a source id contains no space; a session id from a client may
      const end = key.indexOf(" ");
      const asked = { sourceId: key.slice(0, end), sessionIds: [key.slice(end + 1)] };
      return (await ledger.sessionsById(asked))[0] ?? null;
    },
  });
}

async function findAllIn(
  records: ReturnType<typeof createRecords>,
  ledger: IngestLedger,
  { sourceId, sessionIds }: { sourceId: string; sessionIds: ReadonlySet<string> },
): Promise<ReadonlyMap<string, SessionRecord>> {
  const found = new Map<string, SessionRecord>();
  const others: string[] = [];
  for (const sessionId of sessionIds) {
    const cached = records.get(keyOf(sourceId, sessionId));
    if (cached) found.set(sessionId, cached);
    else if (sessionId.length <= LIMITS.maxEnvelopeIdLength) others.push(sessionId);
  }
  const stored = others.length === 0 ? [] : await ledger.sessionsById({ sourceId, sessionIds: others });
  for (const session of stored) found.set(session.sessionId, session);
  return found;
}

export function createSessionCache(ledger: IngestLedger): SessionCache {
  const records = createRecords(ledger);
  const recent = createLru<string, RecentSession>(RECENT_SESSION_ENTRIES);
  return {
    async find(sourceId, sessionId, isUsable = () => true) {
      const key = keyOf(sourceId, sessionId);
      const cached = records.get(key);
      if (cached && isUsable(cached)) return cached;
      return sessionId.length > LIMITS.maxEnvelopeIdLength ? null : records.load(key);
    },
    findAll: (sourceId, sessionIds) => findAllIn(records, ledger, { sourceId, sessionIds }),
    async findLatest(sourceId, anonymousIds) {
      const latest = await ledger.latestSessions({ sourceId, anonymousIds });
      return new Map(latest.map((session) => [session.anonymousId, session]));
    },
    findJoinable(sourceId, joinKey, now) {
      const latest = recent.get(keyOf(sourceId, joinKey));
      if (!latest || now - latest.openedAt >= JOIN_MS) return undefined;
      // the ledger is asked, since another node may know newer activity
      return latest.stored.then((isStored) =>
        isStored ? records.load(keyOf(sourceId, latest.sessionId)) : null,
      );
    },
    open(session, joinKey) {
      const { sourceId, sessionId, startedAt: openedAt } = session;
      const { promise: stored, resolve } = Promise.withResolvers<boolean>();
      if (joinKey !== null) recent.set(keyOf(sourceId, joinKey), { openedAt, sessionId, stored });
      return async (work) => {
        try {
          const result = await work();
          records.set(keyOf(sourceId, sessionId), session);
          resolve(true);
          return result;
        } finally {
          // no effect after `resolve(true)`
          resolve(false);
        }
      };
    },
    recordActivity({ sourceId, sessionId, userId, userIdBefore, at }) {
      const key = keyOf(sourceId, sessionId);
      const session = records.peek(key);
      const before = session ? session.userId : userIdBefore;
      if (userId !== null && before !== userId) ledger.notifySessionChanged({ sourceId, sessionId });
      records.discardPending(key);
      if (!session) return;
      // changed in place, because concurrent requests use the same record
      session.lastActivityAt = Math.max(session.lastActivityAt, at);
      session.userId = userId ?? session.userId;
    },
    forget(session) {
      // what this node opened stays joinable: whoever joins it asks the ledger
      if (session) records.delete(keyOf(session.sourceId, session.sessionId));
      else records.clear();
    },
  };
}

/** A bootstrap resumes a session that was idle under 30 minutes and started under 24 hours ago. */
export const isResumable = ({ lastActivityAt, startedAt }: SessionRecord, now: number): boolean =>
  now - lastActivityAt < IDLE_MS && now - startedAt < MAX_AGE_MS;

export const canResume = (session: SessionRecord, anonymousId: string, now: number): boolean =>
  session.anonymousId === anonymousId && isResumable(session, now);

/** When the session ends: 30 minutes after its last activity, and at most 24 hours after its start. */
export const expiresAt = ({ startedAt, lastActivityAt }: SessionRecord): number =>
  Math.min(lastActivityAt + IDLE_MS, startedAt + MAX_AGE_MS);

/** Events are accepted for longer than a session is resumed, so that late events stay in their visit. */
export const acceptsEvents = ({ lastActivityAt, startedAt }: SessionRecord, now: number): boolean =>
  now - lastActivityAt <= LIMITS.sessionIdleForEventsSeconds * 1_000 &&
  now - startedAt <= LIMITS.sessionAgeForEventsSeconds * 1_000;
