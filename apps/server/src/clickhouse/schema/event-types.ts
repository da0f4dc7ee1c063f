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

/** A session ends at the latest so long after its last event that is not passive. */
const MAX_ENGAGED_AFTER_MS = 1_800_000;

/** Columns over the events of a session from which `SESSION_ENDED_AT` is computed. */
export const SESSION_END_COLUMNS = [
  `maxIf(occurredAt, ${OPENS_SESSION}) AS lastActiveAt`,
  "groupArrayIf((occurredAt, assumeNotNull(toFloat64(engagedSeconds))), isNotNull(engagedSeconds)) AS engagementReports",
];
/** The end of a session: its last event that is not passive, and the engaged time that was reported after it. */
export const SESSION_ENDED_AT = `addMilliseconds(lastActiveAt, least(${MAX_ENGAGED_AFTER_MS},
  toInt64(round(1000 * arraySum(report -> if(report.1 > lastActiveAt, report.2, 0), engagementReports)))))`;
