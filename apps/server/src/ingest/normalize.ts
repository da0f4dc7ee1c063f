/** From a client's event to its normal form, or the reason why not (CONTRACT section 4). Pure: time and facts are values. */
import { hash } from "node:crypto";
import {
  type BotPolicy,
  EVENT_CODES,
  type Event,
  type EventCode,
  eventTypeRules,
  LIMITS,
  storedEventName,
  type Warning,
} from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SessionRecord } from "../core/records.ts";
import { DAY_MS, toIsoTime } from "../core/time.ts";
import { type Address, addressOf, cutUrl, referrerHostOf, withoutUserInfo } from "./address.ts";
import { inspect, isLonger, setOwn, sizeOf } from "./json.ts";
import { type ReadEvent, warnOnce } from "./parse.ts";
import type { Device } from "./visitor.ts";

/** What holds for every event of one request. */
export interface Occasion {
  sourceId: string;
  receivedAt: number;
  /** The members of the normal form that all its events share: the end of a JSON object. */
  sharedJson: string;
  /** receivedAt − sentAt. */
  skewMs: number;
  session: SessionRecord;
  /** Sessions that events name instead of the batch's; null: not one of this source. */
  otherSessions: ReadonlyMap<string, SessionRecord | null>;
  anonymousId: string;
  userId: string | null;
  context: Record<string, unknown> | null;
  origin: string | null;
  device: Device;
  deviceOf(userAgent: string): Device;
  maxEventBytes: number;
  bots: BotPolicy;
  /** The source's `excludedPaths`. */
  excludes(path: string): boolean;
}

/** Members of the normal form that events which came together share. */
interface Shared {
  sourceId: string;
  receivedAt: string;
  batchId: string | null;
  sdkVersion: string | null;
  country: string | null;
}
/** For `Occasion.sharedJson`. */
export const sharedJson = ({ sourceId, receivedAt, batchId, sdkVersion, country }: Shared): string =>
  JSON.stringify({ sourceId, receivedAt, batchId, sdkVersion, country }).slice(1);

export interface Candidate {
  key: string;
  json: string;
  name: string;
  sessionId: string;
  userId: string | null;
  warnings: Warning[];
}
export interface Rejection {
  code: EventCode;
  message: string;
}

/** 128 bits of (source, event id): the dedup key, and with a prefix the stored event's id. Nothing is looked up. */
export const eventKey = (sourceId: string, eventId: string) =>
  hash("sha256", `${sourceId}\n${eventId}`, "hex").slice(0, 32);
export const analyticsEventId = (key: string) => `evt_${key}`;

const reject = (code: EventCode, message: string = EVENT_CODES[code]): Rejection => ({ code, message });
const TOLERANCE_MS = LIMITS.skewToleranceSeconds * 1_000;

function occurredAt(time: number, occasion: Occasion, warnings: Warning[]): number | Rejection {
  const { receivedAt, skewMs } = occasion;
  const at = Math.abs(skewMs) > TOLERANCE_MS ? time + skewMs : time;
  if (Math.abs(skewMs) > SERVER_LIMITS.unreliableSkewSeconds * 1_000) warnings.push("sent_at_unreliable");
  const aheadMs = at - receivedAt;
  if (-aheadMs > LIMITS.maxEventAgeSeconds * 1_000) return reject("timestamp_too_old");
  if (aheadMs > DAY_MS) return reject("timestamp_in_future");
  if (aheadMs <= LIMITS.futureClampSeconds * 1_000) return at;
  warnings.push("timestamp_clamped");
  return receivedAt;
}

function sessionOf(event: Event, occasion: Occasion): SessionRecord | null {
  const named = event.sessionId;
  if (!named || named === occasion.session.sessionId) return occasion.session;
  return occasion.otherSessions.get(named) ?? null;
}

/** Long strings are cut, in place; true when one was. */
function cutStrings(value: Record<string, unknown>): boolean {
  let cut = false;
  for (const key in value) {
    const item = value[key];
    if (typeof item === "string" && item.length > LIMITS.maxPropertyStringLength) {
      setOwn(value, key, item.slice(0, LIMITS.maxPropertyStringLength).toWellFormed());
      cut = true;
    } else if (typeof item === "object" && item !== null)
      cut = cutStrings(item as Record<string, unknown>) || cut;
  }
  return cut;
}

/** Unknown members are not kept and do not count. */
const keptBytes = ({ id, name, page, properties, context }: Event) =>
  sizeOf({ id, name, page, properties, context });

/** @param sizeBound the event's own size is no more than this, so that few are measured */
function tooLarge(event: Event, maxBytes: number, sizeBound: number): Rejection | null {
  const bytes = sizeBound > maxBytes ? keptBytes(event) : 0;
  if (bytes <= maxBytes) return null;
  return reject(
    "event_too_large",
    `The event has ${bytes} bytes and may have ${maxBytes}; send less in \`properties\` and \`context\`.`,
  );
}

function badProperties(event: Event, maxEventBytes: number, warnings: Warning[]): Rejection | null {
  const properties = event.properties as Record<string, unknown> | null | undefined;
  if (!properties) return null;
  const { tooDeep, nonFinite, sizeBound } = inspect(properties, LIMITS.maxDepth);
  if (tooDeep) return reject("properties_too_deep");
  if (Object.keys(properties).length > LIMITS.maxProperties) return reject("too_many_properties");
  // before strings are cut: the limit is on what was sent
  const large = tooLarge(event, maxEventBytes, sizeBound);
  if (large) return large;
  if (nonFinite) warnOnce(warnings, "number_not_finite");
  if (sizeBound > LIMITS.maxPropertyStringLength && cutStrings(properties)) warnings.push("value_truncated");
  return null;
}

type Page = NonNullable<Event["page"]>;

function pageOf(page: Page, occasion: Occasion, warnings: Warning[]) {
  const { url, path, title, referrer } = page;
  const longest = Math.max(url?.length ?? 0, path?.length ?? 0, referrer?.length ?? 0);
  if (longest > LIMITS.maxUrlLength) warnings.push("url_truncated");
  const titleIsLong = (title?.length ?? 0) > LIMITS.maxTitleLength;
  if (titleIsLong) warnOnce(warnings, "value_truncated");
  const address: Address = addressOf(url ? cutUrl(url) : null, path ? cutUrl(path) : null, occasion.origin);
  const from = referrer ? withoutUserInfo(cutUrl(referrer)) : null;
  return {
    ...address,
    title: titleIsLong ? title!.slice(0, LIMITS.maxTitleLength).toWellFormed() : (title ?? null),
    referrer: from,
    referrerHost: referrerHostOf(from, address.host),
  };
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);
const sizeText = (value: unknown): string | null => {
  if (typeof value === "string") return value.slice(0, 32).toWellFormed();
  const { width, height } = (value ?? {}) as { width?: unknown; height?: unknown };
  return typeof width === "number" && typeof height === "number" ? `${width}x${height}` : null;
};

function refusedAtOnce(event: Event): Rejection | null {
  const rules = eventTypeRules(event.type);
  if (rules === null) return reject("unsupported_event_type");
  if (isLonger(event.id, LIMITS.maxEventIdLength)) return reject("event_id_too_long");
  if (rules.requiresName && isLonger(event.name ?? "", LIMITS.maxEventNameLength))
    return reject("event_name_too_long");
  if (rules.requiresPage && !event.page?.url && !event.page?.path) return reject("page_address_missing");
  return null;
}

/** The facts that an event's own context may override. */
function surroundings(event: Event, occasion: Occasion) {
  const own = event.context as Record<string, unknown> | null | undefined;
  const context = own && occasion.context ? { ...occasion.context, ...own } : (own ?? occasion.context);
  const ownAgent = textOrNull(own?.userAgent);
  const device = ownAgent ? occasion.deviceOf(ownAgent) : occasion.device;
  const isKept = device.isBot && occasion.bots === "keep";
  return { context, device: isKept ? { ...device, isBot: false } : device };
}

/** One event's verdict, but for whether it was stored before. */
export function judge(read: ReadEvent, occasion: Occasion): Candidate | Rejection {
  const { event } = read;
  const warnings = [...read.warnings];
  const refused = refusedAtOnce(event);
  if (refused) return refused;
  const at = occurredAt(read.time.time, occasion, warnings);
  if (typeof at !== "number") return at;
  const session = sessionOf(event, occasion);
  if (!session) return reject("session_mismatch");
  const bad = badProperties(event, occasion.maxEventBytes, warnings);
  if (bad) return bad;

  const anonymousId = event.anonymousId ?? occasion.anonymousId;
  if (anonymousId !== session.anonymousId) warnings.push("anonymous_id_mismatch");
  const { context, device } = surroundings(event, occasion);
  if (device.isBot && occasion.bots === "reject") return reject("bot_rejected");
  if (device.isBot) warnings.push("bot_suspected");
  const page = event.page ? pageOf(event.page, occasion, warnings) : null;
  if (page?.path && occasion.excludes(page.path)) return reject("path_excluded");
  const userId = occasion.userId ?? session.userId;
  const name = storedEventName(event.type, event.name);
  const key = eventKey(occasion.sourceId, event.id);
  const own = JSON.stringify({
    analyticsEventId: analyticsEventId(key),
    eventId: event.id,
    type: event.type,
    name,
    occurredAt: at === read.time.time && read.time.canonical ? event.timestamp : toIsoTime(at),
    timestamp: event.timestamp,
    sessionId: session.sessionId,
    anonymousId,
    userId,
    page,
    locale: textOrNull(context?.locale),
    timezone: textOrNull(context?.timezone),
    screen: sizeText(context?.screen),
    viewport: sizeText(context?.viewport),
    device,
    properties: event.properties ?? null,
    context: context ?? null,
  });
  const json = `${own.slice(0, -1)},${occasion.sharedJson}`;
  const large = tooLarge(event, occasion.maxEventBytes, json.length * 3);
  if (large) return large;
  return { key, json, name, sessionId: session.sessionId, userId: occasion.userId, warnings };
}
