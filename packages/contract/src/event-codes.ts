/** The codes and warnings of single events (docs/api/events.md). */
import type { ErrorCode } from "./errors.ts";
import { EVENT_TYPES } from "./event-types.ts";

const KNOWN_TYPES = Object.keys(EVENT_TYPES)
  .map((type) => `\`${type}\``)
  .join(" and ");

/** Why an event was not stored (docs/api/events.md), and what to do about it. */
export const EVENT_CODES = {
  duplicate_event: "This event was stored before. It is counted once.",
  invalid_event: "The event is not valid. The message names the fields to correct.",
  id_not_exact: "An id is a number with too many digits to be exact in JSON. Send it as a string.",
  unsupported_event_type: `This server accepts the types ${KNOWN_TYPES}. Update the server or send one of these types.`,
  timestamp_too_old:
    "The event is more than 400 days old. Check the client's clock, and the unit and the zone of its timestamps.",
  timestamp_in_future:
    "The event is more than 24 hours in the future. Check the client's clock, and set `sentAt` anew before each retry.",
  session_mismatch:
    "The event's session does not belong to this source. Send the event with its batch's session.",
  page_address_missing: "A page event needs `page.url` or `page.path`.",
  event_name_too_long: "An event name has at most 200 characters. Put details into `properties`.",
  event_id_too_long: "An event id has at most 128 characters. Use a UUID.",
  event_too_large: "The event has more than `maxEventBytes` bytes. Send less in `properties` and `context`.",
  properties_too_deep: "`properties` can nest at most 10 levels deep. Flatten them.",
  path_excluded:
    "A pattern in the source's `excludedPaths` matches the path. To count such events, remove the pattern.",
  address_excluded:
    "The client's address is in the source's `excludedAddresses`. To count events from it, remove the entry.",
  bot_rejected:
    "A bot sent the event, and the source's `bots` setting is `reject`. To store such events, set `bots` to `apart` or `keep`.",
  plan_violation:
    "The event violates the source's tracking plan. Send what the plan expects, or change the plan.",
  too_many_properties: "`properties` can have at most 256 keys. Send fewer.",
} as const;
export type EventCode = keyof typeof EVENT_CODES;
export const isEventCode = (code: string): code is EventCode => Object.hasOwn(EVENT_CODES, code);

/**
 * Why a client lost an event: its queue was full, the event was unsent for more than a day, the service rejected it, or
 * the service could not be reached.
 */
export const LOSS_CAUSES = ["queue_full", "too_old", "refused", "unreachable"] as const;
export type LossCause = (typeof LOSS_CAUSES)[number];
export const isLossCause = (cause: string): cause is LossCause =>
  LOSS_CAUSES.some((known) => known === cause);

/** Codes of events that the settings of the source reject. They do not count as failures of the application. */
export const POLICY_CODES: readonly string[] = [
  "path_excluded",
  "address_excluded",
  "bot_rejected",
] satisfies EventCode[];

/**
 * Why an event was not stored, as far as a change of the source's settings or of its tracking plan can mend it. A source keeps
 * events with these codes (docs/api/quarantine.md).
 */
export const KEPT_CODES = [
  "plan_violation",
  "timestamp_too_old",
  "origin_not_allowed",
  "origin_missing",
  "rotated_public_key",
  "source_inactive",
  "quota_exceeded",
] as const satisfies readonly (EventCode | ErrorCode)[];
export type KeptCode = (typeof KEPT_CODES)[number];
export const isKeptCode = (code: string): code is KeptCode => KEPT_CODES.some((kept) => kept === code);

/** Warnings: what was corrected in an accepted event, and what to send instead. */
export const WARNING_MESSAGES = {
  timestamp_clamped:
    "The event's time is more than 5 minutes in the future. The time of receipt was stored instead. Check the client's clock.",
  old_event: "The event is more than 12 days old. If it was stored before, it may count twice.",
  url_truncated: "A url, path or referrer has more than 4,096 characters and was cut.",
  value_truncated: "A title has more than 500 characters, or a property more than 8,192, and was cut.",
  context_truncated:
    "The event's `context` and the body's together exceed 16 KiB, or nest deeper than 10 levels. Only their known members were stored.",
  timezone_assumed: "A time has no zone and was read as UTC. End it with Z or an offset.",
  anonymous_id_mismatch:
    "The event's `anonymousId` differs from its session's. Send the same `anonymousId` in bootstrap and in events.",
  bot_suspected:
    "The user agent belongs to a crawler or an HTTP library. To send events from a server, use a token with the `ingest` scope.",
  data_centre: "The client's address is in a data centre, so the event is suspected to be from a bot.",
  referrer_spam: "The referrer is a known spam site, so the event is suspected to be from a bot.",
  sent_at_unreliable:
    "`sentAt` differs from the server's time by more than 24 hours. Set it anew before each request.",
  number_not_finite: "A number is too large and was stored as null.",
  too_many_property_names:
    'The source has sent too many different property names today. The event is stored with all of them. Send {"productId": 7} instead of {"7": true}.',
  plan_violation: "The event violates the source's tracking plan. `planViolation` says where.",
  revenue_invalid:
    'The revenue is not valid, so the event counts without it. Send `properties.revenue` as an amount and an ISO 4217 currency: {"amount": 12.5, "currency": "EUR"}.',
} as const;
export type Warning = keyof typeof WARNING_MESSAGES;
export const WARNINGS = Object.keys(WARNING_MESSAGES) as Warning[];

/** How an event violates the tracking plan of its source. */
export interface ViolationDetails {
  /** Such as `properties.price`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

export const describeViolation = ({ path, expected, found }: ViolationDetails): string =>
  `The event violates the tracking plan: ${path} must be ${expected}; found ${found}.`;
