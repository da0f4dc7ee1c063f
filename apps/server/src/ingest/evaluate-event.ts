/** Evaluates one event: builds its normal form or rejects it (docs/api/events.md). Pure. */
import { hash } from "node:crypto";
import {
  type BotPolicy,
  DEDUP_WINDOW_SECONDS,
  describeViolation,
  EVENT_CODES,
  type Event,
  type EventCode,
  eventTypeRules,
  LIMITS,
  storedEventName,
  type Warning,
} from "@headwater/contract";
import type { VisitSource } from "../channels/classify-visit.ts";
import { DIRECT, type VisitClassifier } from "../channels/visit-classifier.ts";
import { NO_ID } from "../core/ids.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { dayOf, toIsoTime } from "../core/time.ts";
import type { SeenViolation } from "../event-catalog/violations.ts";
import { type BuildLine, membersOf, sharedMembersOf } from "../ledger/outbox-line.ts";
import type { SessionRecord } from "../ledger/records.ts";
import type { CompiledPlan, PlanViolation } from "../plan/compile-plan.ts";
import type { AddressRules } from "./address-rules.ts";
import { mergeContexts, warnOnce } from "./fit.ts";
import { inspect, isLonger, jsonBytes, makeFinite, setOwn, textOrNull } from "./json.ts";
import { type LostEvent, readLost } from "./lost-events.ts";
import { type Measures, measuresOf } from "./measures.ts";
import { addressOf, referrerOf, titleOf } from "./page-address.ts";
import type { ValidEvent } from "./parse.ts";
import { type Device, readSurroundings, type Surroundings } from "./visitor.ts";

/** The values that all events of a batch share. */
export interface BatchContext {
  readonly sourceId: string;
  /** Whether a server sent the batch with a token. */
  readonly hasToken: boolean;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When the event is stored: later than its receipt in a replay. */
  readonly evaluatedAt: number;
  /** Builds the normal form of an event. */
  readonly buildLine: BuildLine;
  /** `receivedAt` − `sentAt`. */
  readonly clockSkewMs: number;
  readonly session: SessionRecord;
  /** Sessions that events name instead of the batch's, as far as the source has them. */
  readonly otherSessions: ReadonlyMap<string, SessionRecord>;
  readonly anonymousId: string;
  readonly userId: string | null;
  /** The surroundings of events without their own context. */
  readonly surroundings: Surroundings;
  readonly origin: string | null;
  /** The device of the user agent. */
  readonly device: Device;
  readonly deviceOf: (userAgent: string) => Device;
  readonly maxEventBytes: number;
  readonly bots: BotPolicy;
  /** Whether the client's address is one of a data centre. */
  readonly isFromDataCentre: boolean;
  readonly isSpamReferrer: (host: string) => boolean;
  /** For how many UTC days the source keeps events. null: forever. */
  readonly retentionDays: number | null;
  /** Whether the source's `excludedPaths` contain the path. */
  readonly excludesPath: (path: string) => boolean;
  /** Whether the source's `excludedAddresses` contain the client's address. */
  readonly isAddressExcluded: boolean;
  /** The source's rules for addresses. */
  readonly addressRules: AddressRules;
  readonly classifyVisit: VisitClassifier;
  readonly clientVersion: string | null;
  /** The source's tracking plan; null: it has none. */
  readonly plan: CompiledPlan | null;
  /** Whether the events violated the plan when they were accepted. Only of imported events. */
  readonly violatedPlan: boolean;
}

/** An event that will be stored, unless it is a duplicate. */
export interface Candidate {
  readonly status: "candidate";
  readonly event: Event;
  /** The deduplication key. */
  readonly key: string;
  /** The normal form. Bytes lie outside V8's heap: the garbage collector need not copy them while the commit waits. */
  readonly line: Buffer;
  /** The UTC day of its `occurredAt`, in days since the epoch. */
  readonly day: number;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly warnings: Warning[];
  /** `sdkVersion` of the batch. */
  readonly clientVersion: string | null;
  /** The path of the page. */
  readonly path: string | null;
  /** How the event violates the tracking plan. null: it does not. */
  readonly violation: (SeenViolation & PlanViolation) | null;
}
export interface Rejection {
  readonly status: "rejected";
  readonly code: EventCode;
  readonly message: string;
  /** Why the tracking plan rejects the event. Absent: something else rejects it. */
  readonly violation?: SeenViolation & PlanViolation;
}
export type EventOutcome = Candidate | Rejection;

/**
 * The deduplication key: 128 bits of a hash of source and event id. With a prefix it is the stored event's id. The ids of
 * servers with a token are apart, so that nobody else can use them first. No source id has a space.
 */
export const eventKey = (sourceId: string, eventId: string, hasToken: boolean): string =>
  hash("sha256", `${hasToken ? "server " : ""}${sourceId}\n${eventId}`, "hex").slice(0, 32);
export const analyticsEventId = (key: string): string => `evt_${key}`;

export const rejectEvent = (code: EventCode, message: string = EVENT_CODES[code]): Rejection => ({
  status: "rejected",
  code,
  message,
});

const SKEW_TOLERANCE_MS = LIMITS.skewToleranceSeconds * 1_000;
const UNRELIABLE_SKEW_MS = SERVER_LIMITS.unreliableSkewSeconds * 1_000;
const MAX_AGE_MS = LIMITS.maxEventAgeSeconds * 1_000;
const MAX_FUTURE_MS = LIMITS.maxFutureSeconds * 1_000;
const FUTURE_CLAMP_MS = LIMITS.futureClampSeconds * 1_000;
const DEDUP_WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;

/**
 * The time of the event before it is checked. A clock that is days behind, with events up to its `sentAt`, is corrected;
 * any other `sentAt` that is days off corrects only times that are impossible.
 */
function removeSkew(time: number, { receivedAt, clockSkewMs }: BatchContext, warnings: Warning[]): number {
  const skewMs = Math.abs(clockSkewMs);
  if (skewMs <= SKEW_TOLERANCE_MS) return time;
  if (skewMs <= UNRELIABLE_SKEW_MS) return time + clockSkewMs;
  warnings.push("sent_at_unreliable");
  const isBehind = clockSkewMs > 0 && time + clockSkewMs - receivedAt <= SKEW_TOLERANCE_MS;
  const isPlausible = receivedAt - time <= MAX_AGE_MS && time - receivedAt <= MAX_FUTURE_MS;
  return isPlausible && !isBehind ? time : time + clockSkewMs;
}

/** The time of the event by the server's clock, in milliseconds. */
function correctTime(time: number, context: BatchContext, warnings: Warning[]): number | Rejection {
  const { receivedAt, retentionDays } = context;
  const occurredAt = removeSkew(time, context, warnings);
  const aheadMs = occurredAt - receivedAt;
  if (-aheadMs > MAX_AGE_MS) return rejectEvent("timestamp_too_old");
  if (aheadMs > MAX_FUTURE_MS) return rejectEvent("timestamp_in_future");
  // retention would delete the event within the hour, although it was answered `accepted`
  if (retentionDays !== null && dayOf(occurredAt) < dayOf(context.evaluatedAt) - retentionDays)
    return rejectEvent("timestamp_too_old", describeExpired(retentionDays));
  if (-aheadMs > DEDUP_WINDOW_MS) warnings.push("old_event");
  if (aheadMs <= FUTURE_CLAMP_MS) return occurredAt;
  warnings.push("timestamp_clamped");
  return receivedAt;
}

const describeExpired = (retentionDays: number) =>
  `The source keeps events for ${retentionDays} days, and the event is older. To store such events, raise the source's \`retentionDays\`.`;

function findSession({ sessionId }: Event, { session, otherSessions }: BatchContext): SessionRecord | null {
  if (!sessionId || sessionId === session.sessionId) return session;
  return otherSessions.get(sessionId) ?? null;
}

/** Cuts long strings, in place. Returns whether one was cut. */
function cutStrings(value: object): boolean {
  let isCut = false;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string" && item.length > LIMITS.maxPropertyStringLength) {
      setOwn(value, key, item.slice(0, LIMITS.maxPropertyStringLength).toWellFormed());
      isCut = true;
    } else if (typeof item === "object" && item !== null) {
      isCut = cutStrings(item) || isCut;
    }
  }
  return isCut;
}

/** Unknown members are not stored and do not count. */
const storedBytes = ({ id, name, page, properties, context }: Event) =>
  jsonBytes({ id, name, page, properties, context });

/** @param upperBound the event's size is at most this, so that few events need to be measured */
function checkEventSize(event: Event, maxBytes: number, upperBound: number): Rejection | null {
  const bytes = upperBound > maxBytes ? storedBytes(event) : 0;
  if (bytes <= maxBytes) return null;
  return rejectEvent(
    "event_too_large",
    `The event has ${bytes} bytes; at most ${maxBytes} are allowed. Send less in \`properties\` and \`context\`.`,
  );
}

/** Checks the properties and cuts long strings in them. */
function checkProperties(event: Event, maxEventBytes: number, warnings: Warning[]): Rejection | null {
  const { properties } = event;
  if (!properties) return null;
  const { isTooDeep, hasNonFinite, maxBytes } = inspect(properties, LIMITS.maxDepth);
  if (isTooDeep) return rejectEvent("properties_too_deep");
  if (Object.keys(properties).length > LIMITS.maxProperties) return rejectEvent("too_many_properties");
  // before strings are cut, because the limit is on what was sent
  const tooLarge = checkEventSize(event, maxEventBytes, maxBytes);
  if (tooLarge) return tooLarge;
  if (hasNonFinite) {
    makeFinite(properties);
    warnOnce(warnings, "number_not_finite");
  }
  if (maxBytes > LIMITS.maxPropertyStringLength && cutStrings(properties))
    warnOnce(warnings, "value_truncated");
  return null;
}

/** The page with a clean address, and the visit that it would begin. */
export function normalizePage(
  page: NonNullable<Event["page"]>,
  {
    origin: requestOrigin,
    addressRules,
    classifyVisit,
  }: Pick<BatchContext, "origin" | "addressRules" | "classifyVisit">,
) {
  const { url = null, path = null, title = null } = page;
  const hashRouting = page.hashRouting === true;
  const { address, campaign } = addressOf({ url, path, requestOrigin, hashRouting }, addressRules);
  const { referrer, host } = referrerOf(page.referrer, addressRules);
  const referrerHost = host !== null && classifyVisit.isOwnHost(host, address.host) ? null : host;
  const outsideReferrer = referrerHost === null ? null : referrer;
  return {
    address,
    visit: classifyVisit({ referrer: outsideReferrer, pageHost: address.host, campaign }),
    title: title === null ? null : titleOf(title),
    referrer,
    referrerHost,
  };
}

type NormalPage = ReturnType<typeof normalizePage>;

/** The normal form of the page: its address and its other members are one object. */
function pageJson({ address, title, referrer, referrerHost }: NormalPage): string {
  return `{${sharedMembersOf(address)},${membersOf({ title, referrer, referrerHost })}}`;
}

function checkType(event: Event): Rejection | null {
  const rules = eventTypeRules(event.type);
  if (rules === null) return rejectEvent("unsupported_event_type");
  if (isLonger(event.id, LIMITS.maxEventIdLength)) return rejectEvent("event_id_too_long");
  if (rules.requiresName && isLonger(event.name ?? "", LIMITS.maxEventNameLength))
    return rejectEvent("event_name_too_long");
  if (rules.requiresPage && !event.page?.url && !event.page?.path) return rejectEvent("page_address_missing");
  return null;
}

/** Most events have no context of their own: the batch's is serialized once. */
function surroundingsOf({ context: own }: Event, batch: BatchContext, warnings: Warning[]): Surroundings {
  if (!own) return batch.surroundings;
  const ownUserAgent = textOrNull(own.userAgent);
  const device = ownUserAgent ? batch.deviceOf(ownUserAgent) : batch.device;
  return readSurroundings(mergeContexts(batch.surroundings.context, own, warnings), device);
}

/** A page view is never passive. */
const isPassive = ({ type, passive }: Event): boolean =>
  passive === true && eventTypeRules(type)?.countsAs === "action";

/** An event without a page comes from where its session's landing page says. */
function visitOfLanding({ landing }: SessionRecord): VisitSource {
  // the text is `newSession`'s
  const { source, channel } = JSON.parse(landing) as Partial<VisitSource>;
  return channel === undefined ? DIRECT : { source: source ?? null, channel };
}

/** The members of the normal form that come from the event itself. What events have in common is serialized once. */
function membersOfEvent(
  event: Event,
  session: SessionRecord,
  page: NormalPage | null,
  {
    members,
    device,
    measures,
    lost,
  }: Omit<Surroundings, "context"> & { readonly measures: Measures; readonly lost: LostEvent[] | undefined },
): string {
  const own = {
    eventId: event.id,
    type: event.type,
    name: storedEventName(event.type, event.name),
    // like the measures, left out unless the event has it; a copy of all measures would cost more
    passive: isPassive(event) || undefined,
    timestamp: event.timestamp,
    sessionId: session.sessionId,
    revenue: measures.revenue,
    currency: measures.currency,
    engagedSeconds: measures.engagedSeconds,
    scrollDepth: measures.scrollDepth,
    planViolation: measures.planViolation,
    lost,
    properties: event.properties ?? null,
  };
  const pageText = page === null ? "null" : pageJson(page);
  const visit = sharedMembersOf(page?.visit ?? visitOfLanding(session));
  // not joined: V8 copies the parts of a template once, when the line is packed
  return `${membersOf(own)},${members},"page":${pageText},${visit},"device":{${sharedMembersOf(device)}}`;
}

type BotReason = Extract<Warning, "bot_suspected" | "data_centre" | "referrer_spam">;

const BOT_REASONS: Readonly<Record<BotReason, string>> = {
  bot_suspected: "The user agent belongs to a bot",
  data_centre: "The client's address is in a data centre (`DATA_CENTRES_FILE`)",
  referrer_spam: "The referrer is spam (`REFERRER_SPAM_FILE`)",
};

/** Why the event is a bot's; null: it is a person's, or the source keeps bots. */
function botReasonOf(device: Device, referrerHost: string | null, batch: BatchContext): BotReason | null {
  if (batch.bots === "keep") return null;
  if (device.isBot) return "bot_suspected";
  if (batch.isFromDataCentre) return "data_centre";
  return referrerHost !== null && batch.isSpamReferrer(referrerHost) ? "referrer_spam" : null;
}

const rejectBot = (reason: BotReason): Rejection =>
  rejectEvent(
    "bot_rejected",
    `${BOT_REASONS[reason]}, and the source's \`bots\` setting is \`reject\`. To store such events, set \`bots\` to \`apart\` or \`keep\`.`,
  );

/** How the event violates the plan, with its sender. null: it does not. */
function checkPlan(
  event: Event,
  plan: CompiledPlan,
  { batch, session, page }: { batch: BatchContext; session: SessionRecord; page: string | null },
): (SeenViolation & PlanViolation) | null {
  const violation = plan.check(event);
  if (violation === null) return null;
  const name = storedEventName(event.type, event.name);
  const { clientVersion } = batch;
  return { ...violation, event: name, sessionId: session.sessionId, clientVersion, page };
}

const lostEventsOf = ({ lost }: Event, batch: BatchContext) =>
  readLost(lost, (time) => {
    const occurredAt = correctTime(time, batch, []);
    return typeof occurredAt === "number" ? occurredAt : null;
  });

const markBot = (device: Device, isBot: boolean): Device =>
  device.isBot === isBot ? device : { ...device, isBot };

const storedTime = ({ event, time }: ValidEvent, occurredAt: number): string =>
  occurredAt === time.time && time.isCanonical ? event.timestamp : toIsoTime(occurredAt);

/** Whether one event is stored, as far as that can be decided without asking the ledger for duplicates. */
export function evaluateEvent(parsed: ValidEvent, batch: BatchContext): EventOutcome {
  if (batch.isAddressExcluded) return rejectEvent("address_excluded");
  const { event, time } = parsed;
  const warnings = [...parsed.warnings];
  const badType = checkType(event);
  if (badType) return badType;
  const occurredAt = correctTime(time.time, batch, warnings);
  if (typeof occurredAt !== "number") return occurredAt;
  const session = findSession(event, batch);
  if (!session) return rejectEvent("session_mismatch");
  const badProperties = checkProperties(event, batch.maxEventBytes, warnings);
  if (badProperties) return badProperties;

  const givenId = event.anonymousId || batch.anonymousId;
  // several people may share the session of a visitor without browser storage, so its user is not theirs
  const [anonymousId, sessionUserId] =
    givenId === NO_ID ? [session.anonymousId, null] : [givenId, session.userId];
  if (anonymousId !== session.anonymousId) warnings.push("anonymous_id_mismatch");
  const { members, device } = surroundingsOf(event, batch, warnings);
  const page = event.page ? normalizePage(event.page, batch) : null;
  const botReason = botReasonOf(device, page?.referrerHost ?? null, batch);
  if (botReason && batch.bots === "reject") return rejectBot(botReason);
  if (botReason) warnings.push(botReason);
  const path = page?.address.path ?? null;
  if (path && batch.excludesPath(path)) return rejectEvent("path_excluded");

  const violation = batch.plan && checkPlan(event, batch.plan, { batch, session, page: path });
  if (violation?.mode === "reject")
    return { ...rejectEvent("plan_violation", describeViolation(violation)), violation };
  if (violation) warnings.push("plan_violation");

  const key = eventKey(batch.sourceId, event.id, batch.hasToken);
  const head = {
    analyticsEventId: analyticsEventId(key),
    occurredAt: storedTime(parsed, occurredAt),
    anonymousId,
    userId: batch.userId ?? sessionUserId,
  };
  const measured = measuresOf(event, isPassive(event), warnings);
  const measures = violation || batch.violatedPlan ? { ...measured, planViolation: true } : measured;
  const lost = lostEventsOf(event, batch);
  const others = { members, device: markBot(device, botReason !== null), measures, lost };
  const line = Buffer.from(batch.buildLine(head, membersOfEvent(event, session, page, others)));
  // the normal form has the event's data and more
  const tooLarge = checkEventSize(event, batch.maxEventBytes, line.length);
  if (tooLarge) return tooLarge;
  return {
    status: "candidate",
    event,
    key,
    line,
    day: dayOf(occurredAt),
    sessionId: session.sessionId,
    userId: batch.userId,
    warnings,
    clientVersion: batch.clientVersion,
    path,
    violation,
  };
}
