/** Writes the totals of a query over rollup rows instead of events. */
import { STATS_EVENT_DIMENSIONS } from "@headwater/contract/stats-words";
import { MINUTE_MS } from "../../core/time.ts";
import type { ReadFrom } from "../plan.ts";
import { SESSION_MARGIN_MS } from "./conditions.ts";
import {
  asText,
  type FilterDimension,
  hasManyValues,
  isCurrency,
  isOfTime,
  type ValueDimension,
} from "./dimensions.ts";
import {
  dimensionsOf,
  negatable,
  type QueryFilter,
  readsCurrency,
  textConditionSql,
  writeFilterTree,
} from "./filter.ts";
import { isEachGoal } from "./goals.ts";
import {
  isOfVisitorType,
  type SessionPage,
  sessionPageOf,
  type Total,
  type Totals,
  totalsOf,
  VISITORS,
} from "./metrics.ts";
import {
  dimensionColumn,
  groupDimensionColumns,
  keyColumns,
  type MetricsQuery,
  notExcepted,
  type RollupContext,
  timeColumns,
  totalColumn,
} from "./metrics-query.ts";
import { sessionsOf, sixteenthSql, undivided, visitorsOf } from "./part.ts";
import { readingsOf, sumOfWindow, visitorsByWindow } from "./rolling.ts";
import { canJoinSessionRows, eventRows, inQuarters, sessionRows } from "./rollup-rows.ts";
import { isSessionDimension, type SessionDimension, sessionDimension } from "./session-rows.ts";
import { allOf, type Bind, groupBy, list } from "./statement.ts";

/** `bothRollups`: the totals of events come from `eventRollups`, those of sessions and their dimensions from `sessionRollups`. */
type OneTable = "sessionRollups" | "eventRollups";
export type RollupTable = OneTable | "bothRollups";

/** The times of rollup rows are quarters of an hour: in every time zone, hours and days begin at one. */
const QUARTER_MS = 15 * MINUTE_MS;

const VISITORS_IN_ARRAY = "arrayUniq(groupArray(visitor))";
/**
 * Visitors are counted in 16 parts whose counts are added up: small sets that fit the processor's cache. Rows are sorted by
 * visitor, so each part is read in one go.
 */
const visitorsInArrays = (sixteenth: string) =>
  `arraySum(part -> arrayUniq(part), groupArrayResample(0, 16, 1)(visitor, ${sixteenth}))`;

const isInSessionRollups = ({ kind, name }: ValueDimension | FilterDimension): boolean =>
  kind === "text" && isSessionDimension(name);
const isInEventRollups = ({ kind, name }: ValueDimension | FilterDimension): boolean =>
  kind === "text" && STATS_EVENT_DIMENSIONS.some((one) => one === name);

const isPage = ({ kind, name }: ValueDimension): boolean => kind === "text" && name === "page";

/** Whether all conditions of a filter are on dimensions of sessions. Such a filter selects all events of a session or none. */
function isOnSessions(filter: QueryFilter): boolean {
  if (filter.kind === "condition") return isInSessionRollups(filter.dimension);
  const { of } = filter;
  return "kind" in of ? isOnSessions(of) : of.every(isOnSessions);
}

/** Whether `eventRollups` can answer a filter, with the help of `sessionRollups`. */
function isOnEvents(filter: QueryFilter): boolean {
  if (isOnSessions(filter)) return true;
  if (filter.kind === "condition") return isInEventRollups(filter.dimension);
  if (filter.kind === "sessionHas") return false;
  return "kind" in filter.of ? isOnEvents(filter.of) : filter.of.every(isOnEvents);
}

/**
 * Whether rollups give the entrances and exits of a query. The groups are those of its events, so it has a total of them, and no
 * dimension of time: a session also counts in groups of the time of its start and the page of a later event.
 */
const arePagesInRollups = ({ scope, dimensions }: MetricsQuery, totals: readonly Total[]): boolean =>
  totals.some(({ over }) => over === "events") &&
  totals.every((total) => (total.over === "sessions" ? total.page : total.rollups.eventRollups)) &&
  dimensions.every((one) => !isOfTime(one) && (isInSessionRollups(one) || isPage(one))) &&
  scope.filters.every(isOnSessions);

/** The rollup table that can answer a query; null when neither can. */
export function tableFor(query: MetricsQuery): RollupTable | null {
  const { scope, dimensions, goal, touch, clockChanges } = query;
  // the values of the totals are not used here, so nothing is bound
  const allTotals = totalsOf(() => "", query);
  const totals = [...allTotals.values()];
  const times = [
    ...readingsOf(query, allTotals).flatMap(({ query: { period, starts } }) => [
      period.from,
      period.to,
      ...starts,
    ]),
    ...clockChanges.flatMap(({ at, offsetMs }) => [at, offsetMs]),
  ];
  // a rollup is of one source
  if (scope.sourceIds.length > 1) return null;
  if (isEachGoal(goal) || scope.includesBots || touch !== null || times.some((at) => at % QUARTER_MS !== 0))
    return null;
  // the value of a goal may give an event a currency
  if (goal?.value && (scope.filters.some(readsCurrency) || dimensions.some(isCurrency))) return null;
  const areTotalsIn = (table: keyof Total["rollups"]) =>
    totals.every(({ rollups }) => rollups[table] !== undefined);
  const areDimensionsIn = (isInTable: (dimension: ValueDimension) => boolean) =>
    dimensions.every((one) => isOfTime(one) || isInTable(one));
  if (
    areTotalsIn("sessionRollups") &&
    areDimensionsIn(isInSessionRollups) &&
    scope.filters.every(isOnSessions)
  )
    return "sessionRollups";
  if (!scope.filters.every(isOnEvents)) return null;
  if (areTotalsIn("eventRollups") && areDimensionsIn(isInEventRollups)) return "eventRollups";
  if (totals.some((total) => sessionPageOf(total) !== null))
    return arePagesInRollups(query, totals) ? "bothRollups" : null;
  const isInBoth = totals.every(({ over, rollups }) =>
    over === "sessions" ? rollups.sessionRollups : rollups.eventRollups,
  );
  // sessions by the pages or names of their events take more time and memory from both tables than from events
  const isOfSessions = totals.some(({ over }) => over === "sessions");
  const areOfBoth = areDimensionsIn(
    (one) => isInSessionRollups(one) || (isInEventRollups(one) && !isOfSessions),
  );
  return isInBoth && areOfBoth ? "bothRollups" : null;
}

/** The dimensions of sessions that a filter needs. */
const filterDimensions = (filter: QueryFilter): SessionDimension[] =>
  dimensionsOf(filter).flatMap(sessionDimension);

/**
 * A filter as a condition on a rollup row.
 * @param onSessions writes a filter on sessions for rows without columns of sessions; null: the rows have these columns
 */
function filterSql(
  bind: Bind,
  filter: QueryFilter,
  onSessions: ((filter: QueryFilter) => string) | null,
): string {
  return writeFilterTree(filter, (one) => {
    if (onSessions && isOnSessions(one)) return onSessions(one);
    // a row has all dimensions of its session
    if (one.kind === "sessionHas") return filterSql(bind, one.of, onSessions);
    if (one.kind !== "condition") return null;
    return negatable(one, textConditionSql(bind, one.dimension.name, one));
  });
}

/** Whether a query counts events, by dimensions of sessions that `sessionRollups` has. */
function joinsSessionRows(query: MetricsQuery): boolean {
  const { session } = groupDimensionColumns(query);
  const totals = [...totalsOf(() => "", query).values()];
  return (
    query.touch === null &&
    totals.every((total) => total.over === "events" && !isOfVisitorType(total)) &&
    canJoinSessionRows(
      query.scope,
      session.map(({ dimension }) => dimension),
    )
  );
}

/** What a query reads: `eventRollups` with a filter on sessions needs both tables. */
export function readFrom(query: MetricsQuery): ReadFrom {
  const table = tableFor(query);
  if (table === null) return joinsSessionRows(query) ? "eventsAndSessions" : "events";
  const filtersSessions = query.scope.filters.some((filter) => filterDimensions(filter).length > 0);
  return table === "eventRollups" && filtersSessions ? "bothRollups" : table;
}

/** @param sessions a condition on the sessions that count, which those of a filter need not exceed */
function filtersSql(context: RollupContext, table: OneTable, sessions: readonly string[] = []): string[] {
  const { bind, query } = context;
  const inSessions = (filter: QueryFilter) => {
    const rows = sessionRows(context, [...new Set(filterDimensions(filter))]);
    const where = allOf([...sessions, filterSql(bind, filter, null)]);
    return `session IN (SELECT session FROM (${rows}) WHERE ${where})`;
  };
  const onSessions = table === "sessionRollups" ? null : inSessions;
  return query.scope.filters.map((filter) => filterSql(bind, filter, onSessions));
}

/** SQL that counts distinct visitors, as suits the number of events; null: the SQL of the total does. */
function visitorsSql({ query, scope: { part } }: RollupContext): string | null {
  if (!part.fitsArrays) return null;
  // 16 arrays for each of many values would take much memory
  const manyValues = query.dimensions.some((one) => !isOfTime(one) && hasManyValues(one));
  return manyValues ? VISITORS_IN_ARRAY : visitorsInArrays(sixteenthSql(part));
}

interface TableTotals {
  readonly totals: Totals;
  /** The SQL of a total over the rows; undefined: they do not have it, and it is 0. */
  readonly sqlOf: (total: Total) => string | undefined;
}

/** Groups rows by the dimensions. @returns a statement with the columns of the dimensions and of all totals */
function groupedTotals(context: RollupContext, { totals, sqlOf }: TableTotals, rows: string): string {
  const { bind, query } = context;
  const values = query.dimensions.map((one, index) => (isOfTime(one) ? dimensionColumn(index) : one.name));
  const keys = query.except === null ? values : [];
  const columns = keys.map((key, index) =>
    key === dimensionColumn(index) ? key : `${asText(key)} AS ${dimensionColumn(index)}`,
  );
  const times = timeColumns(context, "toInt64(toUnixTimestamp(quarter)) * 1000");
  const withTimes = `(SELECT ${list(["*", ...times])} FROM ${rows})`;
  if (query.windows !== null) {
    const own = keyColumns(query);
    const visits = `(SELECT ${list([...columns, "visitor"])} FROM ${withTimes})`;
    const sums = [...totals.keys()].map((name) => `toFloat64(${sumOfWindow(name)}) AS ${totalColumn(name)}`);
    return `SELECT ${list([...own, ...sums])}
      FROM (${visitorsByWindow(context, visits, "visitor")}) ${groupBy(own)}`;
  }
  const visitors = visitorsSql(context);
  const sums = [...totals].map(([name, total]) => {
    const sql = sqlOf(total) ?? "0";
    return `toFloat64(${(sql === VISITORS && visitors) || sql}) AS ${totalColumn(name)}`;
  });
  return `SELECT ${list([...columns, ...sums])} FROM ${withTimes} WHERE ${notExcepted(bind, query, values)} ${groupBy(keys)}`;
}

/** Totals of one of the tables. */
function tableTotals(context: RollupContext, totals: Totals, table: OneTable): string {
  const { bind, query, scope } = context;
  const sessionDimensions = [
    ...query.dimensions.flatMap(sessionDimension),
    ...query.scope.filters.flatMap(filterDimensions),
  ];
  const isOfSessions = table === "sessionRollups";
  const rows = isOfSessions ? sessionRows(context, [...new Set(sessionDimensions)]) : eventRows(context);
  const needsOnlySessions = [...totals.values()].every(({ over }) => over === "sessions");
  const where = allOf([
    // the rows of sessions are those of more days
    ...(isOfSessions ? [inQuarters(bind, query.period)] : []),
    ...visitorsOf(scope.part),
    ...filtersSql(context, table),
    ...(needsOnlySessions ? ["sessions > 0"] : []),
  ]);
  const sqlOf = ({ rollups }: Total) => rollups[table];
  return groupedTotals(context, { totals, sqlOf }, `(${rows}) WHERE ${where}`);
}

/** Totals of events, of which some dimensions are those of their sessions. */
function joinedEventTotals(context: RollupContext, totals: Totals): string {
  const where = allOf([...visitorsOf(context.scope.part), ...filtersSql(context, "eventRollups")]);
  const events = `SELECT * FROM (${eventRows(context)}) WHERE ${where}`;
  const dimensions = context.query.dimensions.flatMap(sessionDimension);
  const sessions = `SELECT ${list(["session", ...dimensions])} FROM (${sessionRows(context, dimensions)})`;
  const rows =
    dimensions.length === 0
      ? events
      : `SELECT * FROM (${events}) AS e ANY LEFT JOIN (${sessions}) AS s USING (session)`;
  const sqlOf = ({ over, rollups }: Total) => (over === "events" ? rollups.eventRollups : undefined);
  return groupedTotals(context, { totals, sqlOf }, `(${rows})`);
}

/**
 * Totals of the sessions that have an event of the period which satisfies the filters. A part has sessions instead of visitors: the
 * events of a session may be of another visitor than the one who opened it.
 */
function joinedSessionTotals(ofPart: RollupContext, totals: Totals): string {
  const { part } = ofPart.scope;
  const context = { ...ofPart, scope: { ...ofPart.scope, part: undivided(part) } };
  const { bind, query, scope } = context;
  const matching = allOf([...sessionsOf(part), ...filtersSql(context, "eventRollups", sessionsOf(part))]);
  const events = `SELECT session FROM (${eventRows(context)}) WHERE ${matching}`;
  const opened = allOf([
    "sessions > 0",
    inQuarters(bind, query.period),
    ...visitorsOf(scope.part),
    ...sessionsOf(part),
    `session IN (${events})`,
  ]);
  const rows = sessionRows(context, query.dimensions.flatMap(sessionDimension));
  const sqlOf = ({ over, rollups }: Total) => (over === "sessions" ? rollups.sessionRollups : undefined);
  return groupedTotals(context, { totals, sqlOf }, `(${rows}) WHERE ${opened}`);
}

/**
 * Selects sessions with an event of the period on their exit page: the last view may come after the period, and a session without a
 * view has events on other pages than none.
 */
function isExitInPeriod(ofPart: RollupContext): string {
  const { part } = ofPart.scope;
  const context = { ...ofPart, scope: { ...ofPart.scope, part: undivided(part) } };
  const { period } = context.query;
  const later = eventRows(context, { from: period.to, to: period.to + SESSION_MARGIN_MS });
  const lasting = `SELECT session FROM (${later})`;
  const from = context.rollups.hasLongSessions
    ? period.from
    : Math.max(period.from, period.to - SESSION_MARGIN_MS);
  const views = `SELECT session, ifNull(page, '') FROM (${eventRows(context, { from, to: period.to })}) WHERE session IN (${lasting})`;
  const withoutPage = `SELECT session FROM (${eventRows(context)}) WHERE isNull(page)`;
  return `if(isNull(exitPage), session IN (${withoutPage}),
    session NOT IN (${lasting}) OR (session, ifNull(exitPage, '')) IN (${views}))`;
}

/** Totals of the sessions that begin or end on the page of a group. */
function pageSessionTotals(context: RollupContext, totals: Totals, page: SessionPage): string {
  const { bind, query, scope } = context;
  const ofPage = { kind: "text", name: page } as const;
  const dimensions = query.dimensions.map((one) => (!isOfTime(one) && isPage(one) ? ofPage : one));
  const columns = [
    page,
    ...[...query.dimensions, ...query.scope.filters.flatMap(dimensionsOf)].flatMap(sessionDimension),
  ];
  const where = allOf([
    "sessions > 0",
    inQuarters(bind, query.period),
    ...visitorsOf(scope.part),
    ...filtersSql(context, "sessionRollups"),
    ...(page === "exitPage" ? [isExitInPeriod(context)] : []),
  ]);
  const rows = sessionRows(context, [...new Set(columns)]);
  const sqlOf = (total: Total) => (sessionPageOf(total) === page ? "sum(sessions)" : undefined);
  return groupedTotals(
    { ...context, query: { ...query, dimensions } },
    { totals, sqlOf },
    `(${rows}) WHERE ${where}`,
  );
}

/**
 * @param table what `tableFor` returns
 * @returns statements with the columns of the dimensions and of all totals, which are to be added up
 */
export function rollupTotals(context: RollupContext, totals: Totals, table: RollupTable): string[] {
  if (table !== "bothRollups") return [tableTotals(context, totals, table)];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  const pages = new Set([...totals.values()].map(sessionPageOf).filter((page) => page !== null));
  const sessions = kinds.has("sessions") ? [joinedSessionTotals(context, totals)] : [];
  return [
    ...(kinds.has("events") ? [joinedEventTotals(context, totals)] : []),
    ...(pages.size > 0 ? [...pages].map((page) => pageSessionTotals(context, totals, page)) : sessions),
  ];
}
