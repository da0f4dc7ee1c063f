/** Turns the events of a foreign request into batches of ours: one for each visitor, user and client (docs/api/ingest.md). Pure. */
import { hash } from "node:crypto";
import { type AppliedLimits, LIMITS } from "@headwater/contract";
import { DAILY_ID_PREFIX, NO_ID } from "../core/ids.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { invalidBody, Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import {
  type Adapter,
  type ForeignEvent,
  type ForeignRequest,
  type Translation,
  Untranslatable,
} from "./adapter.ts";
import type { Envelope } from "./attempt.ts";
import type { EvaluatedEvent } from "./evaluate-batch.ts";
import { knownMembers } from "./fit.ts";
import type { RequestHead } from "./ingest-request.ts";
import {
  inspect,
  isJsonObject,
  type JsonObject,
  jsonBytes,
  parseJson,
  textOrNull,
  withStorableStrings,
} from "./json.ts";
import { markLongIds, mayHaveLongIds, numberOrText } from "./long-ids.ts";
import {
  type BodyParser,
  type InvalidEvent,
  isInvalid,
  LENIENT_BOOTSTRAP,
  type ParsedBody,
  requireBatchSize,
} from "./parse.ts";
import { senderHeadOf } from "./sender.ts";
import type { ForeignSession } from "./visit.ts";
import { userAgentOf } from "./visitor.ts";

type ParsedBootstrap = Extract<ParsedBody, { kind: "bootstrap" }>;

/** The events of one visitor, user and client. */
interface ForeignPart {
  readonly parsed: ParsedBootstrap;
  /** The place of each event in the request. */
  readonly indexes: readonly number[];
  /** The known members of the first event's context, for the session that it opens. */
  readonly firstContext: JsonObject;
}

/** The parts of one session. */
interface ForeignGroup {
  readonly session: ForeignSession;
  readonly parts: readonly [ForeignPart, ...ForeignPart[]];
}

export interface ForeignBatch {
  /**
   * In the order of their keys. Requests that open sessions of the same visitors at once wait for each other, and all of them
   * in this order, so none waits in a circle.
   */
  readonly groups: readonly ForeignGroup[];
  /** Events that no session is needed for, by their place in the request. */
  readonly invalid: ReadonlyMap<number, InvalidEvent>;
  readonly total: number;
}

const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/;

/** Whether a member of an event is not stored as it is. It may be too deep to be written as JSON. */
const nestsTooDeep = (value: unknown) =>
  typeof value === "object" && value !== null && inspect(value, LIMITS.maxDepth).isTooDeep;

/**
 * The id of an event whose client sends none: a hash of its content and time. A retry has the same id. Equal events of one
 * request differ by `place`, and those of different times by the nonce.
 */
function hashedId({ event, anonymousId, userId, nonce }: ForeignEvent, requestId: string, place: number) {
  const content = Object.fromEntries(Object.entries(event).filter(([, value]) => !nestsTooDeep(value)));
  const text = JSON.stringify([content, anonymousId, userId, nonce ?? requestId, place]);
  return hash("sha256", text, "hex").replace(UUID_PARTS, "$1-$2-$3-$4-$5");
}

/** Counts how often a value occurred before. */
function createCounter(): (value: string) => number {
  const counts = new Map<string, number>();
  return (value) => {
    const count = counts.get(value) ?? 0;
    counts.set(value, count + 1);
    return count;
  };
}

type Translated = ReturnType<Translation["eventOf"]>;

/** Limits the members that all messages share, since each message gets a copy of them. @throws Refusal 413, or 422 when it is too deep to be measured */
function requireSharedSize({ shared, messages }: Translation, limit: number): void {
  if (shared === null || messages.length === 1) return;
  const { isTooDeep, maxBytes } = inspect(shared, LIMITS.maxDepth);
  if (isTooDeep)
    throw invalidBody(
      "invalid_value",
      `The members that apply to all messages nest deeper than ${LIMITS.maxDepth} levels.`,
    );
  if (maxBytes * messages.length <= limit) return;
  const actual = jsonBytes(withStorableStrings(shared, numberOrText)) * messages.length;
  if (actual <= limit) return;
  throw new Refusal("payload_too_large", {
    message: `The members that apply to all messages take ${actual} bytes, because they count once per message. This source accepts at most ${limit}.`,
    limit,
    actual,
    limitName: "maxPayloadBytes",
  });
}

/** Nobody may take part in the sessions of a visitor without storage by the id that the service gave. */
function problemOf(source: Translated): string | null {
  if ("problem" in source) return source.problem;
  return source.anonymousId.startsWith(DAILY_ID_PREFIX)
    ? `The visitor's id must not begin with \`${DAILY_ID_PREFIX}\``
    : null;
}

function describeUntranslated(source: Translated, index: number, message: string): InvalidEvent {
  const raw = "event" in source ? source.event : source.raw;
  const eventId = isJsonObject(raw) ? textOrNull(raw.id) : null;
  const issue = { path: ["events", index], code: "invalid_value" as const, message };
  const issues = [eventId === null ? issue : { ...issue, eventId }];
  return { raw, issues, code: "code" in source ? source.code : undefined };
}

interface Identified {
  readonly index: number;
  readonly source: ForeignEvent;
  readonly event: Readonly<Record<string, unknown>>;
}

type IdentifiedEvents = readonly [Identified, ...Identified[]];

function identify(
  { messages, eventOf }: Translation,
  { requestId, receivedAt }: RequestHead,
): { identified: Identified[]; invalid: Map<number, InvalidEvent> } {
  const invalid = new Map<number, InvalidEvent>();
  const identified: Identified[] = [];
  const timesOf = createCounter();
  for (const [index, message] of messages.entries()) {
    const source = eventOf(message);
    const problem = problemOf(source);
    if (problem !== null || !("event" in source)) {
      invalid.set(index, describeUntranslated(source, index, problem ?? ""));
      continue;
    }
    const { event } = source;
    const id = event.id ?? nextId(source, requestId, timesOf);
    identified.push({ index, source, event: { timestamp: toIsoTime(receivedAt), ...event, id } });
  }
  return { identified, invalid };
}

function nextId(source: ForeignEvent, requestId: string, timesOf: (id: string) => number): string {
  const id = hashedId(source, requestId, 0);
  const before = timesOf(id);
  return before === 0 ? id : hashedId(source, requestId, before);
}

/** The context of an event with that of its request. */
const contextOf = ({ event }: Identified, { context }: Translation): JsonObject => ({
  ...context,
  ...(isJsonObject(event.context) ? event.context : null),
});

/** The key of the session of an event. Visitors without storage are told apart by their user agent. */
function sessionKeyOf(one: Identified, translation: Translation, request: RequestHead): string {
  const { anonymousId, clientSession } = one.source;
  const userAgent =
    anonymousId === NO_ID ? userAgentOf(contextOf(one, translation), senderHeadOf(request)) : null;
  // as far as the id of the visitor depends on it
  const counted = userAgent?.slice(0, SERVER_LIMITS.maxUserAgentLength) ?? "";
  return JSON.stringify([anonymousId, clientSession, counted]);
}

function bodyOf(events: IdentifiedEvents, translation: Translation, request: RequestHead) {
  const [first] = events;
  return {
    ingestVersion: 2,
    sdkVersion: first.source.client ?? request.foreign?.adapter.endpoint,
    anonymousId: first.source.anonymousId,
    userId: first.source.userId,
    page: first.event.page ?? {},
    context: translation.context,
    batchId: request.requestId,
    sentAt: translation.sentAt ?? toIsoTime(request.receivedAt),
    events: events.map(({ event }) => event),
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): (readonly [string, [T, ...T[]]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}

const MAX_LISTED_ISSUES = LIMITS.maxIssues;

/** Refuses the request with the issues of its events. @throws Refusal 422 */
function refuseAll(invalid: ReadonlyMap<number, InvalidEvent>): never {
  const issues = [...invalid.values()].flatMap((one) => one.issues).slice(0, MAX_LISTED_ISSUES);
  throw new Refusal("invalid_payload", { issues });
}

interface ForeignInput {
  readonly request: RequestHead;
  readonly translation: Translation;
  readonly limits: Pick<AppliedLimits, "maxBatchSize" | "maxPayloadBytes">;
  readonly parseBody: BodyParser;
}

/** @throws Refusal 413 when there are too many events, 422 when all are invalid */
export function buildForeignBatch({ request, translation, limits, parseBody }: ForeignInput): ForeignBatch {
  const total = translation.messages.length;
  requireBatchSize(total, limits.maxBatchSize);
  requireSharedSize(translation, limits.maxPayloadBytes);
  const { identified, invalid } = identify(translation, request);
  const keyOf = (one: Identified) => sessionKeyOf(one, translation, request);
  const parse = (events: IdentifiedEvents) => tryParse(bodyOf(events, translation, request), parseBody);
  const groups: [string, ForeignGroup][] = [];
  for (const [key, ofSession] of groupBy(identified, keyOf)) {
    const parts: ForeignPart[] = [];
    const batches = groupBy(ofSession, ({ source }) => JSON.stringify([source.userId, source.client]));
    for (const [, events] of batches) {
      const { malformed, part } = parseEvents(events, translation, parse);
      for (const [index, event] of malformed) invalid.set(index, event);
      if (part) parts.push(part);
    }
    const [first, ...others] = parts;
    const { clientSession } = ofSession[0].source;
    const startsSession = ofSession.some(
      ({ index, source }) => source.startsSession === true && !invalid.has(index),
    );
    if (first) groups.push([key, { session: { clientSession, startsSession }, parts: [first, ...others] }]);
  }
  if (invalid.size === total) refuseAll(invalid);
  groups.sort(([a], [b]) => (a < b ? -1 : 1));
  return { groups: groups.map(([, group]) => group), invalid, total };
}

interface ParsedEvents {
  readonly malformed: ReadonlyMap<number, InvalidEvent>;
  /** The other events. null: all are malformed. */
  readonly part: ForeignPart | null;
}

/** The page and the context of the first event are those of the session, so malformed events have no part in the batch. */
function parseEvents(
  events: IdentifiedEvents,
  translation: Translation,
  parse: (events: IdentifiedEvents) => ParsedBootstrap | Refusal,
): ParsedEvents {
  const together = parse(events);
  const malformed = malformedIn(together, events);
  const [first, ...others] = events.filter(({ index }) => !malformed.has(index));
  const parsed = first && malformed.size > 0 ? parse([first, ...others]) : together;
  if (parsed instanceof Refusal) return { malformed: malformedIn(parsed, events), part: null };
  if (!first) return { malformed, part: null };
  const indexes = [first, ...others].map(({ index }) => index);
  return { malformed, part: { parsed, indexes, firstContext: knownMembers(contextOf(first, translation)) } };
}

/** The events that do not match the schema, by their place in the request. */
function malformedIn(
  parsed: ParsedBootstrap | Refusal,
  events: readonly Identified[],
): ReadonlyMap<number, InvalidEvent> {
  const malformed = new Map<number, InvalidEvent>();
  for (const [place, { index, event }] of events.entries()) {
    const found = parsed instanceof Refusal ? null : parsed.batch?.events[place];
    if (parsed instanceof Refusal) malformed.set(index, { raw: event, issues: parsed.detail.issues ?? [] });
    else if (found && isInvalid(found)) {
      const issues = found.issues.map((issue) => ({
        ...issue,
        path: ["events", index, ...issue.path.slice(2)],
        message: issue.message.replace(`events.${place}`, `events.${index}`),
      }));
      malformed.set(index, { ...found, issues });
    }
  }
  return malformed;
}

/** An id of a visitor that is too long, for example, makes the events of this visitor invalid, and no others. */
function tryParse(body: unknown, parseBody: BodyParser): ParsedBootstrap | Refusal {
  try {
    const parsed = parseBody(body, LENIENT_BOOTSTRAP, Number.POSITIVE_INFINITY);
    return parsed.kind === "bootstrap" ? parsed : new Refusal("invalid_payload");
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The envelope as the debug view shows it. */
export function foreignEnvelope({ sentAt, messages, eventOf }: Translation): Envelope {
  const translated = eventOf(messages[0]);
  const first = "event" in translated ? translated : null;
  return {
    sdkVersion: first?.client ?? null,
    ingestVersion: null,
    batchId: null,
    sentAt,
    sessionId: null,
    anonymousId: first?.anonymousId ?? null,
    userId: first?.userId ?? null,
  };
}

/** Translates a request with its adapter, which may decode text that is not the text of the body. */
export function translate(adapter: Adapter, asked: ForeignRequest): Translation {
  const { context, eventOf, ...others } = adapter.translate(asked);
  return {
    ...others,
    context: withStorableStrings(context, numberOrText),
    eventOf: (message) => withStorableStrings(translateOne(eventOf, message), numberOrText),
  };
}

function translateOne(eventOf: Translation["eventOf"], message: unknown): Translated {
  try {
    return eventOf(message);
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return { raw: null, problem: error.message, code: error.code };
  }
}

/** The request as its adapter reads it. `json` throws a refusal. */
export function toForeignRequest(
  { call, queryText }: NonNullable<RequestHead["foreign"]>,
  bodyText: string | null,
): ForeignRequest {
  const text = bodyText ?? "";
  const json = () => {
    const value = parseJson(bodyText);
    return mayHaveLongIds(text) ? parseJson(markLongIds(text)) : value;
  };
  return { call, queryText, bodyText: text, json };
}

/** Puts the outcomes of all parts into the order of the request. */
export function inOrder(
  total: number,
  evaluated: readonly (readonly [index: number, event: EvaluatedEvent])[],
): EvaluatedEvent[] {
  const byPlace = new Map(evaluated);
  return Array.from({ length: total }, (_, index) => byPlace.get(index)).filter((one) => one !== undefined);
}
