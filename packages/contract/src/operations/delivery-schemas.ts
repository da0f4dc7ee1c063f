/** Which of the events that the clients of a source produced have arrived (docs/api/delivery.md). */
import Type, { type Static } from "typebox";
import { Closed, count, Nullable, OneOf, SameOrganizationId, text, textOrNull, time } from "../shapes.ts";

export const DELIVERY_DIMENSIONS = ["page", "browser", "clientVersion", "country"] as const;
export type DeliveryDimension = (typeof DELIVERY_DIMENSIONS)[number];

/** Days of one question. */
export const MAX_DELIVERY_DAYS = 31;

const day = (description: string) => Type.String({ format: "date", description });

export const DeliveryQuery = Closed({
  organizationId: SameOrganizationId,
  from: Type.Optional(day("The first day, in UTC. Default: seven days before the last.")),
  to: Type.Optional(day("The last day, in UTC. Default: today.")),
  by: Type.Optional(
    OneOf(DELIVERY_DIMENSIONS, { description: "Lists the values of this dimension that lost most." }),
  ),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const counts = (description: string) =>
  Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description });

export const DeliveryDay = Closed(
  {
    day: day("The day of `occurredAt`, in UTC."),
    produced: count("accepted + rejected + dropped + missing + stillPossible."),
    accepted: count(
      "Events that the service accepted: inWarehouse + lostInWarehouse + erased + expired + waiting.",
    ),
    rejected: counts("Events that the service rejected, by code, as their clients report them."),
    dropped: counts("Events that the clients lost, by cause, as they report them."),
    missing: count("Events that a client numbered and that can no longer arrive."),
    stillPossible: count("Events that a client numbered and that may still wait in its queue."),
    inWarehouse: count("Accepted events that the warehouse has."),
    lostInWarehouse: count("Accepted events that the warehouse should have but does not."),
    erased: count("Accepted events that were erased with their visitors."),
    expired: count("Accepted events that the source's retention has deleted."),
    waiting: count("Accepted events on their way to the warehouse."),
  },
  { description: "The events of one UTC day. Of expired events, only the number is known." },
);
export type DeliveryDay = Static<typeof DeliveryDay>;

const DeliveryValue = Closed({
  value: textOrNull("The value of the dimension; null: unknown."),
  accepted: count("Events that arrived from clients that number them."),
  lost: count("Events that were dropped or are missing."),
});
export type DeliveryValue = Static<typeof DeliveryValue>;

export const ALERT_TYPES = [
  "source.failing",
  "source.quiet",
  "source.violating",
  "source.events_stopped",
  "source.delivery_low",
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

export const OpenAlert = Closed({
  type: OneOf(ALERT_TYPES, { description: "As the webhook names it." }),
  since: time("When the service noticed the problem."),
  stoppedEvents: Type.Array(Type.String(), { description: "For `source.events_stopped`: the names." }),
  delivery: Nullable(
    Closed({
      day: day("The UTC day."),
      accepted: count("Events that arrived."),
      lost: count("Events that were lost."),
      arrivedPercent: Type.Number({ description: "The share that arrived, never rounded up." }),
    }),
    { description: "For `source.delivery_low`." },
  ),
});
export type OpenAlert = Static<typeof OpenAlert>;

export const OpenAlerts = Closed({
  alerts: Type.Array(OpenAlert, { description: "The newest first." }),
});
export type OpenAlerts = Static<typeof OpenAlerts>;

export const DeliveryStatement = Closed({
  sourceId: text("The source."),
  from: day("The first day."),
  to: day("The last day."),
  computedAt: time("When the statement was computed."),
  days: Type.Array(DeliveryDay, { description: "One row a day, the first day first." }),
  values: Nullable(Type.Array(DeliveryValue, { description: "The values that lost most, at most 20." }), {
    description: "null: the query has no `by`.",
  }),
  signature: textOrNull(
    "`v1=`, then an HMAC-SHA256 in hexadecimal. The key is ALERT_WEBHOOK_SECRET, and the message is the JSON of this object without `signature`. null: the setting is not set.",
  ),
});
export type DeliveryStatement = Static<typeof DeliveryStatement>;
