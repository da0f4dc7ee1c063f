/** Clients of Plausible: https://plausible.io/docs/events-api. Visitors are identified without storage. */
import { parseExactJson } from "../core/exact-json.ts";
import { NO_ID } from "../core/ids.ts";
import { textOf } from "../core/text.ts";
import type { Adapter, ForeignEvent, ForeignRequest, Untranslated } from "../ingest/adapter.ts";
import { definedIn, type ForeignFields, numberOf, objectOf, requireObject } from "./values.ts";

/** Older clients send properties and revenue as JSON text. */
function jsonOf(value: unknown): ForeignFields {
  if (typeof value !== "string") return objectOf(value);
  try {
    return objectOf(parseExactJson(value));
  } catch {
    return {};
  }
}

function revenueOf(value: unknown): ForeignFields {
  const { amount, currency } = jsonOf(value);
  const number = numberOf(amount);
  return number === null ? {} : { revenue: { amount: number, currency } };
}

function engagementOf(body: ForeignFields): ForeignFields {
  const [scrollDepth, engagedMs] = [numberOf(body.sd), numberOf(body.e)];
  // 255 says that the client cannot measure the scroll depth
  const depth = scrollDepth !== null && scrollDepth >= 0 && scrollDepth <= 100 ? scrollDepth : null;
  return definedIn({ scrollDepth: depth, seconds: engagedMs === null ? null : engagedMs / 1_000 });
}

function eventOf(body: ForeignFields): ForeignFields {
  const name = textOf(body.n) ?? textOf(body.name);
  const url = textOf(body.u) ?? textOf(body.url);
  const hashRouting = numberOf(body.h) === 1 || body.h === true || numberOf(body.hashMode) === 1;
  const page = definedIn({ url, referrer: textOf(body.r) ?? textOf(body.referrer), hashRouting });
  const properties = jsonOf(body.p ?? body.m ?? body.props ?? body.meta);
  if (name === "pageview") return { type: "page", page, properties };
  const all = { ...properties, ...revenueOf(body.$ ?? body.revenue) };
  if (name === "engagement")
    return { type: "track", name, passive: true, page, properties: { ...all, ...engagementOf(body) } };
  const isPassive = body.i === false || body.interactive === false;
  return { type: "track", name, page, properties: all, ...(isPassive ? { passive: true } : {}) };
}

function translateOne(message: unknown): ForeignEvent | Untranslated {
  const body = objectOf(message);
  const url = textOf(body.u) ?? textOf(body.url);
  if (url === null) return { raw: { name: body.n ?? body.name }, problem: "`url` is required" };
  return {
    client: body.v === undefined ? null : `plausible ${numberOf(body.v) ?? "unknown"}`,
    anonymousId: NO_ID,
    userId: null,
    clientSession: null,
    nonce: null,
    event: definedIn(eventOf(body)),
  };
}

function translate({ json }: ForeignRequest) {
  const body = requireObject(json());
  return {
    sentAt: null,
    messages: [body],
    shared: null,
    context: null,
    eventOf: translateOne,
  };
}

/** Plausible answers 202 to events that it drops too, and says so in a header. */
export const PLAUSIBLE: Adapter = {
  endpoint: "plausible",
  translate,
  reply: ({ rejected }) => ({
    status: 202,
    mediaType: "text/plain; charset=utf-8",
    content: "ok",
    headers: rejected > 0 ? { "X-Plausible-Dropped": String(rejected) } : {},
  }),
};
