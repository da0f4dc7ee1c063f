/** Clients of Umami: https://umami.is/docs/api/sending-stats. Visitors without an `id` are identified without storage. */
import { NO_ID } from "../core/ids.ts";
import { isRecord } from "../core/members.ts";
import { invalidBody } from "../core/refusal.ts";
import { textOf } from "../core/text.ts";
import type { Adapter, ForeignEvent, ForeignRequest, Translation, Untranslated } from "../ingest/adapter.ts";
import { noSuchPath } from "./stray.ts";
import {
  definedIn,
  type ForeignFields,
  idOf,
  jsonReply,
  membersOf,
  numberOf,
  objectOf,
  requireObject,
} from "./values.ts";

const WEB_VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"];

/** Clients send the address of the page whole, or its host and its path. */
function pageOf(payload: ForeignFields): ForeignFields {
  const [url, hostname] = [textOf(payload.url), textOf(payload.hostname)];
  const address = url?.startsWith("/")
    ? hostname
      ? { url: `https://${hostname}${url}` }
      : { path: url }
    : { url };
  return definedIn({ ...address, title: textOf(payload.title), referrer: textOf(payload.referrer) });
}

function bodyOf(type: string, payload: ForeignFields): ForeignFields {
  const page = pageOf(payload);
  const properties = { ...membersOf(payload.data, "data"), ...definedIn({ tag: textOf(payload.tag) }) };
  const withPage = Object.keys(page).length === 0 ? {} : { page };
  if (type === "identify") return { type: "track", name: type, passive: true, properties, ...withPage };
  if (type === "performance") {
    const vitals = definedIn(Object.fromEntries(WEB_VITALS.map((name) => [name, numberOf(payload[name])])));
    return { type: "track", name: "web_vitals", passive: true, properties: vitals, ...withPage };
  }
  const name = textOf(payload.name);
  if (name === null) return { type: "page", page, properties };
  return { type: "track", name, properties: { ...properties, ...revenueIn(properties) }, ...withPage };
}

function revenueIn({ revenue, currency }: ForeignFields): ForeignFields {
  const amount = numberOf(revenue);
  return amount === null || textOf(currency) === null ? {} : { revenue: { amount, currency } };
}

/** Seconds since 1970 as ISO 8601; null: no time that a date can have. */
function timeOf(value: unknown): string | null {
  const seconds = numberOf(value);
  const date = new Date((seconds ?? Number.NaN) * 1_000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function eventOf(message: unknown): ForeignEvent | Untranslated {
  const type = textOf(objectOf(message).type);
  const payload = objectOf(message).payload;
  if (type === null || !["event", "identify", "performance"].includes(type))
    return { raw: { type }, problem: "`type` must be event, identify or performance" };
  if (!isRecord(payload)) return { raw: { type }, problem: "`payload` must be an object" };
  const id = idOf(payload.id);
  const timestamp = timeOf(payload.timestamp);
  const context = definedIn({
    userAgent: textOf(payload.userAgent),
    locale: textOf(payload.language),
    screen: textOf(payload.screen),
  });
  return {
    client: null,
    anonymousId: id ?? NO_ID,
    userId: id,
    clientSession: null,
    // several visitors have the same time, which is in seconds
    nonce: id === null ? null : timestamp,
    event: { ...definedIn({ timestamp }), ...bodyOf(type, payload), context },
  };
}

function translate({ call, json }: ForeignRequest): Translation {
  const isBatch = call === "batch";
  if (!isBatch && call !== "send") throw noSuchPath("umami");
  const body = json();
  if (isBatch && (!Array.isArray(body) || body.length === 0))
    throw invalidBody("invalid_type", "The body must be a list with at least one message.");
  const messages: readonly unknown[] = isBatch && Array.isArray(body) ? body : [requireObject(body)];
  return { sentAt: null, messages, shared: null, context: null, eventOf };
}

export const UMAMI: Adapter = {
  endpoint: "umami",
  translate,
  reply: ({ sessionId, results, rejected, ...others }, { call }) => {
    const [size, processed] = [results.length, results.length - rejected];
    const details = results
      .filter(({ status }) => status === "rejected")
      .map(({ index, code, message }) => ({ index, response: { code, message } }));
    const counts = call === "batch" ? { size, processed, errors: rejected, details } : { rejected, details };
    return jsonReply({ sessionId, visitId: sessionId, ...others, ...counts });
  },
};
