/** The session of a request: events name one, a bootstrap resumes or opens one (spec 4.2, docs/api/ingest.md). */
import { hash } from "node:crypto";
import { DAILY_ID_PREFIX, FOUND_SESSION_PREFIX, NO_ID } from "../core/ids.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { SessionRecord } from "../ledger/records.ts";
import { normalizePage } from "./evaluate-event.ts";
import type { IngestRequest } from "./ingest-request.ts";
import { textOrNull } from "./json.ts";
import type { BootstrapFields, EventsFields, ParsedBody } from "./parse.ts";
import { type SenderHead, senderHeadOf } from "./sender.ts";
import { acceptsEvents, canResume, isResumable, type RunWork, type SessionCache } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import { userAgentOf } from "./visitor.ts";
import type { DailyIds, VisitorIds } from "./visitor-ids.ts";

/** The session of a request, and whether the request continues, resumes or opens it. */
export interface Visit {
  readonly session: SessionRecord;
  /** `continued` by events, `resumed` or `opened` by a bootstrap. A foreign request continues or opens sessions. */
  readonly state: "continued" | "resumed" | "opened";
  /** Runs the work that stores the request. It must be called, because other bootstraps may wait for an opened session. */
  readonly store: RunWork;
}

const existing = (session: SessionRecord, state: "continued" | "resumed"): Visit => ({
  session,
  state,
  store: (work) => work(),
});

interface VisitDeps {
  readonly sessions: SessionCache;
  readonly visitorIds: VisitorIds;
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

/** The session that the bootstrap names, else with `joinSession` one that another tool's client opened for the visitor. */
async function findStoredSession(
  { sessionId, joinSession, anonymousId }: BootstrapFields,
  { sourceId, now }: { sourceId: string; now: number },
  sessions: SessionCache,
): Promise<SessionRecord | null> {
  // the answer contains the session's activity and user, and another node may have changed them: so ask the ledger
  const named = sessionId ? await sessions.find(sourceId, sessionId, () => false) : null;
  if (named && canResume(named, anonymousId, now)) return named;
  if (joinSession !== true) return null;
  const latest = (await sessions.findLatest(sourceId, [anonymousId])).get(anonymousId);
  return latest?.sessionId.startsWith(FOUND_SESSION_PREFIX) && isResumable(latest, now) ? latest : null;
}

/** Other requests join the session of a visitor by it while it is opened. */
const joinKeyOf = (anonymousId: string) => `visitor ${anonymousId}`;

/** The session that a page of a visitor without browser storage goes on with: the one that it names, else the latest. */
async function findDailySession(
  { sessionId }: BootstrapFields,
  { sourceId, now, ids }: { sourceId: string; now: number; ids: DailyIds },
  sessions: SessionCache,
): Promise<SessionRecord | null> {
  const named = sessionId ? await sessions.find(sourceId, sessionId, () => false) : null;
  if (named?.anonymousId.startsWith(DAILY_ID_PREFIX) && isResumable(named, now)) return named;
  const latest = latestOf(ids, await sessions.findLatest(sourceId, ids));
  return latest && isResumable(latest, now) ? latest : null;
}

/** The session in which a visitor was last active under either id. */
function latestOf([id, otherId]: DailyIds, found: ReadonlyMap<string, SessionRecord>): SessionRecord | null {
  const [one, other] = [found.get(id) ?? null, found.get(otherId) ?? null];
  return one && other && other.lastActivityAt > one.lastActivityAt ? other : (one ?? other);
}

function resume(session: SessionRecord, body: BootstrapFields, now: number): Visit {
  const lastActivityAt = Math.max(session.lastActivityAt, now);
  return existing({ ...session, lastActivityAt, userId: body.userId || session.userId }, "resumed");
}

async function resumeOrOpenSession(
  body: BootstrapFields,
  request: IngestRequest,
  keyed: CachedSource,
  { sessions, visitorIds, newId }: VisitDeps,
): Promise<Visit> {
  const { receivedAt: now } = request;
  const { sourceId } = keyed.source;
  const asked = { sourceId, now };
  let visitor = body;
  let stored: SessionRecord | null;
  if (body.anonymousId === NO_ID) {
    const ids = await visitorIds.of(request, body, sourceId);
    stored = await findDailySession(body, { ...asked, ids }, sessions);
    visitor = { ...body, anonymousId: ids[0], sessionId: null, joinSession: true };
  } else stored = await findStoredSession(body, asked, sessions);
  if (stored) return resume(stored, body, now);
  const joinKey = visitor.joinSession === true ? joinKeyOf(visitor.anonymousId) : null;
  // Await nothing from here when nobody is opening the session. Otherwise, of two pages that start at once, the second would not
  // find the session that the first one opens here.
  const opening =
    joinKey !== null && !visitor.sessionId ? sessions.findJoinable(sourceId, joinKey, now) : undefined;
  const found = opening ? await opening : null;
  if (found && canResume(found, visitor.anonymousId, now)) return resume(found, body, now);
  const session = newSession(visitor, senderHeadOf(request), keyed, newId("ses"));
  return { session, state: "opened", store: sessions.open(session, joinKey) };
}

/** The session of a foreign visitor: the client's own one, or the one in which the visitor was last active. */
export interface ForeignSession {
  readonly clientSession: string | null;
  readonly startsSession: boolean;
}

const ID_DIGITS = 32;

/** All nodes derive the same id, so a client's session is one session wherever its requests arrive. */
export const derivedId = (
  sourceId: string,
  { anonymousId }: Pick<BootstrapFields, "anonymousId">,
  clientSession: string,
): string =>
  FOUND_SESSION_PREFIX +
  hash("sha256", `${sourceId}\n${anonymousId}\n${clientSession}`, "hex").slice(0, ID_DIGITS);

/** A request and the source of its key. */
export interface KeyedRequest {
  readonly request: IngestRequest;
  readonly keyed: CachedSource;
}

/** A visitor of another tool's client, whose events belong to the session `ownId`, or, without one, to the latest. */
interface ForeignVisitor extends Pick<ForeignSession, "startsSession"> {
  readonly body: BootstrapFields;
  readonly ids: DailyIds;
  readonly ownId: string | null;
}

async function identify(
  [body, { clientSession, startsSession }]: readonly [BootstrapFields, ForeignSession],
  { request, keyed }: KeyedRequest,
  { visitorIds }: VisitDeps,
): Promise<ForeignVisitor> {
  const { sourceId } = keyed.source;
  const isDaily = body.anonymousId === NO_ID;
  const ids: DailyIds = isDaily
    ? await visitorIds.of(request, body, sourceId)
    : [body.anonymousId, body.anonymousId];
  const visitor = { ...body, anonymousId: ids[0] };
  const ownId = clientSession === null ? null : derivedId(sourceId, visitor, clientSession);
  return { body: visitor, ids, ownId, startsSession };
}

/** Looks up the sessions of all visitors at once: a request can name hundreds of visitors. */
async function findStored(visitors: readonly ForeignVisitor[], sourceId: string, sessions: SessionCache) {
  const asked = visitors.filter(({ startsSession }) => !startsSession);
  const ownIds = new Set(asked.flatMap(({ ownId }) => ownId ?? []));
  const anonymousIds = new Set(asked.flatMap(({ ids, ownId }) => (ownId === null ? ids : [])));
  const [ownId] = ownIds;
  // one session is cached, since its client will name it again
  const single = ownIds.size === 1 && ownId !== undefined ? await sessions.find(sourceId, ownId) : null;
  const own = ownIds.size > 1 ? await sessions.findAll(sourceId, ownIds) : null;
  const latest = anonymousIds.size > 0 ? await sessions.findLatest(sourceId, [...anonymousIds]) : new Map();
  return ({ ids, ownId, startsSession }: ForeignVisitor): SessionRecord | null => {
    if (startsSession) return null;
    return ownId === null ? latestOf(ids, latest) : (own?.get(ownId) ?? single);
  };
}

/**
 * The sessions of events from another tool's client, which does not know the service's sessions.
 * @returns for each visitor, a function that returns its session, and opens it if there is none
 */
export async function findForeignVisits(
  asked: readonly (readonly [BootstrapFields, ForeignSession])[],
  keyed: KeyedRequest,
  deps: VisitDeps,
): Promise<(() => Promise<Visit>)[]> {
  const visitors = await Promise.all(asked.map((one) => identify(one, keyed, deps)));
  const storedOf = await findStored(visitors, keyed.keyed.source.sourceId, deps.sessions);
  return visitors.map((visitor) => () => joinOrOpen(visitor, storedOf(visitor), keyed, deps));
}

async function joinOrOpen(
  { body, ownId, startsSession }: ForeignVisitor,
  stored: SessionRecord | null,
  { request, keyed }: KeyedRequest,
  { sessions, newId }: VisitDeps,
): Promise<Visit> {
  const { receivedAt: now } = request;
  const isUsable = (found: SessionRecord | null): found is SessionRecord =>
    found !== null && (ownId !== null || isResumable(found, now));
  if (isUsable(stored)) return existing(stored, "continued");
  const joinKey = ownId === null ? joinKeyOf(body.anonymousId) : `session ${ownId}`;
  // see `resumeOrOpenSession`: await nothing when nobody is opening the session
  const looking = startsSession ? undefined : sessions.findJoinable(keyed.source.sourceId, joinKey, now);
  const joined = looking ? await looking : null;
  if (isUsable(joined)) return existing(joined, "continued");
  const session = newSession(
    body,
    senderHeadOf(request),
    keyed,
    ownId ?? newId(FOUND_SESSION_PREFIX.slice(0, -1)),
  );
  return { session, state: "opened", store: sessions.open(session, joinKey) };
}

const MAX_SHORT_LENGTH = 100;
const shortText = (value: unknown) => textOrNull(value)?.slice(0, MAX_SHORT_LENGTH).toWellFormed() ?? null;

/** A new session keeps the landing page, where the visit comes from, and the browser's settings. */
export function newSession(
  body: BootstrapFields,
  sender: SenderHead,
  keyed: CachedSource,
  sessionId: string,
): SessionRecord {
  const { page, context } = body;
  const { addressRules, classifyVisit } = keyed;
  const { address, referrer, visit } = normalizePage(page, {
    origin: sender.origin,
    addressRules,
    classifyVisit,
  });
  const landing = {
    ...address,
    ...visit,
    referrer,
    locale: shortText(context?.locale),
    timezone: shortText(context?.timezone),
    userAgent:
      userAgentOf(context ?? null, sender)
        ?.slice(0, SERVER_LIMITS.maxUserAgentLength)
        .toWellFormed() ?? null,
  };
  return {
    sourceId: keyed.source.sourceId,
    sessionId,
    anonymousId: body.anonymousId,
    userId: body.userId || null,
    startedAt: sender.receivedAt,
    lastActivityAt: sender.receivedAt,
    landing: JSON.stringify(landing),
  };
}
