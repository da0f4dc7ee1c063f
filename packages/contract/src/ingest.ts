/** Bodies of the public ingest API (spec 2.4 to 2.8, docs/contract.md section 4). Unknown fields in requests are ignored. */
import Type, { type Static } from "typebox";
import { EVENT_CODES, type EventCode, WARNINGS } from "./event-codes.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { LIMITS } from "./limits.ts";
import { Closed, Count, FreeObject, Maybe, Nullable, OneOf, Time, when } from "./shapes.ts";
import { Privacy } from "./source-fields.ts";

const EnvelopeId = Type.String({ minLength: 1, maxLength: LIMITS.maxEnvelopeIdLength });

export const Page = Type.Object({
  url: Maybe(Type.String()),
  path: Maybe(Type.String()),
  title: Maybe(Type.String()),
  referrer: Maybe(Type.String()),
});

export const Context = Type.Object({
  locale: Maybe(Type.String()),
  timezone: Maybe(Type.String()),
  userAgent: Maybe(Type.String()),
});

/** The fields that an event of each type must have, as conditions of JSON Schema. */
const requiredByType = Object.entries(EVENT_TYPES).map(([type, { requiresName, requiresPage }]) => {
  const properties = {
    ...(requiresName ? { name: { type: "string", minLength: 1 } } : {}),
    ...(requiresPage ? { page: { type: "object" } } : {}),
  };
  return when(
    { properties: { type: { const: type } }, required: ["type"] },
    { properties, required: Object.keys(properties) },
  );
});

/**
 * One event (spec 2.7). An unknown `type` passes this schema, and the event is rejected on its own:
 * a newer client must not lose its whole batch on an older server.
 */
export const Event = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.String({ minLength: 1 }),
    timestamp: Type.String({
      minLength: 1,
      description: "An ISO 8601 date-time. Without a time zone it is read as UTC.",
    }),
    name: Maybe(Type.String()),
    page: Maybe(Page),
    anonymousId: Maybe(EnvelopeId),
    sessionId: Maybe(EnvelopeId),
    properties: Maybe(FreeObject),
    context: Maybe(Context),
  },
  { allOf: requiredByType },
);
export type Event = Static<typeof Event>;

const Version = Type.Integer({ const: 2 });
const Events = Type.Array(Event, { minItems: 1 });

const bootstrapFields = {
  anonymousId: EnvelopeId,
  sessionId: Maybe(
    Type.String({ description: "The session to resume. If it cannot be resumed, a new session is opened." }),
  ),
  joinSession: Maybe(
    Type.Boolean({
      description:
        "Without a sessionId: join the session that another bootstrap of the same anonymousId with joinSession opened in the last 30 minutes.",
    }),
  ),
  userId: Maybe(EnvelopeId),
  page: Page,
  context: Maybe(Context),
  batchId: Maybe(EnvelopeId),
  sentAt: Maybe(Type.String({ minLength: 1 })),
  events: Maybe(Type.Array(Event)),
};
const withEvents = {
  allOf: [
    when(
      { properties: { events: { type: "array", minItems: 1 } }, required: ["events"] },
      {
        properties: { batchId: { type: "string", minLength: 1 }, sentAt: { type: "string", minLength: 1 } },
        required: ["batchId", "sentAt"],
      },
    ),
  ],
};

const eventsFields = {
  batchId: EnvelopeId,
  sentAt: Type.String({ minLength: 1 }),
  sessionId: EnvelopeId,
  anonymousId: EnvelopeId,
  userId: Maybe(EnvelopeId),
  context: Maybe(Context),
  events: Events,
};

export const BootstrapBody = Type.Object(
  { ingestVersion: Version, sdkVersion: EnvelopeId, ...bootstrapFields },
  withEvents,
);
export type BootstrapBody = Static<typeof BootstrapBody>;
export const EventsBody = Type.Object({ ingestVersion: Version, sdkVersion: EnvelopeId, ...eventsFields });
export type EventsBody = Static<typeof EventsBody>;

/** Bodies of the legacy routes (spec 4.3). The version fields are optional. */
export const LegacyBootstrapBody = Type.Object(
  { ingestVersion: Maybe(Version), sdkVersion: Maybe(EnvelopeId), ...bootstrapFields },
  withEvents,
);
export const LegacyEventsBody = Type.Object({
  ingestVersion: Maybe(Version),
  sdkVersion: Maybe(EnvelopeId),
  ...eventsFields,
});

/** Who sent an event. A server has a token of the scope `ingest`, or it is an HTTP library that sends no `Origin`. */
export const EVENT_SENDERS = ["browser", "server"] as const;
export type EventSender = (typeof EVENT_SENDERS)[number];

export const EVENT_STATUSES = ["accepted", "duplicate", "rejected"] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** The outcome of one event. Results have the order of the events in the request (spec 2.8). */
export const EventResult = Closed({
  index: Count,
  eventId: Type.String(),
  analyticsEventId: Type.String(),
  type: Type.String(),
  name: Type.String(),
  status: OneOf(EVENT_STATUSES),
  code: Nullable(OneOf(Object.keys(EVENT_CODES) as EventCode[])),
  message: Nullable(Type.String()),
  warnings: Type.Array(OneOf(WARNINGS)),
});
export type EventResult = Static<typeof EventResult>;

const tally = { accepted: Count, duplicates: Count, rejected: Count, results: Type.Array(EventResult) };

export const EventsAnswer = Closed({
  ok: Type.Literal(true),
  attemptId: Type.String(),
  sourceId: Type.String(),
  sessionId: Type.String(),
  ...tally,
});
export type EventsAnswer = Static<typeof EventsAnswer>;

/** The limits that a client must respect. */
export const ClientLimits = Closed({
  maxBatchSize: Count,
  maxPayloadBytes: Count,
  maxEventBytes: Count,
  maxEventAgeSeconds: Count,
  sessionTimeoutSeconds: Count,
});

export const BootstrapAnswer = Closed({
  ok: Type.Literal(true),
  attemptId: Type.String(),
  ingestVersion: Type.Literal(2),
  sourceId: Type.String(),
  sessionId: Type.String(),
  anonymousId: Type.String(),
  identifiedUserId: Nullable(Type.String()),
  ingestUrl: Type.String(),
  sessionResumed: Type.Boolean(),
  sessionExpiresAt: Time,
  serverTime: Time,
  limits: ClientLimits,
  privacy: Privacy,
  accepted: Type.Optional(Count),
  duplicates: Type.Optional(Count),
  rejected: Type.Optional(Count),
  results: Type.Optional(Type.Array(EventResult)),
});
export type BootstrapAnswer = Static<typeof BootstrapAnswer>;
