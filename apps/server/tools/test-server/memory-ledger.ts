/** What ingest asks of a ledger, in memory, for the one source of the test server. Every public key is that source's. */
import { randomBytes } from "node:crypto";
import { SOURCE_DEFAULTS, type TrackingPlan } from "@headwater/contract";
import type { Catalog, IngestLedger } from "../../src/ledger/ledger.ts";
import type { Commit, KeyedSource, SessionRecord, SourceRecord } from "../../src/ledger/records.ts";
import { LATEST_SESSIONS } from "../../src/ledger/visitors.ts";

/** The oldest entries are dropped beyond these numbers. */
const MAX_SESSIONS = 10_000;
const MAX_KEYS = 100_000;

/** Any origin may send, and headless browsers are no bots here. */
const TEST_SOURCE: SourceRecord = {
  ...SOURCE_DEFAULTS,
  sourceId: "src_test",
  organizationId: "org_test",
  name: "Test",
  slug: "test",
  publicKey: "pk_test",
  allowedOrigins: ["*"],
  bots: "keep",
  keepRejected: 0,
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  lastBootstrapAt: null,
  lastEventAt: null,
  createdAt: 0,
  updatedAt: 0,
};

function dropOldest(entries: Pick<Set<string>, "size" | "keys" | "delete">, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}

export class MemoryLedger implements IngestLedger, Pick<Catalog, "trackingPlan" | "usage"> {
  readonly #plan: TrackingPlan | null;
  readonly #sessions = new Map<string, SessionRecord>();
  readonly #keys = new Set<string>();
  readonly #salts = new Map<number, Uint8Array>();

  constructor(plan: TrackingPlan | null) {
    this.#plan = plan;
  }

  /** Forgets which events were stored, so that the same ones are accepted again. Pages keep their sessions. */
  forgetEvents(): void {
    this.#keys.clear();
  }

  readonly sourceByKey = async (): Promise<KeyedSource> => ({
    source: TEST_SOURCE,
    planVersion: this.#plan && 1,
    keyState: "current",
    keyExpiresAt: null,
  });

  readonly trackingPlan = async () =>
    this.#plan && { version: 1, plan: this.#plan, userId: null, tokenId: null, createdAt: 0 };

  readonly usage = async () => [];

  /** Ingest changes the sessions that it has, so it gets copies. */
  readonly sessionsById: IngestLedger["sessionsById"] = async ({ sessionIds }) =>
    sessionIds.flatMap((id) => {
      const session = this.#sessions.get(id);
      return session ? [{ ...session }] : [];
    });

  readonly latestSessions: IngestLedger["latestSessions"] = async ({ anonymousIds }) =>
    [...new Set(anonymousIds)].flatMap((id) => {
      const own = [...this.#sessions.values()].filter(({ anonymousId }) => anonymousId === id);
      const [latest] = own
        .sort((a, b) => b.startedAt - a.startedAt)
        .slice(0, LATEST_SESSIONS)
        .sort((a, b) => b.lastActivityAt - a.lastActivityAt);
      return latest ? [{ ...latest }] : [];
    });

  readonly commit = async ({ receivedAt, bootstrap, open, touch, entries }: Commit): Promise<Uint8Array> => {
    const stored = Uint8Array.from(entries, ({ key }) => this.#addKey(key));
    for (const session of open)
      if (!this.#sessions.has(session.sessionId)) this.#sessions.set(session.sessionId, { ...session });
    const isActive = bootstrap || stored.includes(1);
    for (const { sessionId, userId, entries: own } of touch) {
      const session = this.#sessions.get(sessionId);
      const isTouched = own ? own.some((entry) => stored[entry] === 1) : isActive;
      if (!session || !isTouched) continue;
      session.lastActivityAt = Math.max(session.lastActivityAt, receivedAt);
      session.userId = userId ?? session.userId;
    }
    dropOldest(this.#sessions, MAX_SESSIONS);
    dropOldest(this.#keys, MAX_KEYS);
    return stored;
  };

  #addKey(key: string): 0 | 1 {
    if (this.#keys.has(key)) return 0;
    this.#keys.add(key);
    return 1;
  }

  readonly notifySessionChanged = () => undefined;

  readonly visitorSalt: IngestLedger["visitorSalt"] = async ({ day }) => {
    const salt = this.#salts.get(day) ?? randomBytes(32);
    this.#salts.set(day, salt);
    return salt;
  };

  readonly destroyVisitorSalts: IngestLedger["destroyVisitorSalts"] = async ({ before }) => {
    for (const day of this.#salts.keys()) if (day < before) this.#salts.delete(day);
  };
}
