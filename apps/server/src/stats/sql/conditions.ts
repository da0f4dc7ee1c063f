/** The conditions that the statements of all questions share: source, part, period and filters. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import { SECOND_MS, utcDay } from "../../core/time.ts";
import type { Period } from "../calendar.ts";
import type { QueryScope } from "../scope.ts";
import { writeFilter } from "./filter.ts";
import { eventsOf, type QueryPart } from "./part.ts";
import { allOf, type Bind, bindTime } from "./statement.ts";

/** The scope of a question, and the part of it that a statement reads. */
export interface PartScope extends QueryScope {
  readonly part: QueryPart;
}

export const isWithin = (bind: Bind, time: string, { from, to }: Period): string =>
  `${time} >= ${bindTime(bind, from)} AND ${time} < ${bindTime(bind, to)}`;

/** Dates of ClickHouse end with this day. */
const LAST_DATE = Date.UTC(2149, 5, 6);
/**
 * Selects the events of a period. The key of `events` has their days, which ClickHouse does not find by their times: without the
 * days, one day of a month would read the whole month.
 */
export function inPeriod(bind: Bind, period: Period): string {
  const [first, last] = [period.from, period.to - 1];
  return [
    ...(first >= 0 && first < LAST_DATE ? [`toDate(occurredAt) >= ${bind("Date", utcDay(first))}`] : []),
    ...(last < LAST_DATE ? [`toDate(occurredAt) <= ${bind("Date", utcDay(last))}`] : []),
    isWithin(bind, "occurredAt", period),
  ].join(" AND ");
}

/** Sessions of a period are made from its events and those of this time before and after it. */
export const SESSION_MARGIN_MS = SERVER_LIMITS.sessionMaxSeconds * SECOND_MS;

/** Selects the part's events of a source, without bots unless the query includes them. */
export const ofSource = (bind: Bind, { sourceId, includesBots, part }: PartScope): string =>
  allOf([
    `sourceId = ${bind("String", sourceId)}`,
    ...eventsOf(bind, part),
    ...(includesBots ? [] : ["NOT device.isBot"]),
  ]);

/** Selects the events of which the sessions of a period are made. */
export const sessionEventsSql = (bind: Bind, scope: PartScope, { from, to }: Period): string =>
  `${ofSource(bind, scope)} AND ${inPeriod(bind, { from: from - SESSION_MARGIN_MS, to: to + SESSION_MARGIN_MS })}`;

export interface EventConditions {
  /** Selects the events of which the sessions of the period are made. */
  readonly sessionEvents: string;
  /** Selects the events that satisfy the filters, at any time. */
  readonly filters: string;
  /** Selects the events of the period that satisfy the filters. */
  readonly events: string;
}

/** @param period the range of the query, or the period before it */
export function eventConditions(bind: Bind, scope: PartScope, period: Period): EventConditions {
  const sessionEvents = sessionEventsSql(bind, scope, period);
  const context = { sessionEvents, currency: scope.currency };
  const filters = writeFilter(bind, { kind: "and", of: scope.filters }, context);
  const events = `${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${filters})`;
  return { sessionEvents, filters, events };
}
