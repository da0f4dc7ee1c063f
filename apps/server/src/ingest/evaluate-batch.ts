/** Evaluates the events of a request, builds the commit from them, and builds the result of each. */
import { EVENT_CODES, type EventResult, storedEventName } from "@headwater/contract";
import type { ContainsAddress } from "../core/address-ranges.ts";
import type { IngestRequest } from "../core/ingest-request.ts";
import type { Commit, SessionRecord, SessionTouch, StoredFlags } from "../core/records.ts";
import { toIsoTime } from "../core/time.ts";
import { createLineBuilder } from "../ledger/outbox-line.ts";
import {
  analyticsEventId,
  type BatchContext,
  type Candidate,
  type EventOutcome,
  evaluateEvent,
  eventKey,
  type Rejection,
  rejectEvent,
} from "./evaluate-event.ts";
import { isJsonObject, textOrNull } from "./json.ts";
import {
  type InvalidEvent,
  isInvalid,
  type ParsedBatch,
  type ParsedBody,
  type ParsedEvent,
} from "./parse.ts";
import type { SessionCache } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import type { Visit } from "./visit.ts";
import { type CountryOf, type DeviceOf, senderOf, visitorDeviceOf } from "./visitor.ts";

/** An event with its outcome, in the order of the batch. */
export interface EvaluatedEvent {
  readonly parsed: ParsedEvent;
  readonly outcome: EventOutcome;
}

export interface BatchDeps {
  readonly sessions: SessionCache;
  readonly countryOf: CountryOf;
  readonly deviceOf: DeviceOf;
  /** null: no address is one of a data centre. */
  readonly isDataCentre: ContainsAddress | null;
  readonly isSpamReferrer: (host: string) => boolean;
}

const NO_SESSIONS: BatchContext["otherSessions"] = new Map();

/** Looks up the sessions that events name instead of the batch's own. */
async function findOtherSessions(
  batch: ParsedBatch,
  { sourceId, sessionId }: SessionRecord,
  sessions: SessionCache,
): Promise<BatchContext["otherSessions"]> {
  const ids = new Set<string>();
  for (const parsed of batch.events) {
    const named = isInvalid(parsed) ? null : parsed.event.sessionId;
    if (named && named !== sessionId) ids.add(named);
  }
  if (ids.size === 0) return NO_SESSIONS;
  const found = [...ids].map(async (id) => [id, await sessions.find(sourceId, id)] as const);
  return new Map(await Promise.all(found));
}

export interface BatchRequest {
  readonly request: IngestRequest;
  readonly keyed: CachedSource;
  readonly parsed: ParsedBody;
  readonly session: SessionRecord;
}

function buildContext(
  { request, keyed, parsed: { body }, session }: BatchRequest,
  batch: ParsedBatch,
  otherSessions: BatchContext["otherSessions"],
  { countryOf, deviceOf, isDataCentre, isSpamReferrer }: BatchDeps,
): BatchContext {
  const { sourceId } = session;
  const { receivedAt } = request;
  const sdkVersion = body.sdkVersion ?? null;
  const context = body.context ?? null;
  const sentBy = senderOf(request);
  // the address of a server says nothing about the visitor
  const country = sentBy === "server" ? null : (request.vouchedCountry ?? countryOf(request.clientAddress));
  return {
    sourceId,
    hasToken: request.authorization !== null,
    receivedAt,
    buildLine: createLineBuilder({
      sourceId,
      receivedAt: toIsoTime(receivedAt),
      batchId: batch.batchId,
      sdkVersion,
      country,
      sentBy,
    }),
    clockSkewMs: receivedAt - batch.sentAt,
    session,
    otherSessions,
    anonymousId: body.anonymousId,
    userId: body.userId || null,
    context,
    origin: request.origin,
    device: visitorDeviceOf(context, request, deviceOf),
    deviceOf,
    maxEventBytes: keyed.limits.maxEventBytes,
    bots: keyed.source.bots,
    isFromDataCentre: sentBy === "browser" && isDataCentre?.(request.clientAddress) === true,
    isSpamReferrer,
    retentionDays: keyed.source.retentionDays,
    excludesPath: keyed.excludesPath,
    addressRules: keyed.addressRules,
  };
}

const MAX_REASONS = 5;

/** The rejection of an event that does not match the schema. */
export function rejectInvalid({ issues }: InvalidEvent): Rejection {
  const reasons = issues.slice(0, MAX_REASONS).map(({ message }) => message);
  return rejectEvent("invalid_event", `${EVENT_CODES.invalid_event} ${reasons.join("; ")}.`);
}

/** Evaluates every event of the batch, before the ledger is asked for duplicates. */
export async function evaluateBatch(batchRequest: BatchRequest, deps: BatchDeps): Promise<EvaluatedEvent[]> {
  const { batch } = batchRequest.parsed;
  if (!batch) return [];
  const otherSessions = await findOtherSessions(batch, batchRequest.session, deps.sessions);
  const context = buildContext(batchRequest, batch, otherSessions, deps);
  return batch.events.map((parsed) => ({
    parsed,
    outcome: isInvalid(parsed) ? rejectInvalid(parsed) : evaluateEvent(parsed, context),
  }));
}

const candidatesOf = (events: readonly EvaluatedEvent[]): Candidate[] =>
  events.flatMap(({ outcome }) => (outcome.status === "candidate" ? [outcome] : []));

/** The sessions of the candidates, each with the indexes of its candidates. */
function touchesOf(candidates: readonly Candidate[]): Required<SessionTouch>[] {
  const touches = new Map<string, Required<SessionTouch>>();
  for (const [index, { sessionId, userId }] of candidates.entries()) {
    const touch = touches.get(sessionId);
    if (touch) touch.entries.push(index);
    else touches.set(sessionId, { sessionId, userId, entries: [index] });
  }
  return [...touches.values()];
}

export interface CommitInput {
  readonly request: IngestRequest;
  readonly visit: Visit;
  readonly userId: string | null;
  readonly events: readonly EvaluatedEvent[];
  /** Of the body, decompressed. */
  readonly sizeBytes: number;
}

/** Everything that the ledger has to store for a request. It stores all of it or nothing. */
export function buildCommit({ request, visit, userId, events, sizeBytes }: CommitInput): Commit {
  const { kind, receivedAt } = request;
  const { session, state } = visit;
  const candidates = candidatesOf(events);
  const touches: SessionTouch[] = touchesOf(candidates);
  const { sourceId, sessionId } = session;
  // a bootstrap is activity of the session that it resumes, even if none of its events is accepted
  const own: SessionTouch[] = state === "resumed" ? [{ sessionId, userId }] : [];
  const others = state === "resumed" ? touches.filter((touch) => touch.sessionId !== sessionId) : touches;
  return {
    sourceId,
    receivedAt,
    bootstrap: kind === "bootstrap",
    bytes: sizeBytes,
    open: state === "opened" ? session : null,
    touch: [...own, ...others],
    entries: candidates.map(({ key, json, day }) => ({ key, json, day })),
  };
}

/** Updates the session cache with what the commit did. */
export function recordCommit(commit: Commit, committed: StoredFlags, sessions: SessionCache): void {
  const { sourceId, receivedAt: at } = commit;
  for (const { sessionId, userId, entries } of commit.touch) {
    const isActive = entries === undefined || entries.some((entry) => committed[entry] === 1);
    if (isActive) sessions.recordActivity({ sourceId, sessionId, userId, at });
  }
}

/** A rejected event, as far as it can be read. */
function rejectedResult(
  index: number,
  parsed: ParsedEvent,
  { code, message }: Rejection,
  keyOf: (eventId: string) => string,
): EventResult {
  const raw = isInvalid(parsed) ? parsed.raw : parsed.event;
  const { id, type, name }: { id?: unknown; type?: unknown; name?: unknown } = isJsonObject(raw) ? raw : {};
  const eventId = textOrNull(id) ?? "";
  return {
    index,
    eventId,
    analyticsEventId: eventId === "" ? "" : analyticsEventId(keyOf(eventId)),
    type: textOrNull(type) ?? "",
    name: storedEventName(type, name),
    status: "rejected",
    code,
    message,
    warnings: [],
  };
}

function candidateResult(index: number, { event, key, warnings }: Candidate, isNew: boolean): EventResult {
  return {
    index,
    eventId: event.id,
    analyticsEventId: analyticsEventId(key),
    type: event.type,
    name: storedEventName(event.type, event.name),
    status: isNew ? "accepted" : "duplicate",
    code: isNew ? null : "duplicate_event",
    message: isNew ? null : EVENT_CODES.duplicate_event,
    warnings,
  };
}

export interface BatchResults {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly results: EventResult[];
}

/** The results in the order of the events, and their counts. */
export function buildResults(
  events: readonly EvaluatedEvent[],
  committed: StoredFlags,
  sourceId: string,
  hasToken: boolean,
): BatchResults {
  const keyOf = (eventId: string) => eventKey(sourceId, eventId, hasToken);
  const counts = { accepted: 0, duplicate: 0, rejected: 0 };
  let entry = 0;
  const results = events.map(({ parsed, outcome }, index): EventResult => {
    const result =
      outcome.status === "candidate"
        ? candidateResult(index, outcome, committed[entry++] === 1)
        : rejectedResult(index, parsed, outcome, keyOf);
    counts[result.status] += 1;
    return result;
  });
  const { accepted, duplicate: duplicates, rejected } = counts;
  return { accepted, duplicates, rejected, results };
}
