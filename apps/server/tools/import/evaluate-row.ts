/**
 * Evaluates a row of a file, written by `headwater export` or by another program: applies the rules for events, except
 * their maximum age, and makes the stored form. Pure.
 */
import { CHANNELS, EVENT_CODES, type Event, eventTypeRules, LIMITS } from "@headwater/contract";
import { readCampaign } from "../../src/channels/campaign.ts";
import type { VisitSource } from "../../src/channels/classify-visit.ts";
import type { VisitClassifier } from "../../src/channels/visit-classifier.ts";
import { toIsoTime } from "../../src/core/time.ts";
import type { AddressRules } from "../../src/ingest/address-rules.ts";
import { rejectInvalid } from "../../src/ingest/evaluate-batch.ts";
import {
  analyticsEventId,
  type Candidate,
  evaluateEvent,
  eventKey,
  type Rejection,
  rejectEvent,
} from "../../src/ingest/evaluate-event.ts";
import { viewportOf } from "../../src/ingest/fit.ts";
import { type EventParser, isInvalid } from "../../src/ingest/parse.ts";
import { parseTime } from "../../src/ingest/parse-time.ts";
import { createDeviceOf, type Device, readSurroundings } from "../../src/ingest/visitor.ts";
import { createLineBuilder, type SharedMembers } from "../../src/ledger/outbox-line.ts";

const deviceOf = createDeviceOf();

type RowObject = Record<string, unknown>;

export interface RowContext {
  sourceId: string;
  now: number;
  maxEventBytes: number;
  parseEvent: EventParser;
  addressRules: AddressRules;
  classifyVisit: VisitClassifier;
}

export interface ImportedEvent {
  candidate: Candidate;
  /** In milliseconds since the epoch. */
  occurredAt: number;
  /** When the file says that a service received the event. null: the file does not say it. */
  receivedAt: number | null;
}

const isRowObject = (value: unknown): value is RowObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const readText = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= LIMITS.maxEnvelopeIdLength ? value : null;
const readTime = (value: unknown) => (typeof value === "string" ? parseTime(value) : null);

const invalid = (reason: string): Rejection =>
  rejectEvent("invalid_event", `${EVENT_CODES.invalid_event} ${reason}.`);

/** Members of a client's `context` that an export has at the top level. */
const CONTEXT_MEMBERS = ["locale", "timezone", "screen", "viewport"];

function readContext(row: RowObject): RowObject | null {
  const own = isRowObject(row.context) ? row.context : {};
  const members = CONTEXT_MEMBERS.filter(
    (name) =>
      typeof row[name] === "string" &&
      !Object.hasOwn(own, name) &&
      !(name === "viewport" && viewportOf(own) !== null),
  );
  // its own members stay in their order
  const context = { ...own, ...Object.fromEntries(members.map((name) => [name, row[name]])) };
  return Object.keys(context).length > 0 ? context : null;
}

/** The url with the UTM fields and click ids of an export that it lacks: the source may not have stored them in the url. */
function withCampaign(url: unknown, { utm, clickIds }: RowObject): unknown {
  if (typeof url !== "string") return url;
  const [address = ""] = url.split("#", 1);
  const [path = ""] = address.split("?", 1);
  const known = readCampaign(address.slice(path.length + 1));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(isRowObject(utm) ? utm : {}))
    if (typeof value === "string" && known.utm?.[name] === undefined) parameters.set(`utm_${name}`, value);
  for (const [name, value] of Object.entries(isRowObject(clickIds) ? clickIds : {}))
    if (typeof value === "string" && known.clickIds?.[name] === undefined) parameters.set(name, value);
  if (parameters.size === 0) return url;
  return `${address}${path === address ? "?" : "&"}${parameters}${url.slice(address.length)}`;
}

/**
 * An export has an empty `page` for events without one. An empty page becomes null, except for a type that requires a page:
 * evaluation then rejects it.
 */
function readPage({ page, type }: RowObject): unknown {
  if (!isRowObject(page)) return page ?? null;
  const { url = null, path = null, title = null, referrer = null } = page;
  const isEmpty = [url, path, title, referrer].every((value) => value === null);
  return isEmpty && !eventTypeRules(type)?.requiresPage
    ? null
    : {
        url: withCampaign(url, page),
        path,
        title,
        referrer,
        hashRouting: typeof path === "string" && path.includes("#"),
      };
}

/** The device of an export, or else the one that the user agent in `context` names. */
function readDevice({ device, context }: RowObject): Device {
  if (!isRowObject(device)) return deviceOf(isRowObject(context) ? readText(context.userAgent) : null);
  return {
    device: readText(device.device),
    os: readText(device.os),
    osVersion: readText(device.osVersion),
    browser: readText(device.browser),
    browserVersion: readText(device.browserVersion),
    isBot: device.isBot === true,
  };
}

/** The source and channel of an export: the parameters that they come from may not be in its urls. null: it has none. */
function readVisit(row: RowObject): VisitSource | null {
  const channel = CHANNELS.find((one) => one === row.channel);
  return channel === undefined ? null : { source: readText(row.source), channel };
}

const alwaysVisit = (visit: VisitSource, { isOwnHost }: VisitClassifier): VisitClassifier =>
  Object.assign(() => visit, { isOwnHost });

/** The row as a client would have sent it. */
const toEvent = (row: RowObject): unknown => ({
  id: row.eventId ?? row.id,
  type: row.type,
  timestamp: row.timestamp ?? row.occurredAt,
  name: eventTypeRules(row.type)?.requiresName ? row.name : null,
  page: readPage(row),
  anonymousId: row.anonymousId,
  sessionId: row.sessionId,
  properties: row.properties,
  context: readContext(row),
  passive: row.passive === true,
});

/** Members that the events of a client's batch would share. */
function readShared(row: RowObject, { sourceId, now }: RowContext): SharedMembers {
  const receivedAt = readTime(row.receivedAt)?.time ?? now;
  const { country } = row;
  const replayedAt = readTime(row.replayedAt);
  return {
    sourceId,
    receivedAt: toIsoTime(Math.min(Math.max(receivedAt, 0), now)),
    batchId: readText(row.batchId),
    sdkVersion: readText(row.sdkVersion),
    sentBy: row.sentBy === "server" ? "server" : "browser",
    country: typeof country === "string" && /^[A-Z]{2}$/.test(country) ? country : null,
    region: readText(row.region),
    city: readText(row.city),
    replayedAt: replayedAt ? toIsoTime(replayedAt.time) : undefined,
  };
}

/**
 * Whether the event was sent with a token. `sentBy` does not tell: servers without a token have "server" too. But their
 * `analyticsEventId` is the hash without the token prefix (`eventKey`), so that hash is compared.
 */
function wasSentWithToken({ sentBy, sourceId, eventId, analyticsEventId: exportedId }: RowObject): boolean {
  if (sentBy !== "server") return false;
  return exportedId !== analyticsEventId(eventKey(String(sourceId), String(eventId), false));
}

/** Imported events are of the past: they neither follow the present tracking plan nor show in the event catalogue. */
const planOfImport = ({ planViolation }: RowObject) => ({
  plan: null,
  violatedPlan: planViolation === true,
  clientVersion: null,
});

/**
 * @param row its `analyticsEventId` and `sourceId` only tell whether the event was sent with a token. The stored ones are
 * computed anew
 */
export function evaluateRow(row: unknown, context: RowContext): ImportedEvent | Rejection {
  if (!isRowObject(row)) return invalid("It must be an object");
  const { sourceId, now, maxEventBytes, parseEvent, addressRules, classifyVisit } = context;
  const read = parseEvent(toEvent(row), [], []);
  if (isInvalid(read)) return rejectInvalid(read);
  const { sessionId, anonymousId }: Event = read.event;
  if (!sessionId || !anonymousId) return invalid("sessionId and anonymousId must not be empty");
  // occurredAt is the corrected time of an export; timestamp is what the client sent. The corrected one wins
  const hasOccurredAt = row.occurredAt !== undefined && row.occurredAt !== null;
  const time = hasOccurredAt ? readTime(row.occurredAt) : read.time;
  if (time === null) return invalid("occurredAt must be an ISO 8601 date-time");
  if (time.time < 0) return invalid("It is from before 1970");

  const userId = readText(row.userId);
  const occurredAt = Math.min(time.time, now);
  const device = readDevice(row);
  const visit = readVisit(row);
  const outcome = evaluateEvent(
    // occurredAt is formatted anew, because the text of `timestamp` may be another time
    { ...read, time: { ...time, isCanonical: false } },
    {
      sourceId,
      hasToken: wasSentWithToken(row),
      // the age of the event is measured from this time, so that it is never too old
      receivedAt: occurredAt,
      evaluatedAt: occurredAt,
      buildLine: createLineBuilder(readShared(row, context)),
      clockSkewMs: 0,
      session: {
        sourceId,
        sessionId,
        anonymousId,
        userId,
        startedAt: occurredAt,
        lastActivityAt: occurredAt,
        landing: JSON.stringify(visit ?? {}),
      },
      otherSessions: new Map(),
      anonymousId,
      userId,
      surroundings: readSurroundings(null, device),
      origin: null,
      device,
      deviceOf,
      maxEventBytes,
      // the source's present rules for bots, paths and properties do not apply to its past
      bots: "apart",
      isFromDataCentre: false,
      isSpamReferrer: () => false,
      retentionDays: null,
      excludesPath: () => false,
      isAddressExcluded: false,
      addressRules,
      classifyVisit: visit ? alwaysVisit(visit, classifyVisit) : classifyVisit,
      ...planOfImport(row),
    },
  );
  const receivedAt = readTime(row.receivedAt)?.time ?? null;
  return outcome.status === "candidate" ? { candidate: outcome, occurredAt, receivedAt } : outcome;
}
