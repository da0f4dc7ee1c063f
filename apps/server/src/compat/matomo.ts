/** Clients of Matomo: https://developer.matomo.org/api-reference/tracking-api */
import { parseExactJson } from "../core/exact-json.ts";
import { NO_ID } from "../core/ids.ts";
import { isRecord } from "../core/members.ts";
import { invalidBody } from "../core/refusal.ts";
import { textOf } from "../core/text.ts";
import type { Adapter, ForeignEvent, ForeignRequest, Translation, Untranslated } from "../ingest/adapter.ts";
import { definedIn, type ForeignFields, idOf, jsonReply, numberOf } from "./values.ts";

/** A transparent image of one pixel. */
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const SCREEN_SIZE = /^\d{1,5}x\d{1,5}$/;

function paramsIn(text: string): ForeignFields {
  const start = text.startsWith("?") ? 1 : 0;
  return Object.fromEntries(new URLSearchParams(text.slice(start)));
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseExactJson(value);
  } catch {
    return null;
  }
}

/** Custom variables are lists of a name and a value, by their slot. */
function variablesIn(value: unknown): ForeignFields {
  const slots = jsonOf(value);
  const pairs = isRecord(slots) ? Object.values(slots) : [];
  return Object.fromEntries(
    pairs.flatMap((pair) => (Array.isArray(pair) && textOf(pair[0]) ? [[String(pair[0]), pair[1]]] : [])),
  );
}

const dimensionsIn = (params: ForeignFields): ForeignFields =>
  Object.fromEntries(Object.entries(params).filter(([name]) => /^dimension\d{1,4}$/.test(name)));

const track = (name: unknown, properties: ForeignFields) => ({
  type: "track",
  name,
  properties: definedIn(properties),
});

/** The kind of a request: the first kind whose parameter it has, else a page view. */
function actionOf(params: ForeignFields): {
  type: string;
  name?: unknown;
  properties: ForeignFields;
  passive?: true;
} {
  const value = numberOf(params.revenue);
  if (numberOf(params.ping) === 1) return { ...track("ping", {}), passive: true };
  if (params.e_c !== undefined) {
    const { e_c: category, e_a: action, e_n: label } = params;
    return track(action, { category, label, value: numberOf(params.e_v) });
  }
  if (params.idgoal !== undefined && numberOf(params.idgoal) !== 0)
    return track("goal", { goalId: params.idgoal, value });
  if (params.idgoal !== undefined) {
    const items = jsonOf(params.ec_items);
    const name = params.ec_id === undefined ? "ecommerce_cart" : "ecommerce_order";
    return track(name, { orderId: params.ec_id, value, items: Array.isArray(items) ? items : null });
  }
  if (params.search !== undefined)
    return track("search", {
      keyword: params.search,
      category: params.search_cat,
      results: numberOf(params.search_count),
    });
  if (params.download !== undefined)
    return { ...track("file_download", { url: params.download }), passive: true };
  if (params.link !== undefined) return { ...track("outbound_link", { url: params.link }), passive: true };
  if (params.c_n !== undefined) {
    const content = { content: params.c_n, piece: params.c_p, target: params.c_t, interaction: params.c_i };
    const name = params.c_i === undefined ? "content_impression" : "content_interaction";
    return { ...track(name, content), ...(params.c_i === undefined ? { passive: true as const } : {}) };
  }
  return { type: "page", properties: {} };
}

/** Seconds since 1970, or a date and a time in UTC. */
function timeOf(value: unknown): string | null {
  const seconds = numberOf(value);
  if (seconds === null) return textOf(value);
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}

/**
 * The random number of a request, which Matomo's script calls `r`, with the client's time of day. Without a time it tells no
 * retry from another visit of a page whose address has it.
 */
function nonceOf(params: ForeignFields, timestamp: string | null): string | null {
  const { rand = params.r, h, m, s, cid, _id, uid } = params;
  const isKnown = (idOf(cid) ?? idOf(_id) ?? idOf(uid)) !== null;
  const hasTime = timestamp !== null || [h, m, s].every((part) => numberOf(part) !== null);
  if ((textOf(rand) ?? numberOf(rand)) !== null && hasTime) return [rand, h, m, s, timestamp].join(" ");
  return isKnown ? timestamp : null;
}

function eventOf(params: ForeignFields): ForeignEvent | Untranslated {
  if (numberOf(params.rec) !== 1) return { raw: null, problem: "`rec` must be 1" };
  const { properties, ...action } = actionOf(params);
  if (action.type === "track" && textOf(action.name) === null)
    return { raw: { type: "track" }, problem: "`e_c` needs `e_a`, the name of the event" };
  const size = textOf(params.res);
  const page = definedIn({
    url: textOf(params.url),
    title: action.type === "page" ? textOf(params.action_name) : null,
    referrer: textOf(params.urlref),
  });
  const own = {
    ...variablesIn(params._cvar),
    ...variablesIn(params.cvar),
    ...dimensionsIn(params),
    ...properties,
  };
  const context = definedIn({
    userAgent: textOf(params.ua),
    locale: textOf(params.lang),
    screen: size !== null && SCREEN_SIZE.test(size) ? size : null,
  });
  const userId = idOf(params.uid);
  const timestamp = timeOf(params.cdt);
  const seen = action.type === "page" || Object.keys(page).length > 0 ? page : null;
  const event = definedIn({ ...action, page: seen, properties: own, context, timestamp });
  return {
    client: null,
    anonymousId: idOf(params.cid) ?? idOf(params._id) ?? userId ?? NO_ID,
    userId,
    clientSession: null,
    startsSession: numberOf(params.new_visit) === 1,
    nonce: nonceOf(params, timestamp),
    event,
  };
}

const isBulk = (bodyText: string) => /^\s*\{/.test(bodyText);

function requestsIn(body: unknown): readonly unknown[] {
  const requests = isRecord(body) ? body.requests : null;
  if (Array.isArray(requests) && requests.length > 0) return requests;
  throw invalidBody("required", "`requests` must be a list with at least one request.");
}

function translate({ queryText, bodyText, json }: ForeignRequest): Translation {
  const shared = paramsIn(queryText);
  const messages = isBulk(bodyText) ? requestsIn(json()) : [bodyText];
  const translateOne = (message: unknown) => {
    const own = typeof message === "string" ? paramsIn(message) : message;
    return isRecord(own)
      ? eventOf({ ...shared, ...own })
      : { raw: null, problem: "A request must be a string" };
  };
  return { sentAt: null, messages, shared, context: null, eventOf: translateOne };
}

/** Matomo answers a bulk request with counts and any other one with an image, unless the client wants none. */
export const MATOMO: Adapter = {
  endpoint: "matomo",
  translate,
  reply: ({ rejected, results }, { queryText, bodyText }) => {
    if (isBulk(bodyText)) {
      const invalid_indices = results.flatMap(({ status, index }) => (status === "rejected" ? [index] : []));
      const tracked = results.length - rejected;
      return jsonReply({ status: "success", tracked, invalid: rejected, invalid_indices });
    }
    const { send_image } = { ...paramsIn(queryText), ...paramsIn(bodyText) };
    if (send_image === "0") return { status: 204, mediaType: "", content: "" };
    return { status: 200, mediaType: "image/gif", content: GIF };
  },
};
