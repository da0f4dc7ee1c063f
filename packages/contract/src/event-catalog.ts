/** The event catalogue of a source: which events it sends, and what they look like (docs/api/tracking-plan.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, count, OneOf, text, time } from "./shapes.ts";

export const CATALOG_TYPES = ["string", "number", "boolean", "null", "object", "array"] as const;
export type CatalogType = (typeof CATALOG_TYPES)[number];

const CatalogProperty = Closed({
  name: text("The name of the property, masked like the debug history."),
  types: Type.Array(OneOf(CATALOG_TYPES), {
    description: "The types of its values, the most frequent first.",
  }),
  coverage: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "The share of the sampled events that have the property.",
  }),
  examples: Type.Array(Type.String(), {
    description: "Short values that at least three sessions sent, as masked JSON.",
  }),
});

export const CatalogEvent = Closed(
  {
    name: text("The name under which the events are stored."),
    events: count("Accepted events."),
    firstSeenAt: time("When the first of them was received."),
    lastSeenAt: time("When the last of them was received."),
    sampledEvents: count("How many of these events had their properties read."),
    properties: Type.Array(CatalogProperty, {
      description: `At most ${LIMITS.maxCatalogProperties} properties of the sampled events, by name.`,
    }),
    clientVersions: Type.Array(Type.String(), {
      description: "The `sdkVersion` of clients that sent sampled events.",
    }),
    pages: Type.Array(Type.String(), {
      description: "Paths of pages on which at least three sessions sent sampled events.",
    }),
  },
  { description: "The accepted events of one name." },
);
export type CatalogEvent = Static<typeof CatalogEvent>;

export const EventCatalog = Closed({
  events: Type.Array(CatalogEvent, {
    description: `At most ${LIMITS.maxCatalogEvents} event names, by name.`,
  }),
  otherEvents: count("Accepted events with other names."),
});
export type EventCatalog = Static<typeof EventCatalog>;
