/** Bodies of the compatible endpoints, as far as the service reads them (docs/migrate.md). Other members are ignored. */
import Type from "typebox";
import { EventResult } from "./ingest.ts";
import { Closed, count, flag, text } from "./shapes.ts";

const free = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** A member of any type: another type than the usual one is ignored, or rejects its event only. */
const any = (description: string) => Type.Optional(Type.Unknown({ description }));

export const SegmentCall = Type.Object(
  {
    messageId: any("The id of the event."),
    anonymousId: any("The visitor. Default: `userId`."),
    userId: any("The user."),
    event: any("The name of a `track` event."),
    name: any("The name of a page or screen."),
    properties: any("The properties of the event, page or screen, an object."),
    traits: any("The traits of a user or group, an object."),
    context: any("The visitor's environment, an object."),
    timestamp: any("When the event occurred."),
    sentAt: any("When the request is sent, by the client's clock."),
    batch: any("The messages of a batch, each with its `type`."),
  },
  { description: "A call from a Segment or RudderStack client." },
);

export const SegmentSettings = Closed(
  {
    integrations: free("The destinations: this service only."),
    plan: free("Empty: no call is blocked."),
    metrics: Closed(
      { sampleRate: Type.Number({ description: "0: the client reports nothing about itself." }) },
      { description: "The client's reports about itself." },
    ),
  },
  { description: "The settings of a Segment client." },
);
export const SegmentMetricsAnswer = Closed(
  { success: flag("true.") },
  { description: "The report was received." },
);
export const RudderConfig = Closed(
  { source: free("An enabled source without destinations.") },
  { description: "The settings of a RudderStack client." },
);
export const RudderQuery = Type.Object({
  writeKey: Type.Optional(Type.String({ description: "The client's write key." })),
});

export const SegmentAnswer = Closed(
  {
    success: flag("false: an event was rejected."),
    attemptId: text("The id of the request in the debug view."),
    accepted: count("Events that were stored."),
    duplicates: count("Events that had been stored before."),
    rejected: count("Events that were not stored."),
    results: Type.Array(EventResult, { description: "The outcome of each event." }),
  },
  { description: "The outcome of the call." },
);

export const PlausibleEvent = Type.Object(
  {
    name: any(
      "The name of the event, or `n`. `pageview`: a page view. `engagement`: time on page and scroll depth.",
    ),
    url: any("The address of the page, or `u`."),
    referrer: any("The address of the page that led here, or `r`."),
    props: any("Further data, or `p`: an object."),
    revenue: any("`amount` and `currency`, or `$`."),
    interactive: any("false: the visitor did nothing, or `i`."),
  },
  { description: "An event from a Plausible client." },
);

export const UmamiCall = Type.Unknown({
  description:
    "An object with `type` (`event`, `identify` or `performance`) and `payload`. A batch is a list of them.",
});
export const UmamiAnswer = Closed(
  {
    sessionId: text("The session of the first event."),
    visitId: text("The same."),
    attemptId: text("The id of the request in the debug view."),
    accepted: count("Events that were stored."),
    duplicates: count("Events that had been stored before."),
    rejected: Type.Optional(count("Events that were not stored. Not in the response to a batch.")),
    size: Type.Optional(count("In the response to a batch: its events.")),
    processed: Type.Optional(count("In the response to a batch: events that were not rejected.")),
    errors: Type.Optional(count("In the response to a batch: events that were rejected.")),
    details: Type.Array(
      Closed({
        index: count("The place of the event in the request."),
        response: Closed(
          { code: text("Why it was rejected."), message: text("What to do about it.") },
          { description: "The reason." },
        ),
      }),
      { description: "The rejected events." },
    ),
  },
  { description: "The outcome of the call." },
);

export const Ga4Payload = Type.Object(
  {
    client_id: any("The visitor. Default: `user_id`."),
    user_id: any("The user."),
    timestamp_micros: any("When the events occurred, in microseconds since 1970."),
    events: any("The events, each with its `name` and `params`."),
  },
  { description: "A request of the Measurement Protocol." },
);
export const Ga4Query = Type.Object({
  measurement_id: Type.Optional(Type.String({ description: "Ignored: the public key names the source." })),
  api_secret: Type.Optional(Type.String({ description: "Ignored." })),
});

export const MatomoQuery = Type.Object({
  rec: Type.Optional(Type.String({ description: "Must be 1, here or in the body." })),
  url: Type.Optional(Type.String({ description: "The address of the page." })),
  action_name: Type.Optional(Type.String({ description: "The title of the page." })),
  _id: Type.Optional(Type.String({ description: "The visitor." })),
  uid: Type.Optional(Type.String({ description: "The user." })),
});
export const MatomoBody = Type.Unknown({
  description: "Parameters as a form, or an object whose `requests` is a list of queries.",
});
