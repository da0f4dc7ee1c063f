/** Events that a source keeps although it did not store them (docs/api/quarantine.md). */
import Type, { type Static } from "typebox";
import { KEPT_CODES } from "../event-codes.ts";
import { LIMITS } from "../limits.ts";
import {
  Closed,
  CURSOR,
  count,
  NextCursor,
  OneOf,
  SameOrganizationId,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../shapes.ts";

const code = OneOf(KEPT_CODES, { description: "Why the events were not stored." });
const name = text("The name under which the events would be stored, masked.");
const origin = textOrNull("The origin of the page, masked; null: the requests had none.");

const KeptGroup = Closed({
  code,
  name,
  origin,
  events: count("How many events of this kind are kept."),
  firstReceivedAt: time("When the first of them was received."),
  lastReceivedAt: time("When the last of them was received."),
});

export const Quarantine = Closed({
  events: count("How many events are kept."),
  bytes: count("The bytes that they take."),
  groups: Type.Array(KeptGroup, {
    description: `The kept events by code, name and origin, the most frequent first; at most ${LIMITS.maxKeptGroups}.`,
  }),
  evictedEvents: count("Events that were deleted before their time, because the quarantine was full."),
  lastEvictedAt: timeOrNull("When the last of them was deleted; null: none was."),
  skippedRequests: count("Requests whose events were not kept, because too many came at once."),
  lastSkippedAt: timeOrNull("When the last of them was skipped; null: none was."),
});
export type Quarantine = Static<typeof Quarantine>;

const NameFilter = Type.Optional(
  Type.String({
    maxLength: LIMITS.maxKeptTextLength,
    description: "Only events with this name, as in a group.",
  }),
);
const CodeFilter = Type.Optional(OneOf(KEPT_CODES, { description: "Only events with this code." }));
const OriginFilter = Type.Optional(
  Type.String({
    maxLength: LIMITS.maxKeptTextLength,
    description: "Only events from this origin, as in a group. Empty: those without an origin.",
  }),
);

export const KeptEventsQuery = Closed({
  organizationId: SameOrganizationId,
  code: CodeFilter,
  name: NameFilter,
  origin: OriginFilter,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxPageSize,
      description: "The maximum number of events of the page. Default: 50.",
    }),
  ),
  cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,15}$", description: CURSOR })),
});
export type KeptEventsQuery = Static<typeof KeptEventsQuery>;

const KeptEventShape = Closed({
  code,
  name,
  origin,
  receivedAt: time("When the event was received."),
  event: Type.Unknown({ description: "The event as it was sent, masked; cut if it is longer than 16 KiB." }),
});

export const KeptEventList = Closed({
  events: Type.Array(KeptEventShape, { description: "The kept events, the newest first." }),
  nextCursor: NextCursor,
});
