/** SQL conditions on the type of an event, written from the contract's table of event types. */
import { type EventTypeRules, eventTypesCountedAs } from "@headwater/contract/event-types";

function typeCondition(countsAs: EventTypeRules["countsAs"]): string {
  const types = eventTypesCountedAs(countsAs).map((type) => `'${type}'`);
  return types.length === 1 ? `type = ${types.join()}` : `type IN (${types.join(", ")})`;
}

/** True for events that count as a page view. */
export const IS_PAGE_VIEW = typeCondition("pageView");
/** True for events that count as an action. Passive events do not. */
export const IS_ACTION = `${typeCondition("action")} AND NOT passive`;
/** True for events that open a session. */
export const OPENS_SESSION = "NOT passive";
