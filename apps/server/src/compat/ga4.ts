/** Senders of the GA4 Measurement Protocol: https://developers.google.com/analytics/devguides/collection/protocol/ga4 */
import { isRecord } from "../core/members.ts";
import { invalidBody } from "../core/refusal.ts";
import { textOf } from "../core/text.ts";
import type { Adapter, ForeignEvent, ForeignRequest, Translation, Untranslated } from "../ingest/adapter.ts";
import {
  definedIn,
  type ForeignFields,
  idOf,
  membersOf,
  numberOf,
  objectOf,
  requireObject,
  sharedMembersOf,
  shortTextOf,
  without,
} from "./values.ts";

/** Parameters that are stored elsewhere. */
const NOT_IN_PROPERTIES = [
  "session_id",
  "page_location",
  "page_path",
  "page_title",
  "page_referrer",
  "user_agent",
  "language",
];

/** Microseconds since 1970 as ISO 8601. */
function timeOf(value: unknown): string | null {
  const date = new Date((numberOf(value) ?? Number.NaN) / 1_000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function propertiesOf(params: ForeignFields): ForeignFields {
  const amount = numberOf(params.value);
  const currency = textOf(params.currency);
  const revenue = amount !== null && currency !== null ? { amount, currency } : null;
  return { ...without(params, NOT_IN_PROPERTIES), ...definedIn({ revenue }) };
}

function bodyOf(name: string | null, params: ForeignFields): ForeignFields {
  const page = definedIn({
    url: textOf(params.page_location),
    path: textOf(params.page_path),
    title: textOf(params.page_title),
    referrer: textOf(params.page_referrer),
  });
  const properties = propertiesOf(params);
  if (name === "page_view") return { type: "page", page, properties };
  // its value is a time that a page was shown, and no action of the visitor
  const engagedMs = name === "user_engagement" ? numberOf(params.engagement_time_msec) : null;
  const withPage = Object.keys(page).length === 0 ? {} : { page };
  if (engagedMs === null) return { type: "track", name, properties, ...withPage };
  const seconds = engagedMs / 1_000;
  return {
    type: "track",
    name: "engagement",
    passive: true,
    properties: { ...properties, seconds },
    ...withPage,
  };
}

/** User properties are objects with a `value`. */
function userPropertiesOf(body: ForeignFields): ForeignFields {
  const entries = Object.entries(sharedMembersOf(body.user_properties, "user_properties"));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isRecord(value) && "value" in value ? value.value : value]),
  );
}

function eventOf(
  one: unknown,
  body: ForeignFields,
  userProperties: ForeignFields,
): ForeignEvent | Untranslated {
  const { name, params, timestamp_micros } = objectOf(one);
  const userId = idOf(body.user_id);
  const anonymousId = idOf(body.client_id) ?? idOf(body.app_instance_id) ?? userId;
  if (anonymousId === null) return { raw: { name }, problem: "`client_id` is required" };
  const given = membersOf(params, "params");
  if (name === "page_view" && (textOf(given.page_location) ?? textOf(given.page_path)) === null)
    return { raw: { name }, problem: "`page_view` needs `page_location` or `page_path`" };
  const device = objectOf(body.device);
  const micros = timestamp_micros ?? body.timestamp_micros;
  const timestamp = timeOf(micros);
  const context = definedIn({
    userAgent: shortTextOf(given.user_agent) ?? shortTextOf(body.user_agent),
    locale: shortTextOf(given.language) ?? shortTextOf(device.language),
    screen: shortTextOf(device.screen_resolution),
    userProperties: Object.keys(userProperties).length === 0 ? null : userProperties,
  });
  return {
    client: null,
    anonymousId,
    userId,
    clientSession: idOf(given.session_id),
    // finer than the timestamp
    nonce: timestamp === null ? null : String(micros),
    event: { ...definedIn({ timestamp, ...bodyOf(textOf(name), given) }), context },
  };
}

function translate({ json }: ForeignRequest): Translation {
  const body = requireObject(json());
  const { events } = body;
  if (!Array.isArray(events) || events.length === 0)
    throw invalidBody("required", "`events` must be a list with at least one event.");
  const shared = userPropertiesOf(body);
  return {
    sentAt: null,
    messages: events,
    shared,
    context: null,
    eventOf: (one) => eventOf(one, body, shared),
  };
}

/** Google answers 204 to whatever it receives. A header says how many events were rejected. */
export const GA4: Adapter = {
  endpoint: "ga4",
  translate,
  reply: ({ rejected }) => ({
    status: 204,
    mediaType: "",
    content: "",
    headers: rejected > 0 ? { "X-Headwater-Rejected": String(rejected) } : {},
  }),
};
