/** A batch of events, in a bootstrap or by itself: judged, committed, and answered event by event. */
import type {
  BootstrapBody,
  BotPolicy,
  Event,
  EventResult,
  EventStatus,
  EventsBody,
} from "@headwater/contract";
import { EVENT_CODES, storedEventName } from "@headwater/contract";
import type { Attempt } from "../core/attempt.ts";
import type { Arrival } from "../core/ingest-request.ts";
import type { SessionRecord, SessionTouch, StoredFlags } from "../core/records.ts";
import { toIsoTime } from "../core/time.ts";
import type { Corridor } from "./attend.ts";
import type { KnownSource } from "./known-sources.ts";
import {
  analyticsEventId,
  type Candidate,
  eventKey,
  judge,
  type Occasion,
  type Rejection,
  sharedJson,
} from "./normalize.ts";
import type { BadEvent, ReadBatch, ReadEvent } from "./parse.ts";
import { deviceOf } from "./visitor.ts";

export interface Verdict {
  read: ReadEvent | BadEvent;
  judged: Candidate | Rejection;
}

/** What the envelope of either body says of its events. */
interface About {
  anonymousId: string;
  userId: string | null;
  sdkVersion: string | null;
  context: Record<string, unknown> | null;
  /** The source's limit. */
  maxEventBytes: number;
  bots: BotPolicy;
  excludes(path: string): boolean;
}

export const aboutOf = (body: BootstrapBody | EventsBody, known: KnownSource): About => ({
  anonymousId: body.anonymousId,
  userId: body.userId ?? null,
  sdkVersion: body.sdkVersion ?? null,
  context: (body.context ?? null) as Record<string, unknown> | null,
  maxEventBytes: known.limits.maxEventBytes,
  bots: known.source.bots,
  excludes: known.excludes,
});

const isCandidate = (judged: Candidate | Rejection): judged is Candidate => "key" in judged;
const isBad = (read: ReadEvent | BadEvent): read is BadEvent => "bad" in read;

/** Those that events name beside the batch's own, looked up side by side. */
async function namedSessions(batch: ReadBatch, { sourceId, sessionId }: SessionRecord, corridor: Corridor) {
  const ids = batch.events.map((read) => (isBad(read) ? null : read.event.sessionId));
  const others = new Set(ids.filter((id): id is string => Boolean(id) && id !== sessionId));
  const found = [...others].map(async (id) => [id, await corridor.sessions.find(sourceId, id)] as const);
  return new Map(await Promise.all(found));
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** The user agent that the client names, else the request's own. */
export const userAgentOf = (context: Record<string, unknown> | null, arrival: Arrival) =>
  textOrNull(context?.userAgent) ?? arrival.userAgent ?? null;

/** Why an event that has not the shape of one is rejected. */
export function rejectBad({ issues }: BadEvent): Rejection {
  const reasons = issues.slice(0, 5).map(({ message }) => message);
  return { code: "invalid_event", message: `${EVENT_CODES.invalid_event} ${reasons.join("; ")}.` };
}

/** Every event's verdict, before the ledger says which are known. */
export async function judgeBatch(
  batch: ReadBatch,
  session: SessionRecord,
  about: About,
  attempt: Attempt,
  arrival: Arrival,
  corridor: Corridor,
): Promise<Verdict[]> {
  attempt.clockSkewMs = arrival.receivedAt - batch.sentAt;
  const country = arrival.vouchedCountry ?? corridor.countryOf(arrival.clientAddress);
  const occasion: Occasion = {
    ...about,
    sourceId: session.sourceId,
    receivedAt: arrival.receivedAt,
    sharedJson: sharedJson({
      sourceId: session.sourceId,
      receivedAt: toIsoTime(arrival.receivedAt),
      batchId: batch.batchId,
      sdkVersion: about.sdkVersion,
      country,
    }),
    skewMs: attempt.clockSkewMs,
    session,
    otherSessions: await namedSessions(batch, session, corridor),
    origin: attempt.origin,
    device: deviceOf(userAgentOf(about.context, arrival)),
    deviceOf,
  };
  return batch.events.map((read) => ({
    read,
    judged: isBad(read) ? rejectBad(read) : judge(read, occasion),
  }));
}

export const entriesOf = (verdicts: Verdict[]) =>
  verdicts.flatMap(({ judged }) => (isCandidate(judged) ? [{ key: judged.key, json: judged.json }] : []));

/** The sessions that accepted events keep alive, each by events of its own. */
export function touchesOf(verdicts: Verdict[]): Required<SessionTouch>[] {
  const touched = new Map<string, Required<SessionTouch>>();
  for (const [index, { sessionId, userId }] of verdicts
    .map(({ judged }) => judged)
    .filter(isCandidate)
    .entries()) {
    const touch = touched.get(sessionId);
    if (touch) touch.entries.push(index);
    else touched.set(sessionId, { sessionId, userId, entries: [index] });
  }
  return [...touched.values()];
}

/** What the commit did to the sessions, for the memory of them. */
export function keepAlive(
  touch: Required<SessionTouch>[],
  committed: StoredFlags,
  sourceId: string,
  now: number,
  corridor: Corridor,
) {
  const wasAccepted = (entry: number) => committed[entry] === 1;
  for (const { sessionId, userId, entries } of touch) {
    if (!entries.some(wasAccepted)) continue;
    corridor.sessions.livesOn(sourceId, sessionId, userId, now);
  }
}

const loose = (value: unknown) =>
  typeof value === "object" && value !== null ? (value as Partial<Event>) : {};

function identityOf(read: ReadEvent | BadEvent, sourceId: string) {
  const event = isBad(read) ? loose(read.bad) : read.event;
  const eventId = typeof event.id === "string" ? event.id : "";
  return {
    eventId,
    analyticsEventId: eventId === "" ? "" : analyticsEventId(eventKey(sourceId, eventId)),
    type: typeof event.type === "string" ? event.type : "",
    name: storedEventName(event.type, event.name),
  };
}

function resultOf(verdict: Verdict, index: number, stored: boolean, sourceId: string): EventResult {
  const { read, judged } = verdict;
  if (!isCandidate(judged)) {
    const { code, message } = judged;
    return { index, ...identityOf(read, sourceId), status: "rejected", code, message, warnings: [] };
  }
  const { event } = read as ReadEvent;
  const status: EventStatus = stored ? "accepted" : "duplicate";
  return {
    index,
    eventId: event.id,
    analyticsEventId: analyticsEventId(judged.key),
    type: event.type,
    name: storedEventName(event.type, event.name),
    status,
    code: stored ? null : "duplicate_event",
    message: stored ? null : EVENT_CODES.duplicate_event,
    warnings: judged.warnings,
  };
}

/** Results in the order of the events, and their counts. */
export function settle(verdicts: Verdict[], committed: StoredFlags, sourceId: string) {
  let candidate = 0;
  const tally = { accepted: 0, duplicates: 0, rejected: 0 };
  const results = verdicts.map((verdict, index) => {
    const stored = isCandidate(verdict.judged) && committed[candidate++] === 1;
    const result = resultOf(verdict, index, stored, sourceId);
    tally[
      result.status === "accepted" ? "accepted" : result.status === "duplicate" ? "duplicates" : "rejected"
    ] += 1;
    return result;
  });
  return { ...tally, results };
}

export const normalizedOf = (verdicts: Verdict[]) =>
  verdicts.map(({ judged }) => (isCandidate(judged) ? judged.json : null));
