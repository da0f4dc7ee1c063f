/** The session of a request: events name one, a bootstrap resumes or opens one (spec 4.2, docs/contract.md section 4). */
import type { IngestRequest } from "../core/ingest-request.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SessionRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { textOrNull } from "./json.ts";
import { addressOf, referrerOf } from "./page-address.ts";
import type { BootstrapFields, EventsFields, ParsedBody } from "./parse.ts";
import { acceptsEvents, canResume, type RunWork, type SessionCache } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import { userAgentOf } from "./visitor.ts";

/** The session of a request, and whether the request continues, resumes or opens it. */
export interface Visit {
  readonly session: SessionRecord;
  /** `continued` by events, `resumed` or `opened` by a bootstrap. */
  readonly state: "continued" | "resumed" | "opened";
  /** Runs the work that stores the request. It must be called, because other bootstraps may wait for an opened session. */
  readonly store: RunWork;
}

const existing = (session: SessionRecord, state: "continued" | "resumed"): Visit => ({
  session,
  state,
  store: (work) => work(),
});

export interface VisitDeps {
  readonly sessions: SessionCache;
  readonly newId: (prefix: string) => string;
}

/** @throws Refusal 403 when events name an unknown or expired session */
export const findVisit = (
  parsed: ParsedBody,
  request: IngestRequest,
  keyed: CachedSource,
  deps: VisitDeps,
): Promise<Visit> =>
  parsed.kind === "events"
    ? continueSession(parsed.body, request, keyed.source.sourceId, deps.sessions)
    : resumeOrOpenSession(parsed.body, request, keyed, deps);

async function continueSession(
  { sessionId }: EventsFields,
  { receivedAt }: IngestRequest,
  sourceId: string,
  sessions: SessionCache,
): Promise<Visit> {
  const isUsable = (cached: SessionRecord) => acceptsEvents(cached, receivedAt);
  const session = await sessions.find(sourceId, sessionId, isUsable);
  if (!session) throw new Refusal("invalid_session");
  if (!acceptsEvents(session, receivedAt)) throw new Refusal("session_expired");
  return existing(session, "continued");
}

/** Returns undefined when this bootstrap can resume no session; that is known without waiting. */
function findResumable(body: BootstrapFields, sourceId: string, now: number, sessions: SessionCache) {
  // the answer contains the session's activity and user, and another node may have changed them: so ask the ledger
  if (body.sessionId) return sessions.find(sourceId, body.sessionId, () => false);
  return body.joinSession ? sessions.findJoinable(sourceId, body.anonymousId, now) : undefined;
}

async function resumeOrOpenSession(
  body: BootstrapFields,
  request: IngestRequest,
  keyed: CachedSource,
  { sessions, newId }: VisitDeps,
): Promise<Visit> {
  const { receivedAt: now } = request;
  const looking = findResumable(body, keyed.source.sourceId, now, sessions);
  // Await nothing when there is no session to resume. Otherwise, of two pages that start at once, the second would not
  // find the session that the first one opens here.
  const found = looking ? await looking : null;
  if (found && canResume(found, body.anonymousId, now)) {
    const lastActivityAt = Math.max(found.lastActivityAt, now);
    return existing({ ...found, lastActivityAt, userId: body.userId || found.userId }, "resumed");
  }
  const session = newSession(body, request, keyed, newId("ses"));
  return { session, state: "opened", store: sessions.open(session, body.joinSession === true) };
}

const MAX_SHORT_LENGTH = 100;
const shortText = (value: unknown) => textOrNull(value)?.slice(0, MAX_SHORT_LENGTH).toWellFormed() ?? null;

/** A new session keeps the landing page, the referrer and the browser's settings. */
function newSession(
  body: BootstrapFields,
  request: IngestRequest,
  { source: { sourceId }, addressRules }: CachedSource,
  sessionId: string,
): SessionRecord {
  const { page, context } = body;
  const { url = null, path = null } = page;
  const address = addressOf({ url, path, requestOrigin: request.origin }, addressRules);
  const landing = {
    ...address,
    referrer: referrerOf(page.referrer, null, addressRules).referrer,
    locale: shortText(context?.locale),
    timezone: shortText(context?.timezone),
    userAgent:
      userAgentOf(context ?? null, request)
        ?.slice(0, SERVER_LIMITS.maxUserAgentLength)
        .toWellFormed() ?? null,
  };
  return {
    sourceId,
    sessionId,
    anonymousId: body.anonymousId,
    userId: body.userId || null,
    startedAt: request.receivedAt,
    lastActivityAt: request.receivedAt,
    landing: JSON.stringify(landing),
  };
}
