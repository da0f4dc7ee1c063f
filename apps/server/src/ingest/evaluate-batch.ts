/** Evaluates the events of a request, builds the commit from them, and builds the result of each. */
import {
  EVENT_CODES,
  type Event,
  type EventResult,
  isKeptCode,
  type KeptCode,
  storedEventName,
} from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import type { EventLearner } from "../event-catalog/learner.ts";
import { createLineBuilder } from "../ledger/outbox-line.ts";
import type { Commit, SessionRecord, SessionTouch, StoredFlags } from "../ledger/records.ts";
import type { PlanViolation } from "../plan/compile-plan.ts";
import type { EventRejection } from "./attempt.ts";
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
import type { PlanCache } from "./plan-cache.ts";
import type { PropertyNames } from "./property-names.ts";
import type { SenderFacts } from "./sender.ts";
import type { SessionCache } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import type { Visit } from "./visit.ts";
import { type DeviceOf, hintedDeviceOf, readSurroundings, userAgentOf } from "./visitor.ts";

/** An event with its outcome, in the order of the batch. */
export interface EvaluatedEvent {
  readonly parsed: ParsedEvent;
  readonly outcome: EventOutcome;
  /** The input of the evaluation. null: the event was rejected without one. */
  readonly batch: BatchInput | null;
}

export interface BatchDeps {
  readonly sessions: SessionCache;
  readonly plans: PlanCache;
  readonly deviceOf: DeviceOf;
  readonly isSpamReferrer: (host: string) => boolean;
  readonly propertyNames: PropertyNames;
}

const NO_SESSIONS: BatchContext["otherSessions"] = new Map();

/** Looks up the sessions that events name instead of the batch's own. */
function findOtherSessions(
  batch: ParsedBatch,
  { sourceId, sessionId }: SessionRecord,
  sessions: SessionCache,
): BatchContext["otherSessions"] | Promise<BatchContext["otherSessions"]> {
  const ids = new Set<string>();
  for (const parsed of batch.events) {
    const named = isInvalid(parsed) ? null : parsed.event.sessionId;
    if (named && named !== sessionId) ids.add(named);
  }
  return ids.size === 0 ? NO_SESSIONS : sessions.findAll(sourceId, ids);
}

export interface BatchInput {
  readonly sender: SenderFacts;
  readonly keyed: CachedSource;
  readonly parsed: ParsedBody;
  readonly session: SessionRecord;
}

function buildContext(
  { sender, keyed, parsed: { body }, session }: BatchInput,
  batch: ParsedBatch,
  { otherSessions, plan }: Pick<BatchContext, "otherSessions" | "plan">,
  { deviceOf, isSpamReferrer }: BatchDeps,
): BatchContext {
  const { sourceId } = session;
  const { receivedAt, sentBy } = sender;
  const sdkVersion = body.sdkVersion ?? null;
  const context = body.context ?? null;
  const ownDeviceOf = (userAgent: string | null) => hintedDeviceOf(userAgent, sender, deviceOf);
  const device = ownDeviceOf(userAgentOf(context, sender));
  return {
    sourceId,
    hasToken: sender.hasToken,
    receivedAt,
    evaluatedAt: sender.replayedAt === undefined ? receivedAt : Date.parse(sender.replayedAt),
    buildLine: createLineBuilder({
      sourceId,
      receivedAt: toIsoTime(receivedAt),
      batchId: batch.batchId,
      sdkVersion,
      ...sender.place,
      sentBy,
      replayedAt: sender.replayedAt,
    }),
    clockSkewMs: receivedAt - batch.sentAt,
    session,
    otherSessions,
    anonymousId: body.anonymousId,
    userId: body.userId || null,
    surroundings: readSurroundings(context, device),
    origin: sender.origin,
    device,
    deviceOf: ownDeviceOf,
    maxEventBytes: keyed.limits.maxEventBytes,
    bots: keyed.source.bots,
    isFromDataCentre: sender.isFromDataCentre,
    isSpamReferrer,
    retentionDays: keyed.source.retentionDays,
    excludesPath: keyed.excludesPath,
    isAddressExcluded: sender.isAddressExcluded,
    addressRules: keyed.addressRules,
    classifyVisit: keyed.classifyVisit,
    clientVersion: sdkVersion,
    plan,
    violatedPlan: false,
  };
}

const MAX_REASONS = 5;

/** The rejection of an event that does not match the schema. */
export function rejectInvalid({ issues, code = "invalid_event" }: InvalidEvent): Rejection {
  if (code !== "invalid_event") return rejectEvent(code);
  const reasons = issues.slice(0, MAX_REASONS).map(({ message }) => message);
  return rejectEvent(code, `The event is not valid: ${reasons.join("; ")}.`);
}

export const rejectionOf = (parsed: ParsedEvent, outcome: EventOutcome): EventRejection | null =>
  outcome.status === "rejected"
    ? {
        event: isInvalid(parsed) ? parsed.raw : parsed.event,
        violation: outcome.violation ?? null,
      }
    : null;

/** Evaluates every event of the batch, before the ledger is asked for duplicates. */
export async function evaluateBatch(input: BatchInput, deps: BatchDeps): Promise<EvaluatedEvent[]> {
  const { batch } = input.parsed;
  if (!batch) return [];
  const otherSessions = await findOtherSessions(batch, input.session, deps.sessions);
  const { planVersion, source } = input.keyed;
  const plan = planVersion === null ? null : await deps.plans.find(source.sourceId, planVersion);
  const context = buildContext(input, batch, { otherSessions, plan }, deps);
  return batch.events.map((parsed) => {
    const outcome = isInvalid(parsed) ? rejectInvalid(parsed) : evaluateEvent(parsed, context);
    if (outcome.status === "candidate") warnOfNames(outcome, context, deps.propertyNames);
    return { parsed, outcome, batch: input };
  });
}

function warnOfNames(
  { event: { properties }, warnings }: Candidate,
  { sourceId, receivedAt }: BatchContext,
  names: PropertyNames,
): void {
  if (properties && names.isBeyond(sourceId, properties, receivedAt))
    warnings.push("too_many_property_names");
}

function candidatesOf(events: readonly EvaluatedEvent[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { outcome } of events) if (outcome.status === "candidate") candidates.push(outcome);
  return candidates;
}

/** The sessions of the candidates, each with the indexes of its candidates. */
function touchesOf(candidates: readonly Candidate[]): SessionTouch[] {
  const touches = new Map<string, SessionTouch & { entries: number[] }>();
  for (const [index, { sessionId, userId }] of candidates.entries()) {
    const touch = touches.get(sessionId);
    if (touch) {
      touch.entries.push(index);
      touch.userId = userId ?? touch.userId;
    } else touches.set(sessionId, { sessionId, userId, entries: [index] });
  }
  return [...touches.values()];
}

interface KeptRejection {
  readonly code: KeptCode;
  readonly event: Event;
  readonly batch: BatchInput;
  /** The session in which the event would have been. */
  readonly sessionId: string;
}

/** A rejected event that its source keeps; null: another one. */
export function keptRejectionOf({ parsed, outcome, batch }: EvaluatedEvent): KeptRejection | null {
  if (outcome.status !== "rejected" || !isKeptCode(outcome.code)) return null;
  if (!batch || isInvalid(parsed) || batch.keyed.source.keepRejected === 0) return null;
  const { event } = parsed;
  return { code: outcome.code, event, batch, sessionId: event.sessionId || batch.session.sessionId };
}

/**
 * The sessions of rejected events that the source keeps: a visit goes on as if they had been accepted, so that a replay finds
 * them in the session in which they would have been.
 */
function keptTouchesOf(events: readonly EvaluatedEvent[]): SessionTouch[] {
  const touches = new Map<string, SessionTouch>();
  for (const { sessionId, batch } of events.flatMap((one) => keptRejectionOf(one) ?? []))
    touches.set(sessionId, { sessionId, userId: batch.parsed.body.userId || null, always: true });
  return [...touches.values()];
}

export interface CommitInput {
  readonly sourceId: string;
  readonly receivedAt: number;
  /** At least one. */
  readonly visits: readonly Visit[];
  readonly userId: string | null;
  readonly events: readonly EvaluatedEvent[];
  /** The size of the decompressed body. */
  readonly sizeBytes: number;
}

/** Everything that the ledger has to store for a request. It stores all of it or nothing. */
export function buildCommit({
  sourceId,
  receivedAt,
  visits,
  userId,
  events,
  sizeBytes,
}: CommitInput): Commit {
  const candidates = candidatesOf(events);
  const touches: SessionTouch[] = touchesOf(candidates);
  const sessionsIn = (wanted: Visit["state"]) =>
    visits.flatMap(({ session, state }) => (state === wanted ? [session] : []));
  const [opened, resumed] = [sessionsIn("opened"), sessionsIn("resumed")];
  // a bootstrap is activity of the session that it resumes, even if none of its events is accepted
  const own: SessionTouch[] = resumed.map(({ sessionId }) => ({ sessionId, userId }));
  const kept = candidates.length === events.length ? [] : keptTouchesOf(events);
  const others = [...touches, ...kept].filter(
    ({ sessionId }) => !own.some((touch) => touch.sessionId === sessionId),
  );
  return {
    sourceId,
    receivedAt,
    bootstrap: opened.length + resumed.length > 0,
    bytes: sizeBytes,
    open: opened,
    touch: [...own, ...others],
    entries: candidates,
  };
}

/** Adds the events that are new to the catalogue of the source, and its violations of the tracking plan. */
export function learnEvents(
  { sourceId, receivedAt, events }: Pick<CommitInput, "sourceId" | "receivedAt" | "events">,
  committed: StoredFlags,
  learner: EventLearner,
): void {
  for (const [entry, { event, sessionId, clientVersion, path }] of candidatesOf(events).entries()) {
    if (committed[entry] !== 1) continue;
    const { type, name, properties } = event;
    const seen = { name: storedEventName(type, name), properties, sessionId, clientVersion, path };
    learner.see(sourceId, seen, receivedAt);
  }
  let entry = 0;
  for (const { outcome } of events) {
    const isNew = outcome.status === "rejected" || committed[entry++] === 1;
    if (outcome.violation && isNew) learner.seeViolation(sourceId, outcome.violation, receivedAt);
  }
}

/** Updates the session cache with what the commit did. */
export function recordCommit(
  commit: Commit,
  committed: StoredFlags,
  visits: readonly Visit[],
  sessions: SessionCache,
): void {
  const { sourceId, receivedAt: at } = commit;
  // a resumed session has its new user already
  const read = visits.filter(({ state }) => state !== "resumed");
  const usersBefore = new Map(read.map(({ session }) => [session.sessionId, session.userId]));
  for (const { sessionId, userId, entries } of commit.touch) {
    const isActive = entries === undefined || entries.some((entry) => committed[entry] === 1);
    const userIdBefore = usersBefore.get(sessionId);
    if (isActive) sessions.recordActivity({ sourceId, sessionId, userId, userIdBefore, at });
  }
}

const toPlanViolation = (violation: PlanViolation | null | undefined): EventResult["planViolation"] =>
  violation ? { path: violation.path, expected: violation.expected, found: violation.found } : null;

/** A rejected event, as far as it can be read. */
function rejectedResult(
  index: number,
  parsed: ParsedEvent,
  { code, message, violation }: Rejection,
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
    planViolation: toPlanViolation(violation),
  };
}

function candidateResult(
  index: number,
  { event, key, warnings, violation }: Candidate,
  isNew: boolean,
): EventResult {
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
    planViolation: toPlanViolation(violation),
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
