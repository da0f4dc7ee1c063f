/** Writes the totals of a query over rollup rows instead of events. */
import { MINUTE_MS } from "../../core/time.ts";
import { inSlice, sixteenthSql } from "../accuracy.ts";
import { isCurrency, readsCurrency } from "../currency.ts";
import { asText, type Dimension, hasManyValues, isEventLevel, type ValueDimension } from "../dimensions.ts";
import { type QueryFilter, textConditionSql, writeFilterTree } from "../filter.ts";
import { type Total, totalsOf } from "../metrics.ts";
import {
  bucketSql,
  dimensionColumn,
  type MetricsQuery,
  type QueryPeriod,
  type SqlContext,
  totalColumn,
} from "../metrics-query.ts";
import { SESSION_MARGIN_MS } from "../scope.ts";
import { allOf, type Bind, groupBy, list } from "../sql.ts";
import type { RollupCoverage } from "./freshness.ts";
import { eventRows, inQuarters, sessionRows, visitorConditions } from "./read.ts";
import { isSessionDimension, type SessionDimension } from "./session-rows.ts";

/** `bothRollups`: the totals of events come from `eventRollups`, those of sessions and their dimensions from `sessionRollups`. */
export type RollupTable = "sessionRollups" | "eventRollups" | "bothRollups";

/** The times of rollup rows are quarters of an hour: in every time zone, hours and days begin at one. */
const QUARTER_MS = 15 * MINUTE_MS;

const VISITORS_IN_ARRAY = "arrayUniq(groupArray(visitor))";
/**
 * Visitors are counted in 16 parts whose counts are added up: small sets that fit the processor's cache. Rows are sorted by
 * visitor, so each part is read in one go.
 */
const visitorsInArrays = (readers: number) =>
  `arraySum(part -> arrayUniq(part), groupArrayResample(0, 16, 1)(visitor, ${sixteenthSql(readers)}))`;

const isInSessionRollups = ({ kind, name }: ValueDimension): boolean =>
  kind === "text" && isSessionDimension(name);
const isInEventRollups = (dimension: ValueDimension): boolean =>
  dimension.kind === "text" && isEventLevel(dimension);

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
export function tableFor(
  { scope, dimensions, metrics, goal, firstTouchWindowMs }: MetricsQuery,
  { period, starts }: QueryPeriod,
): RollupTable | null {
  const times = [period.from, period.to, ...starts];
  if (scope.includesBots || firstTouchWindowMs !== null || times.some((at) => at % QUARTER_MS !== 0))
    return null;
  // the value of a goal may give an event a currency
  if (goal?.value && (scope.filters.some(readsCurrency) || dimensions.some(isCurrency))) return null;
  // the values of the totals are not used here, so nothing is bound
  const totals = [...totalsOf(() => "", metrics, goal).values()];
  const areTotalsIn = (table: keyof Total["rollups"]) =>
    totals.every(({ rollups }) => rollups[table] !== undefined);
  const areDimensionsIn = (isInTable: (dimension: ValueDimension) => boolean) =>
    dimensions.every((one) => one.kind === "time" || isInTable(one));
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

const sessionDimension = (dimension: Dimension): SessionDimension[] =>
  dimension.kind === "text" && isSessionDimension(dimension.name) ? [dimension.name] : [];
/** The dimensions of sessions that a filter needs. */
function filterDimensions(filter: QueryFilter): SessionDimension[] {
  if (filter.kind === "condition") return sessionDimension(filter.dimension);
  return "kind" in filter.of ? filterDimensions(filter.of) : filter.of.flatMap(filterDimensions);
}

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
    const sql = textConditionSql(bind, one.dimension.name, one);
    return one.operator === "is_not" ? `NOT (${sql})` : sql;
  });
}

/** Whether `sessionRollups` are read to find the sessions of a filter. */
export const filtersSessions = ({ scope }: MetricsQuery): boolean =>
  scope.filters.some((filter) => filterDimensions(filter).length > 0);

/** @param sessions a condition on the sessions that count, which those of a filter need not exceed */
function filtersSql(
  context: SqlContext,
  coverage: RollupCoverage,
  table: RollupTable,
  sessions: readonly string[] = [],
): string[] {
  const { bind, query } = context;
  const inSessions = (filter: QueryFilter) => {
    const rows = sessionRows(context, coverage, [...new Set(filterDimensions(filter))]);
    const where = allOf([...sessions, filterSql(bind, filter, null)]);
    return `session IN (SELECT session FROM (${rows}) WHERE ${where})`;
  };
  const onSessions = table === "sessionRollups" ? null : inSessions;
  return query.scope.filters.map((filter) => filterSql(bind, filter, onSessions));
}

/** Columns to group by, and their values to select. */
function groupsOf({ query: { dimensions } }: SqlContext): { keys: string[]; columns: string[] } {
  const keys = dimensions.map((one, index) => (one.kind === "time" ? dimensionColumn(index) : one.name));
  const columns = dimensions.map((one, index) =>
    one.kind === "time" ? dimensionColumn(index) : `${asText(one.name)} AS ${dimensionColumn(index)}`,
  );
  return { keys, columns };
}

/** SQL that counts distinct visitors, as suits the number of events; null: the SQL of the total does. */
function visitorsSql(
  { query, slice }: SqlContext,
  { events, maxEventsAtOnce }: RollupCoverage,
): string | null {
  const readers = query.scope.sample * (slice?.of ?? 1);
  if (events > maxEventsAtOnce * readers) return null;
  // 16 arrays for each of many values would take much memory
  const manyValues = query.dimensions.some((one) => one.kind !== "time" && hasManyValues(one));
  return manyValues ? VISITORS_IN_ARRAY : visitorsInArrays(readers);
}

const totalSql = (
  name: string,
  { rollups }: Total,
  { table, visitors }: Pick<TotalsOf, "table" | "visitors">,
): string | undefined => (name === "visitors" && visitors) || rollups[table];

const timesOf = ({ bind, query, queryPeriod }: SqlContext): string[] =>
  query.dimensions.flatMap((dimension, index) =>
    dimension.kind === "time"
      ? [
          `${bucketSql(bind, "toInt64(toUnixTimestamp(quarter)) * 1000", queryPeriod)} AS ${dimensionColumn(index)}`,
        ]
      : [],
  );

/**
 * Totals of one of the tables.
 * @returns a statement with the columns of the dimensions and of all totals
 */
function tableTotals(
  context: SqlContext,
  totals: ReadonlyMap<string, Total>,
  coverage: RollupCoverage,
  table: "sessionRollups" | "eventRollups",
): string {
  const { bind, query, queryPeriod } = context;
  const sessionDimensions = [
    ...query.dimensions.flatMap(sessionDimension),
    ...query.scope.filters.flatMap(filterDimensions),
  ];
  const rows =
    table === "sessionRollups"
      ? sessionRows(context, coverage, [...new Set(sessionDimensions)])
      : eventRows(context, coverage);
  const needsOnlySessions = [...totals.values()].every(({ over }) => over === "sessions");
  const where = allOf([
    // the rows of sessions are those of more days
    ...(table === "sessionRollups" ? [inQuarters(bind, queryPeriod.period)] : []),
    ...visitorConditions(context),
    ...filtersSql(context, coverage, table),
    ...(needsOnlySessions ? ["sessions > 0"] : []),
  ]);
  const { keys, columns } = groupsOf(context);
  const visitors = visitorsSql(context, coverage);
  const sums = [...totals].map(
    ([name, total]) => `toFloat64(${totalSql(name, total, { table, visitors })}) AS ${totalColumn(name)}`,
  );
  return `SELECT ${list([...columns, ...sums])}
    FROM (SELECT ${list(["*", ...timesOf(context)])} FROM (${rows}) WHERE ${where}) ${groupBy(keys)}`;
}

interface TotalsOf {
  readonly over: Total["over"];
  readonly table: "sessionRollups" | "eventRollups";
  readonly visitors: string | null;
}

/** Groups rows by the dimensions. Totals that the rows do not have are 0. */
function groupedTotals(context: SqlContext, totals: ReadonlyMap<string, Total>, of: TotalsOf, rows: string) {
  const { keys, columns } = groupsOf(context);
  const sums = [...totals].map(
    ([name, total]) =>
      `toFloat64(${total.over === of.over ? totalSql(name, total, of) : "0"}) AS ${totalColumn(name)}`,
  );
  return `SELECT ${list([...columns, ...sums])} FROM (SELECT ${list(["*", ...timesOf(context)])} FROM (${rows})) ${groupBy(keys)}`;
}

/** Totals of events, of which some dimensions are those of their sessions. */
function joinedEventTotals(
  context: SqlContext,
  totals: ReadonlyMap<string, Total>,
  coverage: RollupCoverage,
): string {
  const { query } = context;
  const where = allOf([...visitorConditions(context), ...filtersSql(context, coverage, "eventRollups")]);
  const events = `SELECT * FROM (${eventRows(context, coverage)}) WHERE ${where}`;
  const dimensions = query.dimensions.flatMap(sessionDimension);
  const sessions = `SELECT ${list(["session", ...dimensions])} FROM (${sessionRows(context, coverage, dimensions)})`;
  const rows =
    dimensions.length === 0
      ? events
      : `SELECT * FROM (${events}) AS e ANY LEFT JOIN (${sessions}) AS s USING (session)`;
  const visitors = visitorsSql(context, coverage);
  return groupedTotals(context, totals, { over: "events", table: "eventRollups", visitors }, rows);
}

/**
 * Totals of the sessions that have an event which satisfies the filters, at any time. A slice has sessions instead of visitors: the
 * events of a session may be of another visitor than the one who opened it.
 */
function joinedSessionTotals(
  context: SqlContext,
  totals: ReadonlyMap<string, Total>,
  coverage: RollupCoverage,
): string {
  const { bind, query, queryPeriod } = context;
  const { from, to } = queryPeriod.period;
  const around = { from: from - SESSION_MARGIN_MS, to: to + SESSION_MARGIN_MS };
  const ofSlice = context.slice === null ? [] : [inSlice(context.slice, "session")];
  const all = { ...context, slice: null };
  const matching = allOf([...ofSlice, ...filtersSql(all, coverage, "eventRollups", ofSlice)]);
  const events = `SELECT session FROM (${eventRows(all, coverage, around)}) WHERE ${matching}`;
  const opened = allOf([
    "sessions > 0",
    inQuarters(bind, queryPeriod.period),
    ...visitorConditions(all),
    ...ofSlice,
    `session IN (${events})`,
  ]);
  const dimensions = query.dimensions.flatMap(sessionDimension);
  const rows = `SELECT * FROM (${sessionRows(all, coverage, dimensions)}) WHERE ${opened}`;
  const of = { over: "sessions", table: "sessionRollups", visitors: null } as const;
  return groupedTotals(context, totals, of, rows);
}

/**
 * @param table what `tableFor` returns
 * @returns statements with the columns of the dimensions and of all totals, which are to be added up
 */
export function rollupTotals(
  context: SqlContext,
  totals: ReadonlyMap<string, Total>,
  coverage: RollupCoverage,
  table: RollupTable,
): string[] {
  if (table !== "bothRollups") return [tableTotals(context, totals, coverage, table)];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  return [
    ...(kinds.has("events") ? [joinedEventTotals(context, totals, coverage)] : []),
    ...(kinds.has("sessions") ? [joinedSessionTotals(context, totals, coverage)] : []),
  ];
}
