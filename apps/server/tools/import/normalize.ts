/**
 * An event that comes from a file, exported here or made elsewhere: held to the rules of every event and brought into its
 * normal form, but for how old it may be. Pure.
 */
import { EVENT_CODES, type Event, eventTypeRules, LIMITS } from "@headwater/contract";
import { toIsoTime } from "../../src/core/time.ts";
import { rejectInvalid } from "../../src/ingest/evaluate-batch.ts";
import {
  type Candidate,
  evaluateEvent,
  type Rejection,
  rejectEvent,
} from "../../src/ingest/evaluate-event.ts";
import { type EventParser, isInvalid } from "../../src/ingest/parse.ts";
import { parseTime } from "../../src/ingest/parse-time.ts";
import { type Device, deviceOf } from "../../src/ingest/visitor.ts";

type Loose = Record<string, unknown>;

export interface Importing {
  sourceId: string;
  now: number;
  maxEventBytes: number;
  parseEvent: EventParser;
}

/** What of the file's event is stored, and when it happened. */
export interface Imported {
  candidate: Candidate;
  at: number;
}

const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= LIMITS.maxEnvelopeIdLength ? value : null;
const timeOf = (value: unknown) => (typeof value === "string" ? parseTime(value) : null);

const invalid = (reason: string): Rejection =>
  rejectEvent("invalid_event", `${EVENT_CODES.invalid_event} ${reason}.`);

/** What the normal form takes from the context, where a file has it beside. */
const BESIDE = ["locale", "timezone", "screen", "viewport"];

function contextOf(row: Loose): Loose | null {
  const beside = BESIDE.filter((name) => typeof row[name] === "string").map((name) => [name, row[name]]);
  const context = { ...Object.fromEntries(beside), ...(isObject(row.context) ? row.context : {}) };
  return Object.keys(context).length > 0 ? context : null;
}

/** A page of which nothing is said is none. */
function pageOf({ page, type }: Loose): unknown {
  if (!isObject(page)) return page ?? null;
  const { url = null, path = null, title = null, referrer = null } = page;
  const isEmpty = [url, path, title, referrer].every((value) => value === null);
  return isEmpty && !eventTypeRules(type)?.requiresPage ? null : { url, path, title, referrer };
}

function deviceIn({ device, context }: Loose): Device {
  if (!isObject(device)) return deviceOf(isObject(context) ? text(context.userAgent) : null);
  const { device: kind, os, osVersion, browser, browserVersion, isBot } = device;
  return {
    device: text(kind),
    os: text(os),
    osVersion: text(osVersion),
    browser: text(browser),
    browserVersion: text(browserVersion),
    isBot: isBot === true,
  };
}

const asEvent = (row: Loose): unknown => ({
  id: row.eventId ?? row.id,
  type: row.type,
  timestamp: row.timestamp ?? row.occurredAt,
  name: eventTypeRules(row.type)?.requiresName ? row.name : null,
  page: pageOf(row),
  anonymousId: row.anonymousId,
  sessionId: row.sessionId,
  properties: row.properties,
  context: contextOf(row),
});

/** @param row the members of a normal form; `analyticsEventId` and `sourceId` are not looked at: they follow anew */
export function judgeImported(
  row: unknown,
  { sourceId, now, maxEventBytes, parseEvent }: Importing,
): Imported | Rejection {
  if (!isObject(row)) return invalid("It must be an object");
  const read = parseEvent(asEvent(row), [], []);
  if (isInvalid(read)) return rejectInvalid(read);
  const event: Event = read.event;
  const { sessionId, anonymousId } = event;
  if (!sessionId || !anonymousId) return invalid("sessionId and anonymousId must not be empty");
  const time = row.occurredAt === undefined || row.occurredAt === null ? read.time : timeOf(row.occurredAt);
  if (time === null) return invalid("occurredAt must be an ISO 8601 date-time");
  if (time.time < 0) return invalid("It is from before 1970");

  const userId = text(row.userId);
  const receivedAt = timeOf(row.receivedAt)?.time ?? now;
  const at = Math.min(time.time, now);
  const outcome = evaluateEvent(
    { ...read, time: { ...time, canonical: false } },
    {
      sourceId,
      // the age that an event may have is measured from here
      receivedAt: at,
      shared: {
        sourceId,
        receivedAt: toIsoTime(Math.min(Math.max(receivedAt, 0), now)),
        batchId: text(row.batchId),
        sdkVersion: text(row.sdkVersion),
        country: typeof row.country === "string" && /^[A-Z]{2}$/.test(row.country) ? row.country : null,
      },
      clockSkewMs: 0,
      session: { sourceId, sessionId, anonymousId, userId, startedAt: at, lastActivityAt: at, landing: "" },
      otherSessions: new Map(),
      anonymousId,
      userId,
      context: null,
      origin: null,
      device: deviceIn(row),
      deviceOf,
      maxEventBytes,
      // what the source does not count now was counted then
      bots: "apart",
      excludesPath: () => false,
    },
  );
  return outcome.status === "candidate" ? { candidate: outcome, at } : outcome;
}
