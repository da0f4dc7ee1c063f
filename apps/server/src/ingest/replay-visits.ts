/** The sessions of kept events: those that they would have had when they were received. */
import { FOUND_SESSION_PREFIX } from "../core/ids.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SessionRecord } from "../ledger/records.ts";
import type { ParsedBody } from "./parse.ts";
import { isResumable, type SessionCache } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import type { KeptEvent } from "./unstored-event.ts";
import { derivedId, newSession, type Visit } from "./visit.ts";

interface KeptVisit extends KeptEvent {
  readonly parsed: ParsedBody;
}

interface ReplayVisitDeps {
  readonly ledger: IngestLedger;
  readonly sessions: SessionCache;
}

export class ReplayVisits {
  readonly #keyed: CachedSource;
  readonly #deps: ReplayVisitDeps;
  /** The sessions of the events so far. The ledger does not know yet what these events change. */
  readonly #used: SessionRecord[] = [];

  constructor(keyed: CachedSource, deps: ReplayVisitDeps) {
    this.#keyed = keyed;
    this.#deps = deps;
  }

  /** Finds the same session whenever it is called for an event, or opens one with the same id. */
  async find(kept: KeptVisit): Promise<Visit> {
    const found = kept.session ?? (await this.#findStored(kept));
    const session = found ?? this.#newSession(kept);
    return { session, state: found ? "continued" : "opened", store: (work) => work() };
  }

  /** Notes that an event of the visit is going to be stored. */
  use({ session }: Visit, receivedAt: number): void {
    session.lastActivityAt = Math.max(session.lastActivityAt, receivedAt);
    if (!this.#used.includes(session)) this.#used.push(session);
  }

  #findStored(kept: KeptVisit): Promise<SessionRecord | null> {
    return kept.sessionId === null ? this.#findActive(kept) : this.#findNamed(kept.sessionId, kept);
  }

  /** A session that no longer exists, or never did, is opened under an id that every replay derives from the named one. */
  async #findNamed(named: string, kept: KeptVisit): Promise<SessionRecord | null> {
    const { sourceId } = this.#keyed.source;
    const ids = [named, this.#derivedId(kept)];
    const used = this.#used.find(({ sessionId }) => ids.includes(sessionId));
    if (used) return used;
    const { sessions } = this.#deps;
    const stored =
      (await sessions.find(sourceId, named)) ?? (await sessions.find(sourceId, this.#derivedId(kept)));
    // a copy: a replay, and even more a test of one, must not change the session in the cache
    return stored && { ...stored };
  }

  /** The session in which the visitor was active when the event was received. */
  async #findActive({ anonymousId, sender: { receivedAt } }: KeptVisit): Promise<SessionRecord | null> {
    const isActive = (session: SessionRecord) =>
      session.startedAt <= receivedAt && isResumable(session, receivedAt);
    const used = this.#used.findLast((session) => session.anonymousId === anonymousId && isActive(session));
    if (used) return used;
    const { sourceId } = this.#keyed.source;
    const asked = { sourceId, anonymousIds: [anonymousId], startedBy: receivedAt };
    return (await this.#deps.ledger.latestSessions(asked)).find(isActive) ?? null;
  }

  #derivedId({ sessionId, anonymousId, body }: KeptVisit): string {
    if (sessionId?.startsWith(FOUND_SESSION_PREFIX)) return sessionId;
    const [event] = body.events;
    return derivedId(this.#keyed.source.sourceId, { anonymousId }, sessionId ?? `event ${String(event.id)}`);
  }

  #newSession(kept: KeptVisit): SessionRecord {
    const { body } = kept.parsed;
    const [event] = kept.body.events;
    const { page, context } = event;
    const landing = "page" in body && Object.keys(body.page).length > 0 ? body.page : (page ?? {});
    const surroundings = { ...body.context, ...(context ?? {}) };
    const visitor = { ...body, anonymousId: kept.anonymousId, page: landing, context: surroundings };
    return newSession(visitor, kept.sender, this.#keyed, this.#derivedId(kept));
  }
}
