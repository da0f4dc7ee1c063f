/** The types of events and the rules of each (docs/api/events.md). No schema library is imported here. */

export interface EventTypeRules {
  /** An event of this type must have a `name`. */
  readonly requiresName: boolean;
  /** An event of this type must have a `page` object with a `url` or a `path`. */
  readonly requiresPage: boolean;
  /** The name that is stored. null: the event's own `name`. */
  readonly storedName: string | null;
  /** Stats count the event as a page view or as an action. A session with an action is not a bounce, unless the action is passive. */
  readonly countsAs: "pageView" | "action";
}

export const EVENT_TYPES = {
  page: { requiresName: false, requiresPage: true, storedName: "page_view", countsAs: "pageView" },
  track: { requiresName: true, requiresPage: false, storedName: null, countsAs: "action" },
} as const satisfies Record<string, EventTypeRules>;
type EventType = keyof typeof EVENT_TYPES;

const isEventType = (type: unknown): type is EventType =>
  typeof type === "string" && Object.hasOwn(EVENT_TYPES, type);

/** The rules of a type; null for a type that this version does not know. */
export const eventTypeRules = (type: unknown): EventTypeRules | null =>
  isEventType(type) ? EVENT_TYPES[type] : null;

/** The types that stats count as a page view, or as an action. */
export const eventTypesCountedAs = (countsAs: EventTypeRules["countsAs"]): string[] =>
  Object.entries(EVENT_TYPES)
    .filter(([, rules]) => rules.countsAs === countsAs)
    .map(([type]) => type);

/** The name under which an event is stored. Empty when its type needs a name and it has none. */
export function storedEventName(type: unknown, name: unknown): string {
  const ownName = typeof name === "string" ? name : "";
  return eventTypeRules(type)?.storedName ?? ownName;
}
