/** The conditions that the statements of all questions share: source, part, period and filters. */

import type { StatsAccuracyChoice } from "@headwater/contract";
import { OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { MIN_QUERY_TIME, SECOND_MS, utcDay } from "../../core/time.ts";
import { clockChanges, type Period, type QueryRange } from "../calendar.ts";
import {
  type ClockDimension,
  clockSql,
  type Dimension,
  firstVisitColumns,
  isOfFirstVisit,
  type QueriedTexts,
} from "./dimensions.ts";
import { dimensionsOf, type QueryFilter, writeFilter } from "./filter.ts";
import { eventsOf, type QueryPart, WHOLE } from "./part.ts";
import { allOf, type Bind, bindTime, list } from "./statement.ts";

/** The members that all queries have, as they were read from the body. */
export interface QueryScope {
  /** The first of `sourceIds`. */
  readonly sourceId: string;
  readonly sourceIds: readonly string[];
  readonly zone: string;
  readonly range: QueryRange;
  readonly filters: readonly QueryFilter[];
  readonly includesBots: boolean;
  readonly texts: QueriedTexts;
  readonly accuracy: StatsAccuracyChoice;
}

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

/** Selects what is of the sources of a question. */
export const isOfSources = (
  bind: Bind,
  { sourceId, sourceIds }: Pick<QueryScope, "sourceId" | "sourceIds">,
): string =>
  sourceIds.length === 1
    ? `sourceId = ${bind("String", sourceId)}`
    : `sourceId IN ${bind("Array(String)", sourceIds)}`;

/** Selects the part's events of the sources, without bots unless the query includes them. */
export const ofSource = (bind: Bind, { includesBots, part, ...scope }: PartScope): string =>
  allOf([isOfSources(bind, scope), ...eventsOf(bind, part), ...(includesBots ? [] : ["NOT device.isBot"])]);

/** Selects the events of which the sessions of a period are made. */
export const sessionEventsSql = (bind: Bind, scope: PartScope, { from, to }: Period): string =>
  `${ofSource(bind, scope)} AND ${inPeriod(bind, { from: from - SESSION_MARGIN_MS, to: to + SESSION_MARGIN_MS })}`;

/** All time until the end of the sessions of a period: the first visits of visitors are in it. */
export const historyOf = ({ to }: Period): Period => ({ from: MIN_QUERY_TIME, to: to + SESSION_MARGIN_MS });

/** Whether a query with these dimensions needs the first visits of visitors. */
export const readsFirstVisits = (
  { filters }: Pick<QueryScope, "filters">,
  dimensions: readonly Dimension[] = [],
): boolean => [...filters.flatMap(dimensionsOf), ...dimensions].some(isOfFirstVisit);

/** The table `events`, joined with the first visits of the visitors if one of the dimensions needs them. */
export function eventsTable(
  bind: Bind,
  { part, ...scope }: PartScope,
  period: Period,
  dimensions: readonly Dimension[],
): string {
  const ofFirstVisits = dimensions.filter(isOfFirstVisit);
  if (ofFirstVisits.length === 0) return "events";
  // a visitor of some sessions may have had the first visit in another one
  const ofVisitors = part.share.kind === "sessions" ? WHOLE : part;
  const events = allOf([
    ofSource(bind, { ...scope, part: ofVisitors }),
    inPeriod(bind, historyOf(period)),
    OPENS_SESSION,
  ]);
  const columns = new Set(["visitor", ...firstVisitColumns(ofFirstVisits)]);
  return `events LEFT JOIN (SELECT ${list([...columns])} FROM events WHERE ${events} GROUP BY visitor) AS firstVisits USING (visitor)`;
}

/** The SQL of the clock at the time of an event that a filter sees. */
const clockFor =
  (bind: Bind, { zone }: QueryScope, { from, to }: Period) =>
  (dimension: ClockDimension): string => {
    const changes = clockChanges(zone, { from: from - SESSION_MARGIN_MS, to: to + SESSION_MARGIN_MS });
    return clockSql(bind, dimension, "toUnixTimestamp64Milli(occurredAt)", changes);
  };

/** Writes the filters of a scope. @param sessionEvents selects the events of which the sessions of the period are made */
export const filtersSql = (bind: Bind, scope: PartScope, period: Period, sessionEvents: string): string =>
  writeFilter(
    bind,
    { kind: "and", of: scope.filters },
    {
      table: eventsTable(bind, scope, period, scope.filters.flatMap(dimensionsOf)),
      sessionEvents,
      texts: scope.texts,
      clock: clockFor(bind, scope, period),
    },
  );

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
  const filters = filtersSql(bind, scope, period, sessionEvents);
  const events = `${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${filters})`;
  return { sessionEvents, filters, events };
}
