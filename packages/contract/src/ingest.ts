/** Bodies of the public ingest API (spec 2.4 to 2.8, docs/api/events.md). Unknown fields in requests are ignored. */
import Type, { type Static } from "typebox";
import { EVENT_CODES, type EventCode, WARNING_MESSAGES, WARNINGS } from "./event-codes.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  count,
  FreeObject,
  flag,
  Maybe,
  Nullable,
  OneOf,
  text,
  textOrNull,
  time,
  when,
} from "./shapes.ts";
import { Privacy } from "./source-fields.ts";

/** An empty id means the same as null and as absent. */
const optionalId = (description: string) =>
  Maybe(Type.String({ maxLength: LIMITS.maxEnvelopeIdLength }), { description });
const envelopeId = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.maxEnvelopeIdLength, description });
const maybeText = (description: string) => Maybe(Type.String(), { description });
/** A member that clients may use for something else, because it is free-form or not in the specification: that counts as absent. */
const untyped = (description: string) => Type.Optional(Type.Unknown({ description }));
/** Wider than the format `date-time` of JSON Schema, which has no week dates, for example. */
const clientTime = (description: string) =>
  Type.String({ minLength: 1, description: `${description} An ISO 8601 date-time.` });

export const Page = Type.Object(
  {
    url: maybeText("The address of the page."),
    path: maybeText("The path of the page. It is derived from `url` when it is missing."),
    title: maybeText("The title of the page."),
    referrer: maybeText("The address of the page that led here."),
    hashRouting: untyped(
      "true: the path includes the fragment of `url`, because the fragment names the page.",
    ),
  },
  { description: "The page that the visitor sees. A page view needs `url` or `path`." },
);

export const Context = Type.Object(
  {
    locale: untyped("The visitor's language and region, such as `en-GB`."),
    timezone: untyped("The visitor's time zone, such as `Europe/Berlin`."),
    userAgent: untyped("The visitor's user agent. Default: the header of the request."),
  },
  {
    description:
      "The visitor's environment. All members are stored as they are. Those listed here are used only if they are strings.",
  },
);

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
    id: Type.String({
      minLength: 1,
      description: "The idempotency key of the event, such as a UUID. A source accepts an id once.",
    }),
    type: Type.String({ minLength: 1, description: "`page`: a page view. `track`: any other event." }),
    timestamp: clientTime("When the event occurred. Without a time zone it is read as UTC."),
    name: maybeText("The name of the event. `track` events need one."),
    page: Maybe(Page, { description: "The page on which the event occurred. `page` events need one." }),
    anonymousId: optionalId("The visitor. Default: that of the batch."),
    sessionId: optionalId("The session. Default: that of the batch."),
    properties: Maybe(FreeObject, { description: "Any further data, as a JSON object." }),
    context: Maybe(Context, { description: "The visitor's environment. Default: that of the batch." }),
    passive: untyped(
      "true: the visitor did nothing, as in a measurement. A `track` event is stored and counted, but opens no session and does not affect the bounce rate.",
    ),
    lost: untyped(
      "Events that the client lost before this one, as a string (docs/api/events.md, Sequences).",
    ),
  },
  { allOf: requiredByType, description: "One event." },
);
export type Event = Static<typeof Event>;

const Version = Type.Integer({ const: 2, description: "The version of the ingest API." });
const SdkVersion = envelopeId("The name and version of the client, for the debug view.");
const BATCH_ID = "The id of the batch, for the debug view.";
const SENT_AT = "When the request is sent, by the client's clock. Set it again before each retry.";
const SentAt = clientTime(SENT_AT);
const EVENTS = {
  description:
    "The events, at most `maxBatchSize`. Each is accepted or rejected on its own. Ids make retries safe: send the same ids again.",
};
const UserId = optionalId("The signed-in user, when there is one.");
const BatchContext = Maybe(Context, { description: "The visitor's environment." });

const bootstrapFields = {
  anonymousId: envelopeId("An id of the visitor that the client generates and keeps."),
  sessionId: maybeText("The session to resume. If it cannot be resumed, a new session is opened."),
  joinSession: untyped(
    "`true`, without `sessionId`: joins the session that another bootstrap opened in the last 30 minutes, if it had the same `anonymousId` and `joinSession`.",
  ),
  userId: UserId,
  page: Page,
  context: BatchContext,
  batchId: untyped(`With \`events\`: ${BATCH_ID}`),
  sentAt: untyped(`With \`events\`: ${SENT_AT}`),
  events: Maybe(Type.Array(Event), {
    description: "Events to store in the same request. They need `batchId` and `sentAt`.",
  }),
};
const withEvents = {
  allOf: [
    when(
      { properties: { events: { type: "array", items: {}, minItems: 1 } }, required: ["events"] },
      {
        properties: { batchId: envelopeId(BATCH_ID), sentAt: SentAt },
        required: ["batchId", "sentAt"],
      },
    ),
  ],
};

const eventsFields = {
  batchId: envelopeId(BATCH_ID),
  sentAt: SentAt,
  sessionId: envelopeId("The session, as bootstrap returned it."),
  anonymousId: envelopeId("The visitor, as in the bootstrap."),
  userId: UserId,
  context: BatchContext,
  events: Type.Array(Event, { minItems: 1, ...EVENTS }),
};

export const BootstrapBody = Type.Object(
  { ingestVersion: Version, sdkVersion: SdkVersion, ...bootstrapFields },
  withEvents,
);
export type BootstrapBody = Static<typeof BootstrapBody>;
export const EventsBody = Type.Object({ ingestVersion: Version, sdkVersion: SdkVersion, ...eventsFields });
export type EventsBody = Static<typeof EventsBody>;

/** Bodies of the legacy routes (spec 4.3). The version fields are optional. */
export const LegacyBootstrapBody = Type.Object(
  { ingestVersion: Maybe(Version), sdkVersion: Maybe(SdkVersion), ...bootstrapFields },
  withEvents,
);
export const LegacyEventsBody = Type.Object({
  ingestVersion: Maybe(Version),
  sdkVersion: Maybe(SdkVersion),
  ...eventsFields,
});

/** The senders of events. A server has a token of the scope `ingest`, or it is an HTTP library that sends no `Origin`. */
const EVENT_SENDERS = ["browser", "server"] as const;
export type EventSender = (typeof EVENT_SENDERS)[number];

const EVENT_STATUSES = ["accepted", "duplicate", "rejected"] as const;

const DESCRIBED_WARNINGS = WARNINGS.map((code) => `\`${code}\`: ${WARNING_MESSAGES[code]}`);

/** The outcome of one event. Results have the order of the events in the request (spec 2.8). */
export const EventResult = Closed(
  {
    index: count("The index of the event in the request."),
    eventId: text("The `id` of the event."),
    analyticsEventId: text(
      "The id under which the event is stored; empty when the event has no readable id.",
    ),
    type: text("The `type` of the event."),
    name: text("The name under which the event is stored; `page_view` for page views."),
    status: OneOf(EVENT_STATUSES, {
      description:
        "`accepted`: stored durably. `duplicate`: stored before, and counted once. `rejected`: not stored.",
    }),
    code: Nullable(OneOf(Object.keys(EVENT_CODES) as EventCode[]), {
      description: "Why the event was not stored; null: it was.",
    }),
    message: textOrNull("What to do about it; null: the event was stored."),
    warnings: Type.Array(OneOf(WARNINGS), {
      description: ["The corrections of the event.", ...DESCRIBED_WARNINGS].join(" "),
    }),
    planViolation: Nullable(
      Closed({
        path: text("What violates the plan, such as `properties.price`."),
        expected: text("What the plan expects there."),
        found: text("What was found instead."),
      }),
      { description: "How the event violates the source's tracking plan; null: it does not." },
    ),
  },
  { description: "The outcome of one event. Results are in the order of the events in the request." },
);
export type EventResult = Static<typeof EventResult>;

const tally = {
  accepted: count("Events that were stored."),
  duplicates: count("Events that had been stored before."),
  rejected: count("Events that were not stored."),
  results: Type.Array(EventResult, { description: "The outcome of each event." }),
};
const Ok = Type.Literal(true, { description: "Always true in a successful response." });
const AttemptId = text("The id of the request in the debug view.");

export const EventsAnswer = Closed({
  ok: Ok,
  attemptId: AttemptId,
  sourceId: text("The source of the public key."),
  sessionId: text("The session of the batch."),
  ...tally,
});
export type EventsAnswer = Static<typeof EventsAnswer>;

/** The limits that a client must respect. */
export const ClientLimits = Closed(
  {
    maxBatchSize: count("Events in a batch."),
    maxPayloadBytes: count("Bytes of a body after decompression."),
    maxEventBytes: count("Bytes of one event."),
    maxEventAgeSeconds: count("The greatest age of an event."),
    sessionTimeoutSeconds: count("A session ends after this time without activity."),
  },
  { description: "The limits that a client must respect." },
);

export const BootstrapAnswer = Closed({
  ok: Ok,
  attemptId: AttemptId,
  ingestVersion: Type.Literal(2, { description: "The version of the ingest API." }),
  sourceId: text("The source of the public key."),
  sessionId: text("The session to send events with."),
  anonymousId: text("The visitor of the request."),
  identifiedUserId: textOrNull("The signed-in user of the session; null: there is none."),
  ingestUrl: Type.String({
    format: "uri-reference",
    description: "The path to send events to, after `apiBaseUrl`.",
  }),
  sessionResumed: flag("false: a new session was opened."),
  sessionExpiresAt: time("When the session ends without further activity."),
  serverTime: time("The time of the service, to correct the client's clock."),
  limits: ClientLimits,
  privacy: Privacy,
  accepted: Type.Optional(tally.accepted),
  duplicates: Type.Optional(tally.duplicates),
  rejected: Type.Optional(tally.rejected),
  results: Type.Optional(tally.results),
});
export type BootstrapAnswer = Static<typeof BootstrapAnswer>;
