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
  skippedRequests: count(
    "Requests whose events were not kept, because too many came at once or the storage failed.",
  ),
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

const EDITED_TYPES = ["number", "string", "boolean"] as const;
const property = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.maxStatsPropertyLength, description });

/** A change of a property before an event is evaluated again. */
export const PropertyEdit = Type.Union(
  [
    Closed({
      op: Type.Literal("rename", {
        description: "Renames the property. A property that already has the new name is replaced.",
      }),
      property: property("The name of the property."),
      to: property("Its new name."),
    }),
    Closed({
      op: Type.Literal("cast", { description: "Converts the value to another type, if possible." }),
      property: property("The name of the property."),
      to: OneOf(EDITED_TYPES, { description: "The type." }),
    }),
    Closed({
      op: Type.Literal("drop", { description: "The property is left out." }),
      property: property("The name of the property."),
    }),
  ],
  { description: "A change of one member of `properties`." },
);
export type PropertyEdit = Static<typeof PropertyEdit>;

const Edits = Type.Array(PropertyEdit, {
  maxItems: LIMITS.maxReplayEdits,
  description: "Changes of `properties`, made in this order before an event is evaluated.",
});
const selection = { code: CodeFilter, name: NameFilter, origin: OriginFilter };

export const ReplayBody = Closed({
  organizationId: SameOrganizationId,
  ...selection,
  edits: Type.Optional(Edits),
});
export type ReplayBody = Static<typeof ReplayBody>;

const RejectedCount = Closed({
  code: text("Why the events were rejected again."),
  events: count("How many events were rejected for this reason."),
});
const RejectedExample = Closed({
  code: text("Why the events were rejected again."),
  events: count("How many events were rejected for this reason."),
  message: text("What is wrong with the first of them."),
  example: Type.Unknown({ description: "The first of them, masked." }),
});

export const ReplayTest = Closed({
  selected: count("How many kept events are selected."),
  evaluated: count(`How many of them were evaluated: at most the oldest ${LIMITS.maxReplayTestEvents}.`),
  accepted: count("Events that would be accepted, or be duplicates."),
  rejected: Type.Array(RejectedExample, {
    description: "Events that would be rejected, the most frequent reason first.",
  }),
});
export type ReplayTest = Static<typeof ReplayTest>;

const REPLAY_STATUSES = ["running", "stopped", "done"] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

export const Replay = Closed({
  replayId: text("The id of the replay."),
  sourceId: text("The source."),
  status: OneOf(REPLAY_STATUSES, { description: "`stopped`: it can be resumed." }),
  ...selection,
  edits: Edits,
  selected: count("How many kept events were selected when it began."),
  accepted: count("Events that were stored."),
  duplicates: count("Events that had been stored before."),
  rejected: Type.Array(RejectedCount, {
    description: "Events that were rejected again. They are still kept.",
  }),
  requestedAt: time("When it began."),
  finishedAt: timeOrNull("When it was done; null: it is not done."),
});
export type Replay = Static<typeof Replay>;

export const ReplayList = Closed({
  replays: Type.Array(Replay, {
    description: `The last ${LIMITS.maxListedReplays} replays, the newest first.`,
  }),
});
