/** Parses a JSON body to typed values, or refuses it with every issue (spec 4.2 rules 2 and 3). Pure. */
import {
  type AttemptKind,
  BootstrapBody,
  Event,
  EventsBody,
  type Issue,
  LegacyBootstrapBody,
  LegacyEventsBody,
  LIMITS,
  type Warning,
} from "@headwater/contract";
import type { Envelope } from "../core/attempt.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { invalidBody, Refusal } from "../core/refusal.ts";
import { compile } from "../core/validate.ts";
import { inspect, isJsonObject, type JsonObject, jsonBytes, textOrNull } from "./json.ts";
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

export interface ParseOptions {
  readonly kind: AttemptKind;
  readonly legacy: boolean;
  readonly lenient: boolean;
}

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

export function warnOnce(warnings: Warning[], warning: Warning): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

function checkSize(
  path: Issue["path"],
  value: unknown,
  maxBytes: number,
  warnings: Warning[],
): readonly Issue[] {
  if (!isJsonObject(value)) return NO_ISSUES;
  const { isTooDeep, hasNonFinite, maxBytes: bound } = inspect(value, LIMITS.maxDepth);
  if (hasNonFinite) warnOnce(warnings, "number_not_finite");
  const name = path.join(".");
  if (isTooDeep)
    return [{ path, code: "invalid_value", message: `${name} nests deeper than ${LIMITS.maxDepth} levels` }];
  if (bound <= maxBytes || jsonBytes(value) <= maxBytes) return NO_ISSUES;
  return [{ path, code: "too_long", message: `${name} is larger than ${maxBytes} bytes` }];
}

const readTime = (value: unknown) => (typeof value === "string" ? parseTime(value) : null);

/** The schema reports a missing or empty time and other types. */
function checkTime(path: Issue["path"], value: unknown, time: ParsedTime | null): readonly Issue[] {
  if (time !== null || typeof value !== "string" || value === "") return NO_ISSUES;
  const message = `${path.join(".")} must be an ISO 8601 date-time, for example 2026-01-31T12:00:00.000Z`;
  return [{ path, code: "invalid_timestamp", message }];
}

/** Checks that a schema cannot express: whether the time is a time, and how large the parts are. */
function checkEventContent(
  event: JsonObject,
  path: Issue["path"],
  time: ParsedTime | null,
  warnings: Warning[],
): readonly Issue[] {
  const { maxPageBytes } = LIMITS;
  const { maxContextBytes } = SERVER_LIMITS;
  const timeIssues = checkTime([...path, "timestamp"], event.timestamp, time);
  const pageIssues = checkSize([...path, "page"], event.page, maxPageBytes, warnings);
  const contextIssues = checkSize([...path, "context"], event.context, maxContextBytes, warnings);
  const isValid = timeIssues.length + pageIssues.length + contextIssues.length === 0;
  return isValid ? NO_ISSUES : [...timeIssues, ...pageIssues, ...contextIssues];
}

function checkEnvelopeContent(json: JsonObject, kind: AttemptKind, warnings: Warning[]): readonly Issue[] {
  return [
    ...checkTime(["sentAt"], json.sentAt, readTime(json.sentAt)),
    ...(kind === "bootstrap" ? checkSize(["page"], json.page, LIMITS.maxPageBytes, []) : NO_ISSUES),
    ...checkSize(["context"], json.context, SERVER_LIMITS.maxContextBytes, warnings),
  ];
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
  const issues = checkEventContent(event, path, time, warnings);
  if (time === null || issues.length > 0) return describeInvalid(event, path, NO_ISSUES, issues);
  return { event, time, warnings };
}

/** Parses one event, from a request or from an imported file. `path` is the place of the event, for issues. */
export function createEventParser(): EventParser {
  const hasShape = compile(Event);
  return (raw, path, envelopeWarnings) => {
    if (hasShape(raw)) return parseShapedEvent(raw, path, envelopeWarnings);
    const contentIssues = isJsonObject(raw)
      ? checkEventContent(raw, path, readTime(raw.timestamp), [])
      : NO_ISSUES;
    return describeInvalid(raw, path, hasShape.issues(raw), contentIssues);
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
  const message = `The batch has ${actual} events; this source accepts ${limit}.`;
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
    const contentIssues = checkEnvelopeContent(json, kind, warnings);
    const shaped: readonly Event[] | null = hasShape ? (json.events ?? []) : null;
    const events = shaped
      ? shaped.map((event, index) => parseShapedEvent(event, ["events", index], warnings))
      : rawEvents.map((raw, index) => parseEvent(raw, ["events", index], warnings));

    const eventIssues = lenient
      ? NO_ISSUES
      : events.flatMap((parsed) => (isInvalid(parsed) ? parsed.issues : []));
    const issues = [...shapeIssues, ...contentIssues, ...eventIssues];
    if (issues.length > 0) throw new Refusal("invalid_payload", { issues });

    const sentAt = readTime(json.sentAt);
    const isBatch = events.length > 0 && sentAt !== null;
    const batch = isBatch ? { batchId: textOrNull(json.batchId) ?? "", sentAt: sentAt.time, events } : null;
    // the check found no issue outside `events`, so all other members have the shape of this kind
    return { kind, body: json, batch } as unknown as ParsedBody;
  };
}
