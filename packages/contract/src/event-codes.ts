/** The codes and warnings of single events (docs/contract.md section 4). */
import { EVENT_TYPES } from "./event-types.ts";

const KNOWN_TYPES = Object.keys(EVENT_TYPES)
  .map((type) => `\`${type}\``)
  .join(" and ");

/** Why an event was not stored (docs/contract.md section 4), and what to do about it. */
export const EVENT_CODES = {
  duplicate_event: "This event was stored before. It is counted once.",
  invalid_event: "The event is not valid. The message names the fields to correct.",
  unsupported_event_type: `This server accepts the types ${KNOWN_TYPES}. Update the server or send one of these types.`,
  timestamp_too_old:
    "The event is more than 400 days old. Check the clock of the client, and the unit and the zone of its timestamps.",
  timestamp_in_future:
    "The event is more than 24 hours in the future. Check the clock of the client, and set `sentAt` again before each retry.",
  session_mismatch:
    "The session of the event does not belong to this source. Send the event with the session of its batch.",
  page_address_missing: "A page event needs `page.url` or `page.path`.",
  event_name_too_long: "An event name has at most 200 characters. Put details into `properties`.",
  event_id_too_long: "An event id has at most 128 characters. Use a UUID.",
  event_too_large: "The event has more than `maxEventBytes` bytes. Send less in `properties` and `context`.",
  properties_too_deep: "`properties` can nest at most 10 levels deep. Flatten them.",
  path_excluded:
    "A pattern in `excludedPaths` of the source matches the path. To count such events, remove the pattern.",
  bot_rejected:
    "The event is a bot's, and `bots` of the source is `reject`. To store such events, set it to `apart` or `keep`.",
  too_many_properties: "`properties` can have at most 256 keys. Send fewer.",
} as const;
export type EventCode = keyof typeof EVENT_CODES;
export const isEventCode = (code: string): code is EventCode => Object.hasOwn(EVENT_CODES, code);

/** Codes of events that the settings of the source reject. They do not count as failures of the application. */
export const POLICY_CODES: readonly string[] = ["path_excluded", "bot_rejected"] satisfies EventCode[];

export const WARNINGS = [
  "timestamp_clamped",
  "old_event",
  "url_truncated",
  "value_truncated",
  "timezone_assumed",
  "anonymous_id_mismatch",
  "bot_suspected",
  "data_centre",
  "referrer_spam",
  "sent_at_unreliable",
  "number_not_finite",
] as const;
export type Warning = (typeof WARNINGS)[number];
