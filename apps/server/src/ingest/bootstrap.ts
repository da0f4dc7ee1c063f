import type { BootstrapAnswer, BootstrapBody } from "@headwater/contract";
import type { Attempt, Outcome } from "../core/attempt.ts";
import type { Arrival } from "../core/ingest-request.ts";
import type { SessionRecord, SessionTouch } from "../core/records.ts";
import { toIsoTime } from "../core/time.ts";
import { addressOf, cutUrl, withoutUserInfo } from "./address.ts";
import type { Admitted } from "./admit.ts";
import { attend, type Corridor } from "./attend.ts";
import {
  aboutOf,
  entriesOf,
  judgeBatch,
  keepAlive,
  normalizedOf,
  settle,
  touchesOf,
  userAgentOf,
} from "./batch.ts";
import type { KnownSource } from "./known-sources.ts";
import { canResume, expiresAt, type Sessions } from "./sessions.ts";

/** Checks key and origin, opens or resumes a session, and takes the events that came along (spec 4.2 rules 1 and 2). */
export const bootstrap = (arrival: Arrival, corridor: Corridor): Promise<Attempt> =>
  attend(arrival, corridor, story);

async function story(
  { known, text }: Admitted,
  arrival: Arrival,
  attempt: Attempt,
  corridor: Corridor,
): Promise<Outcome> {
  const parsed = corridor.parse(text, "bootstrap", { ...arrival, maxBatchSize: known.limits.maxBatchSize });
  attempt.envelope = parsed.envelope;
  const { batch, body: loose } = parsed.read();
  const body = loose as BootstrapBody;
  const { sourceId } = known.source;
  const now = arrival.receivedAt;

  const { sessions } = corridor;
  const sought = soughtBy(body, sourceId, now, sessions);
  // where there is none nothing is awaited, so that of two pages that start at once the second finds the first's
  const held = sought ? await sought : null;
  const resumed = canResume(held, body.anonymousId, now);
  const session = resumed
    ? { ...held, lastActivityAt: Math.max(held.lastActivityAt, now), userId: body.userId ?? held.userId }
    : openSession(body, sourceId, arrival, attempt, corridor);

  const store = async () => {
    const verdicts = batch
      ? await judgeBatch(batch, session, aboutOf(body, known), attempt, arrival, corridor)
      : [];
    const touch = touchesOf(verdicts);
    const committed = await corridor.ledger.commit({
      sourceId,
      receivedAt: now,
      bootstrap: true,
      open: resumed ? null : session,
      touch: resumed ? [ownTouch(session, body), ...touch.filter(isOther(session))] : touch,
      entries: entriesOf(verdicts),
    });
    return { verdicts, touch, committed };
  };
  const { verdicts, touch, committed } = await (resumed
    ? store()
    : sessions.whileOpening(session, body.joinSession === true, store));
  if (resumed) sessions.livesOn(sourceId, held.sessionId, body.userId ?? null, now);
  keepAlive(touch, committed, sourceId, now, corridor);

  const settled = settle(verdicts, committed, sourceId);
  // who only knows the visitor's id is told nothing of what the session holds
  const userId = body.sessionId ? session.userId : (body.userId ?? null);
  const answer = { ...answerOf(session, userId, resumed, known, attempt), ...(body.events ? settled : {}) };
  attempt.envelope = { ...parsed.envelope!, sessionId: session.sessionId };
  return { kind: "taken", answer, results: settled.results, normalized: normalizedOf(verdicts) };
}

/** Undefined: the bootstrap can only open one. */
function soughtBy(body: BootstrapBody, sourceId: string, now: number, sessions: Sessions) {
  // the answer tells of activity and user, which another node may know better
  if (body.sessionId) return sessions.find(sourceId, body.sessionId, () => false);
  return body.joinSession ? sessions.recent(sourceId, body.anonymousId, now) : undefined;
}

/** A resumed session lives on with its bootstrap, whatever becomes of the events in it. */
const ownTouch = ({ sessionId }: SessionRecord, body: BootstrapBody) => ({
  sessionId,
  userId: body.userId ?? null,
});
const isOther =
  (session: SessionRecord) =>
  ({ sessionId }: SessionTouch) =>
    sessionId !== session.sessionId;

/** A new session keeps where the visit began, and with what. */
function openSession(
  body: BootstrapBody,
  sourceId: string,
  arrival: Arrival,
  attempt: Attempt,
  corridor: Corridor,
): SessionRecord {
  const { page } = body;
  const context = (body.context ?? null) as Record<string, unknown> | null;
  const address = addressOf(
    page.url ? cutUrl(page.url) : null,
    page.path ? cutUrl(page.path) : null,
    attempt.origin,
  );
  const landing = {
    ...address,
    referrer: page.referrer ? withoutUserInfo(cutUrl(page.referrer)) : null,
    locale: shortText(context?.locale),
    timezone: shortText(context?.timezone),
    userAgent: userAgentOf(context, arrival)?.slice(0, 512).toWellFormed() ?? null,
  };
  return {
    sourceId,
    sessionId: corridor.newId("ses"),
    anonymousId: body.anonymousId,
    userId: body.userId ?? null,
    startedAt: arrival.receivedAt,
    lastActivityAt: arrival.receivedAt,
    landing: JSON.stringify(landing),
  };
}

const shortText = (value: unknown) => (typeof value === "string" ? value.slice(0, 100).toWellFormed() : null);

function answerOf(
  session: SessionRecord,
  identifiedUserId: string | null,
  resumed: boolean,
  known: KnownSource,
  attempt: Attempt,
): BootstrapAnswer {
  const { maxBatchSize, maxPayloadBytes, maxEventBytes, maxEventAgeSeconds, sessionTimeoutSeconds } =
    known.limits;
  return {
    ok: true,
    attemptId: attempt.attemptId,
    ingestVersion: 2,
    sourceId: session.sourceId,
    sessionId: session.sessionId,
    anonymousId: session.anonymousId,
    identifiedUserId,
    ingestUrl: `/api/ingest/v2/${known.publicKey}/events`,
    sessionResumed: resumed,
    sessionExpiresAt: toIsoTime(expiresAt(session)),
    serverTime: toIsoTime(attempt.receivedAt),
    limits: { maxBatchSize, maxPayloadBytes, maxEventBytes, maxEventAgeSeconds, sessionTimeoutSeconds },
    privacy: known.source.privacy,
  };
}
