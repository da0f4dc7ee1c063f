/** From text to the contract's values, or every reason why not (spec 4.2 rules 2 and 3). Pure. */

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
import { Refusal } from "../core/refusal.ts";
import { inspect, parseJson, sizeOf } from "./json.ts";
import { type ParsedTime, parseTime } from "./time.ts";

/** A schema's check, made by the wiring. */
export interface Check<T> {
  (value: unknown): value is T;
  issues(value: unknown): Issue[];
}
export type Compile = <T>(schema: object) => Check<T>;

/** An event that has the shape of one. */
export interface ReadEvent {
  event: Event;
  time: ParsedTime;
  /** What was noticed while reading it. */
  warnings: Warning[];
}
/** With lenient handling: an event that has not, and why. */
export interface BadEvent {
  bad: unknown;
  issues: Issue[];
}
export interface ReadBatch {
  batchId: string;
  sentAt: number;
  events: (ReadEvent | BadEvent)[];
}

type Loose = Record<string, unknown>;
const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === "string" ? value : null);

/** What a body says of itself, whether it can be used or not. */
export function readEnvelope(body: unknown): Envelope | null {
  if (!isObject(body)) return null;
  return {
    sdkVersion: text(body.sdkVersion),
    ingestVersion: Number.isInteger(body.ingestVersion) ? (body.ingestVersion as number) : null,
    batchId: text(body.batchId),
    sentAt: text(body.sentAt),
    sessionId: text(body.sessionId),
    anonymousId: text(body.anonymousId),
    userId: text(body.userId),
  };
}

export function warnOnce(warnings: Warning[], warning: Warning): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

function tooDeepOrLarge(path: Issue["path"], value: unknown, maxBytes: number, warnings: Warning[]): Issue[] {
  if (!isObject(value)) return NONE;
  const { tooDeep, nonFinite, sizeBound } = inspect(value, LIMITS.maxDepth);
  if (nonFinite) warnOnce(warnings, "number_not_finite");
  if (tooDeep)
    return [
      {
        path,
        code: "invalid_value",
        message: `${path.join(".")} nests deeper than ${LIMITS.maxDepth} levels`,
      },
    ];
  if (sizeBound <= maxBytes || sizeOf(value) <= maxBytes) return NONE;
  return [{ path, code: "too_long", message: `${path.join(".")} is larger than ${maxBytes} bytes` }];
}
const NONE: Issue[] = [];

const badTime = (path: Issue["path"]): Issue => ({
  path,
  code: "invalid_timestamp",
  message: `${path.join(".")} must be an ISO 8601 date-time, for example 2026-01-31T12:00:00.000Z`,
});

/** Missing, empty and other types are the schema's to tell. */
const unreadableTime = (path: Issue["path"], value: unknown, time: ParsedTime | null): Issue[] =>
  time === null && typeof value === "string" && value !== "" ? [badTime(path)] : NONE;

const timeOf = (value: unknown) => (typeof value === "string" ? parseTime(value) : null);

/** What a schema cannot say of an event: is its time a time, are its parts small enough? */
function contentIssues(
  event: Loose,
  path: Issue["path"],
  time: ParsedTime | null,
  warnings: Warning[],
): Issue[] {
  const ofTime = unreadableTime([...path, "timestamp"], event.timestamp, time);
  const ofPage = tooDeepOrLarge([...path, "page"], event.page, LIMITS.maxPageBytes, warnings);
  const ofContext = tooDeepOrLarge(
    [...path, "context"],
    event.context,
    SERVER_LIMITS.maxContextBytes,
    warnings,
  );
  const found = ofTime.length + ofPage.length + ofContext.length;
  return found === 0 ? NONE : [...ofTime, ...ofPage, ...ofContext];
}

function contentOfEnvelope(body: Loose, kind: AttemptKind, warnings: Warning[]): Issue[] {
  return [
    ...unreadableTime(["sentAt"], body.sentAt, timeOf(body.sentAt)),
    ...(kind === "bootstrap" ? tooDeepOrLarge(["page"], body.page, LIMITS.maxPageBytes, []) : []),
    ...tooDeepOrLarge(["context"], body.context, SERVER_LIMITS.maxContextBytes, warnings),
  ];
}

/** Beside fields that are wrong: it has none. */
const NO_OBJECT = "The event must be an object";

/** An issue inside an event names it, when the event has a readable id. */
function nameEvent(issues: Issue[], event: unknown): Issue[] {
  const id = isObject(event) ? text(event.id) : null;
  return id ? issues.map((issue) => ({ ...issue, eventId: id })) : issues;
}

interface ParseLimits {
  legacy: boolean;
  lenient: boolean;
  maxBatchSize: number;
}

export type Parser = ReturnType<typeof createParser>;

/** Reads one event, whichever way it came. */
export function createEventReader(compile: Compile) {
  const checkEvent = compile<Event>(Event);
  /**
   * @param path of the event, for issues
   * @param noticed of the envelope; it holds for each of its events
   */
  return (
    event: unknown,
    path: Issue["path"],
    shapeIsRight: boolean,
    noticed: Warning[],
  ): ReadEvent | BadEvent => {
    const shape = shapeIsRight || checkEvent(event) ? NONE : checkEvent.issues(event);
    const time = isObject(event) ? timeOf(event.timestamp) : null;
    const warnings: Warning[] = time?.zoned === false ? [...noticed, "timezone_assumed"] : [...noticed];
    const content = isObject(event) ? contentIssues(event, path, time, warnings) : NONE;
    if (shape.length === 0 && content.length === 0) return { event: event as Event, time: time!, warnings };
    const ofShape = shape.map((issue) => ({
      ...issue,
      path: [...path, ...issue.path],
      message: issue.path.length === 0 ? NO_OBJECT : issue.message,
    }));
    return { bad: event, issues: nameEvent([...ofShape, ...content], event) };
  };
}

export function createParser(compile: Compile) {
  const checks = {
    bootstrap: [compile<BootstrapBody>(BootstrapBody), compile<BootstrapBody>(LegacyBootstrapBody)],
    events: [compile<EventsBody>(EventsBody), compile<EventsBody>(LegacyEventsBody)],
  } as const;
  const readEvent = createEventReader(compile);

  const shapeOfEnvelope = (body: Loose, kind: AttemptKind, legacy: boolean): Issue[] => {
    const issues = checks[kind][legacy ? 1 : 0].issues(body);
    return issues.filter(({ path }) => path[0] !== "events" || path.length === 1);
  };

  const readBatch = (body: Loose, kind: AttemptKind, limits: ParseLimits): ReadBatch | null => {
    const events: unknown[] = Array.isArray(body.events) ? body.events : [];
    refuseTooMany(events.length, limits.maxBatchSize);
    const shapeIsRight = checks[kind][limits.legacy ? 1 : 0](body);
    const shape = shapeIsRight ? NONE : shapeOfEnvelope(body, kind, limits.legacy);
    const noticed: Warning[] = [];
    const envelope = [...shape, ...contentOfEnvelope(body, kind, noticed)];
    const read = events.map((event, index) => readEvent(event, ["events", index], shapeIsRight, noticed));
    const refused = limits.lenient
      ? envelope
      : [...envelope, ...read.flatMap((one) => ("bad" in one ? one.issues : NONE))];
    if (refused.length > 0) throw new Refusal("invalid_payload", { issues: refused });
    if (events.length === 0) return null;
    return { batchId: body.batchId as string, sentAt: timeOf(body.sentAt)!.time, events: read };
  };

  /**
   * @returns the envelope as far as it is readable, and `read`, which throws Refusal: 422 with every issue, or
   *   413 when there are too many events
   */
  return (textOfBody: string, kind: AttemptKind, limits: ParseLimits) => {
    const value = parseJson(textOfBody);
    const read = (): { body: Loose; batch: ReadBatch | null } => {
      if (!isObject(value)) {
        const message = "The body must be a JSON object.";
        throw new Refusal("invalid_payload", {
          message,
          issues: [{ path: [], code: "invalid_type", message }],
        });
      }
      return { body: value, batch: readBatch(value, kind, limits) };
    };
    return { envelope: readEnvelope(value), read };
  };
}

function refuseTooMany(actual: number, limit: number): void {
  if (actual <= limit) return;
  const message = `The batch has ${actual} events; this source takes ${limit}.`;
  throw new Refusal("batch_too_large", { message, limit, actual, limitName: "maxBatchSize" });
}
