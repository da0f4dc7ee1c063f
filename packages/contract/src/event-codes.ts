/** The codes and warnings of single events (docs/contract.md section 4). */
import { EVENT_TYPES } from "./event-types.ts";

const KNOWN_TYPES = Object.keys(EVENT_TYPES)
  .map((type) => `\`${type}\``)
  .join(" and ");

/** Why one event of a batch was not stored (CONTRACT section 4), with what to do about it. */
export const EVENT_CODES = {
  duplicate_event: "This event was stored before; it is counted once.",
  invalid_event: "The event cannot be used; see the message for the fields to correct.",
  unsupported_event_type: `This server accepts the types ${KNOWN_TYPES}. Update the server or send one of these types.`,
  timestamp_too_old: "The event is over 7 days old; check the client's clock and how long its queue waits.",
  timestamp_in_future:
    "The event is over 24 hours ahead; check the client's clock and send `sentAt` anew at each try.",
  session_mismatch: "The event names a session that is not one of this source; send it with the batch's own.",
  page_address_missing: "A page event needs `page.url` or `page.path`.",
  event_name_too_long: "Event names have at most 200 characters; put details into `properties`.",
  event_id_too_long: "Event ids have at most 128 characters; a UUID does.",
  event_too_large: "The event has over `maxEventBytes` bytes; send less in `properties` and `context`.",
  properties_too_deep: "`properties` nest at most 10 levels; flatten them.",
  path_excluded:
    "The source's `excludedPaths` keep events of this path out; take the pattern off to count them.",
  bot_rejected:
    "The source's `bots` are set to `reject` and the user agent is a bot's; set `apart` or `keep`.",
  too_many_properties: "`properties` have at most 256 keys; send fewer.",
} as const;
export type EventCode = keyof typeof EVENT_CODES;
export const isEventCode = (code: string): code is EventCode => Object.hasOwn(EVENT_CODES, code);

/** What a source's own settings turn away is no failure of the application. */
export const POLICY_CODES: readonly string[] = ["path_excluded", "bot_rejected"] satisfies EventCode[];

export const WARNINGS = [
  "timestamp_clamped",
  "url_truncated",
  "value_truncated",
  "timezone_assumed",
  "anonymous_id_mismatch",
  "bot_suspected",
  "sent_at_unreliable",
  "number_not_finite",
] as const;
export type Warning = (typeof WARNINGS)[number];
