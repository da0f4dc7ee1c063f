/** Requests below a public key whose path is of no tool. Their hint says which addresses the tool has. Pure. */
import { COMPAT_ENDPOINTS, type CompatEndpoint, OPERATIONS, type Operation } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import type { Adapter } from "../ingest/adapter.ts";

const PREFIX = "/api/compat/:publicKey/";

/** Tools whose requests the service does not read, by a word of their paths. */
const UNREAD_TOOLS: readonly (readonly [RegExp, string])[] = [
  [/posthog|^(?:e|decide|capture|flags|i\/v0)\b/i, "PostHog"],
  [/snowplow/i, "Snowplow"],
  [/mixpanel/i, "Mixpanel"],
  [/amplitude|httpapi/i, "Amplitude"],
  [/gtag|gtm|\bg\/collect|\bj\/collect/i, "gtag.js"],
];

const addressesOf = (endpoint: CompatEndpoint): string =>
  OPERATIONS.filter((one: Operation) => one.compatEndpoint === endpoint)
    .map(({ method, path }) => `${method} ${path.replace(PREFIX, "")}`)
    .join(", ");

/** The tools of each endpoint, and how their paths begin, also without the name of the tool. */
const TOOLS: Readonly<Record<CompatEndpoint, readonly [names: string, start: RegExp]>> = {
  segment: ["Segment, RudderStack", /^(?:segment|rudder|v1\b)/i],
  plausible: ["Plausible", /^(?:plausible|api\/event)/i],
  umami: ["Umami", /^(?:umami|api\/(?:send|batch))/i],
  ga4: ["the GA4 Measurement Protocol", /^(?:ga\b|ga4|mp\b|gtag|gtm|[gj]\/collect)/i],
  matomo: ["Matomo", /^(?:matomo|piwik)/i],
};
const TOOL_NAMES = Object.values(TOOLS)
  .map(([names]) => names)
  .join(", ");

const endpointIn = (path: string): CompatEndpoint | null =>
  COMPAT_ENDPOINTS.find((name) => TOOLS[name][1].test(path)) ?? null;

function hintOf(path: string, endpoint: CompatEndpoint | null): string {
  const [, unread] = UNREAD_TOOLS.find(([words]) => words.test(path)) ?? [];
  const instead = endpoint ? ` For ${endpoint} it accepts ${addressesOf(endpoint)}.` : "";
  if (unread)
    return `Headwater does not accept requests from ${unread}.${instead} Pages load Headwater's own client; servers can use a client of one of these: ${TOOL_NAMES}.`;
  if (endpoint) return `Below the public key, ${endpoint} has the paths ${addressesOf(endpoint)}.`;
  return `Below the public key are ${COMPAT_ENDPOINTS.map(addressesOf).join(", ")}.`;
}

/** The refusal of a path that no tool has. */
export const noSuchPath = (path: string): Refusal =>
  new Refusal("route_not_found", { hint: hintOf(path, endpointIn(path)) });

/** Refuses every request. The checks of each request come first. */
export function strayAdapter(path: string): Adapter {
  const refuse = (): never => {
    throw noSuchPath(path);
  };
  return { endpoint: endpointIn(path), translate: refuse, reply: refuse };
}
