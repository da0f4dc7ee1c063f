/** Parses a JSON body to typed values, or refuses it with every issue (spec 4.2 rules 2 and 3). Pure. */
import {
  type AttemptKind,
  BootstrapBody,
  Event,
  EventsBody,
  type Issue,
  LegacyBootstrapBody,
  LegacyEventsBody,
  type Warning,
} from "@headwater/contract";
import type { EventCode } from "@headwater/contract/event-codes";
import { invalidBody, Refusal } from "../core/refusal.ts";
import { compile } from "../core/validate.ts";
import type { Envelope } from "./attempt.ts";
import { fitContext, fitPage } from "./fit.ts";
import { isJsonObject, type JsonObject, textOrNull } from "./json.ts";
import { type ParsedTime, parseTime } from "./parse-time.ts";

export interface ValidEvent {
  readonly event: Event;
  readonly time: ParsedTime;
  /** Warnings from parsing. */
  readonly warnings: readonly Warning[];
}
/** An event that does not match the schema. With `handling=lenient` it is rejected by itself. */
export interface InvalidEvent {
  readonly raw: unknown;
  readonly issues: readonly Issue[];
  /** Default: `invalid_event`. */
  readonly code?: EventCode | undefined;
}
export type ParsedEvent = ValidEvent | InvalidEvent;
export const isInvalid = (parsed: ParsedEvent): parsed is InvalidEvent => "issues" in parsed;

export interface ParsedBatch {
  readonly batchId: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly events: readonly ParsedEvent[];
}

/** The fields of a body. Its events are in the batch. */
export type BootstrapFields = Omit<BootstrapBody, "events"> & { events?: unknown[] | null };
export type EventsFields = Omit<EventsBody, "events">;
export type ParsedBody =
  | { readonly kind: "bootstrap"; readonly body: BootstrapFields; readonly batch: ParsedBatch | null }
  | { readonly kind: "events"; readonly body: EventsFields; readonly batch: ParsedBatch | null };

interface ParseOptions {
  readonly kind: AttemptKind;
  readonly legacy: boolean;
  readonly lenient: boolean;
}

/** For bodies that the service makes. */
export const LENIENT_BOOTSTRAP: ParseOptions = { kind: "bootstrap", legacy: true, lenient: true };

/** Reads the envelope of a body, even if the body is invalid otherwise. */
export function readEnvelope(json: unknown): Envelope | null {
  if (!isJsonObject(json)) return null;
  const { ingestVersion } = json;
  return {
    sdkVersion: textOrNull(json.sdkVersion),
    ingestVersion:
      typeof ingestVersion === "number" && Number.isInteger(ingestVersion) ? ingestVersion : null,
    batchId: textOrNull(json.batchId),
    sentAt: textOrNull(json.sentAt),
    sessionId: textOrNull(json.sessionId) || null,
    anonymousId: textOrNull(json.anonymousId),
    userId: textOrNull(json.userId) || null,
  };
}

const NO_ISSUES: readonly Issue[] = [];

const readTime = (value: unknown) => (typeof value === "string" ? parseTime(value) : null);

/** The schema reports a missing or empty time and other types. */
function checkTime(path: Issue["path"], value: unknown, time: ParsedTime | null): readonly Issue[] {
  if (time !== null || typeof value !== "string" || value === "") return NO_ISSUES;
  const message = `${path.join(".")} must be an ISO 8601 date-time, for example 2026-01-31T12:00:00.000Z`;
  return [{ path, code: "invalid_timestamp", message }];
}

/**
 * The body or the event with its page and context within their limits. The same object, if nothing had to be left out.
 * @param events how many events the context is stored with
 */
function fitMembers<T extends JsonObject>(
  json: T,
  warnings: Warning[],
  pageWarnings = warnings,
  events = 1,
): T {
  const { page, context } = json;
  const fittedPage = isJsonObject(page) ? fitPage(page, pageWarnings) : page;
  const fittedContext = isJsonObject(context) ? fitContext(context, warnings, events) : context;
  const isSame = fittedPage === page && fittedContext === context;
  return isSame ? json : { ...json, page: fittedPage, context: fittedContext };
}

/** Issues of a whole event are reported with this message, since it has no fields that could be wrong. */
const NOT_AN_OBJECT = "The event must be an object";

function describeInvalid(
  raw: unknown,
  path: Issue["path"],
  shapeIssues: readonly Issue[],
  contentIssues: readonly Issue[],
): InvalidEvent {
  const located = shapeIssues.map((issue) => ({
    ...issue,
    path: [...path, ...issue.path],
    message: issue.path.length === 0 ? NOT_AN_OBJECT : issue.message,
  }));
  const issues = [...located, ...contentIssues];
  const eventId = isJsonObject(raw) ? textOrNull(raw.id) : null;
  return { raw, issues: eventId ? issues.map((issue) => ({ ...issue, eventId })) : issues };
}

export type EventParser = (
  raw: unknown,
  path: Issue["path"],
  envelopeWarnings: readonly Warning[],
) => ParsedEvent;

/** Parses an event whose shape is known to be right. */
function parseShapedEvent(
  event: Event,
  path: Issue["path"],
  envelopeWarnings: readonly Warning[],
): ParsedEvent {
  const time = parseTime(event.timestamp);
  const warnings = [...envelopeWarnings];
  if (time?.hasZone === false) warnings.push("timezone_assumed");
  if (time === null)
    return describeInvalid(event, path, NO_ISSUES, checkTime([...path, "timestamp"], event.timestamp, time));
  return { event: fitMembers(event, warnings), time, warnings };
}

/** Parses one event, from a request or from an imported file. `path` is the place of the event, for issues. */
export function createEventParser(): EventParser {
  const hasShape = compile(Event);
  return (raw, path, envelopeWarnings) => {
    if (hasShape(raw)) return parseShapedEvent(raw, path, envelopeWarnings);
    const timeIssues = isJsonObject(raw)
      ? checkTime([...path, "timestamp"], raw.timestamp, readTime(raw.timestamp))
      : NO_ISSUES;
    return describeInvalid(raw, path, hasShape.issues(raw), timeIssues);
  };
}

/** The common part of the checks of both bodies. */
interface BatchCheck {
  (json: unknown): json is { events?: Event[] | null };
  issues(json: unknown): Issue[];
}

/** @throws Refusal 413 */
export function requireBatchSize(actual: number, limit: number): void {
  if (actual <= limit) return;
  const message = `The batch has ${actual} events. This source accepts at most ${limit}.`;
  throw new Refusal("batch_too_large", { message, limit, actual, limitName: "maxBatchSize" });
}

const isAboutEnvelope = ({ path }: Issue) => path[0] !== "events" || path.length === 1;

/** @throws Refusal 422 with every issue, or 413 when there are too many events */
export type BodyParser = (json: unknown, options: ParseOptions, maxBatchSize: number) => ParsedBody;

export function createBodyParser(): BodyParser {
  const checks: Record<AttemptKind, Record<"current" | "legacy", BatchCheck>> = {
    bootstrap: { current: compile(BootstrapBody), legacy: compile(LegacyBootstrapBody) },
    events: { current: compile(EventsBody), legacy: compile(LegacyEventsBody) },
  };
  const parseEvent = createEventParser();

  return (json, { kind, legacy, lenient }, maxBatchSize) => {
    if (!isJsonObject(json)) throw invalidBody("invalid_type", "The body must be a JSON object.");
    const rawEvents: unknown[] = Array.isArray(json.events) ? json.events : [];
    requireBatchSize(rawEvents.length, maxBatchSize);

    const check = checks[kind][legacy ? "legacy" : "current"];
    const hasShape = check(json);
    const shapeIssues = hasShape ? NO_ISSUES : check.issues(json).filter(isAboutEnvelope);
    const warnings: Warning[] = [];
    const sentAt = readTime(json.sentAt);
    // in a bootstrap without events, `sentAt` is a member of another client's own
    const hasBatch = kind === "events" || rawEvents.length > 0;
    const timeIssues = hasBatch ? checkTime(["sentAt"], json.sentAt, sentAt) : NO_ISSUES;
    // the landing page is not the page of the events
    const body = fitMembers(json, warnings, [], rawEvents.length);
    const shaped: readonly Event[] | null = hasShape ? (json.events ?? []) : null;
    const events = shaped
      ? shaped.map((event, index) => parseShapedEvent(event, ["events", index], warnings))
      : rawEvents.map((raw, index) => parseEvent(raw, ["events", index], warnings));

    const eventIssues = lenient
      ? NO_ISSUES
      : events.flatMap((parsed) => (isInvalid(parsed) ? parsed.issues : []));
    const issues = [...shapeIssues, ...timeIssues, ...eventIssues];
    if (issues.length > 0) throw new Refusal("invalid_payload", { issues });

    const isBatch = events.length > 0 && sentAt !== null;
    const batch = isBatch ? { batchId: textOrNull(json.batchId) ?? "", sentAt: sentAt.time, events } : null;
    // the check found no issue outside `events`, so all other members have the shape of this kind
    return { kind, body, batch } as unknown as ParsedBody;
  };
}
