/** Writes the totals of a query over rollup rows instead of events. */
import { STATS_EVENT_DIMENSIONS } from "@headwater/contract/stats-words";
import { MINUTE_MS } from "../../core/time.ts";
import {
  asText,
  type Dimension,
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
import { type Total, type Totals, totalsOf, VISITORS } from "./metrics.ts";
import {
  dimensionColumn,
  keyColumns,
  type MetricsQuery,
  notExcepted,
  type RollupContext,
  timeColumns,
  totalColumn,
} from "./metrics-query.ts";
import { sessionsOf, sixteenthSql, undivided, visitorsOf } from "./part.ts";
import { readingsOf, sumOfWindow, visitorsByWindow } from "./rolling.ts";
import { eventRows, inQuarters, sessionRows } from "./rollup-rows.ts";
import { isSessionDimension, type SessionDimension } from "./session-rows.ts";
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

const sessionDimension = (dimension: Dimension | FilterDimension): SessionDimension[] =>
  dimension.kind === "text" && isSessionDimension(dimension.name) ? [dimension.name] : [];
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

/** What a query reads: `eventRollups` with a filter on sessions needs both tables. */
export function readFrom(query: MetricsQuery): RollupTable | "events" {
  const table = tableFor(query) ?? "events";
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

/** Which totals of a table are aggregated. The others are 0. */
interface TableTotals {
  readonly table: OneTable;
  readonly totals: Totals;
  /** null: all. */
  readonly over: Total["over"] | null;
}

/** Groups rows by the dimensions. @returns a statement with the columns of the dimensions and of all totals */
function groupedTotals(context: RollupContext, { table, totals, over }: TableTotals, rows: string): string {
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
    const sql = (total.rollups[table] === VISITORS && visitors) || total.rollups[table];
    return `toFloat64(${over === null || total.over === over ? sql : "0"}) AS ${totalColumn(name)}`;
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
  return groupedTotals(context, { table, totals, over: null }, `(${rows}) WHERE ${where}`);
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
  return groupedTotals(context, { table: "eventRollups", totals, over: "events" }, `(${rows})`);
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
  const of = { table: "sessionRollups", totals, over: "sessions" } as const;
  return groupedTotals(context, of, `(${rows}) WHERE ${opened}`);
}

/**
 * @param table what `tableFor` returns
 * @returns statements with the columns of the dimensions and of all totals, which are to be added up
 */
export function rollupTotals(context: RollupContext, totals: Totals, table: RollupTable): string[] {
  if (table !== "bothRollups") return [tableTotals(context, totals, table)];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  return [
    ...(kinds.has("events") ? [joinedEventTotals(context, totals)] : []),
    ...(kinds.has("sessions") ? [joinedSessionTotals(context, totals)] : []),
  ];
}
