/** The stored events of one session or visitor, one after the other, or the latest events of one name. */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  CURSOR,
  FreeObject,
  flag,
  id,
  NextCursor,
  OneOf,
  SameOrganizationId,
  text,
  textOrNull,
  time,
} from "./shapes.ts";

const STORED_EVENT_ORDERS = ["earliest", "latest"] as const;

export const StoredEventsQuery = Closed({
  organizationId: SameOrganizationId,
  sessionId: Type.Optional(id("The events of this session.")),
  anonymousId: Type.Optional(id("The events of the visitor with this anonymous id.")),
  userId: Type.Optional(id("The events of the visitor with this user id.")),
  name: Type.Optional(id("The events with this name, the latest first.")),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxPageSize,
      description: "The maximum number of events of the page.",
    }),
  ),
  order: Type.Optional(
    OneOf(STORED_EVENT_ORDERS, {
      description:
        "For a session or visitor: whether the earliest or the latest events come first. Default: `earliest`.",
    }),
  ),
  cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,15}\\.evt_[0-9a-f]{32}$", description: CURSOR })),
});
export type StoredEventsQuery = Static<typeof StoredEventsQuery>;

export const ListedEvent = Closed({
  analyticsEventId: text("The id that the service gave the event."),
  eventId: text("The id that its sender gave it."),
  type: text("The type of the event."),
  name: text("The name of the event."),
  occurredAt: time("When it happened."),
  receivedAt: time("When the service received it."),
  sessionId: text("The session."),
  anonymousId: text("The anonymous id of the visitor."),
  userId: textOrNull("The user id of the visitor; null: none."),
  url: textOrNull("The address of the page; null: none."),
  path: textOrNull("The path of the page; null: none."),
  title: textOrNull("The title of the page; null: none."),
  referrer: textOrNull("The address that led to the page; null: none."),
  source: textOrNull("The source of the visit; null: direct or unknown."),
  channel: textOrNull("The channel of the visit; null: unknown."),
  country: textOrNull("The country; null: unknown."),
  region: textOrNull("The region; null: unknown."),
  city: textOrNull("The city; null: unknown."),
  device: textOrNull("The type of the device; null: unknown."),
  os: textOrNull("The operating system; null: unknown."),
  browser: textOrNull("The browser; null: unknown."),
  isBot: flag("The sender is a bot."),
  passive: flag("The event, such as an engagement report, opens no session and is not an action."),
  sentBy: text("`browser` or `server`."),
  properties: Type.Unsafe<Record<string, unknown>>({ ...FreeObject, description: "The properties." }),
  context: Type.Unsafe<Record<string, unknown>>({ ...FreeObject, description: "The context." }),
});
export type ListedEvent = Static<typeof ListedEvent>;

export const StoredEvents = Closed({
  events: Type.Array(ListedEvent, { description: "The events of this page, in the requested order." }),
  nextCursor: NextCursor,
});
export type StoredEvents = Static<typeof StoredEvents>;
