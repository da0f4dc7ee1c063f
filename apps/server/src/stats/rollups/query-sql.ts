/** Writes the totals of a query over rollup rows instead of events. */
import { EVENT_ROLLUP_DIMENSIONS } from "../../clickhouse/schema/rollups.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { asText, type Dimension, hasManyValues, type ValueDimension } from "../dimensions.ts";
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
import { allOf, type Bind, groupBy, list } from "../sql.ts";
import type { RollupCoverage } from "./freshness.ts";
import { eventRows, sessionRows } from "./read.ts";
import { isSessionDimension, type SessionDimension } from "./session-rows.ts";

export type RollupTable = "sessionRollups" | "eventRollups";

/** The times of rollup rows are quarters of an hour: in every time zone, hours and days begin at one. */
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * Counting distinct visitors in arrays takes half the time of `uniqExact`, and 16 bytes of memory for each event; `uniqExact`
 * can use the disk.
 */
const MAX_EVENTS_IN_ARRAYS = 15_000_000;
const DISTINCT_IN_ARRAYS = "arrayUniq(groupArray(visitor))";
/**
 * Visitors are counted in 64 parts whose counts are added up: small sets that fit the processor's cache. Rows are sorted by
 * visitor, so each part is read in one go. Dimensions with many values need no parts: each value has few visitors.
 */
const VISITOR_PART = "bitShiftRight(visitor, 58)";
/** A value and a part as one number: grouping by it is faster than by two columns. */
const valueAndPart = (column: string) =>
  `bitShiftLeft(ifNull(CAST(sipHash64(${column}) AS Nullable(UInt64)), 0), 6) + ${VISITOR_PART}`;

const isInSessionRollups = ({ kind, name }: ValueDimension): boolean =>
  kind === "text" && isSessionDimension(name);
const isInEventRollups = ({ kind, name }: ValueDimension): boolean =>
  kind === "text" && EVENT_ROLLUP_DIMENSIONS.some((one) => one === name);

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
  { scope, dimensions, metrics }: MetricsQuery,
  { period, starts }: QueryPeriod,
): RollupTable | null {
  const times = [period.from, period.to, ...starts];
  if (scope.includesBots || times.some((at) => at % QUARTER_MS !== 0)) return null;
  // the values of the totals are not used here, so nothing is bound
  const totals = [...totalsOf(() => "", metrics).values()];
  const canAnswer = (table: RollupTable, isInTable: (dimension: ValueDimension) => boolean) =>
    totals.every(({ rollups }) => rollups[table] !== undefined) &&
    dimensions.every((one) => one.kind === "time" || isInTable(one));
  if (canAnswer("sessionRollups", isInSessionRollups) && scope.filters.every(isOnSessions))
    return "sessionRollups";
  const isOfEvents = canAnswer("eventRollups", isInEventRollups) && scope.filters.every(isOnEvents);
  return isOfEvents ? "eventRollups" : null;
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

function filtersSql(context: SqlContext, coverage: RollupCoverage, table: RollupTable): string[] {
  const { bind, query } = context;
  const inSessions = (filter: QueryFilter) => {
    const rows = sessionRows(context, coverage, [...new Set(filterDimensions(filter))]);
    return `session IN (SELECT session FROM (${rows}) WHERE ${filterSql(bind, filter, null)})`;
  };
  const onSessions = table === "sessionRollups" ? null : inSessions;
  return query.scope.filters.map((filter) => filterSql(bind, filter, onSessions));
}

/** Columns to group by and to select. They differ when visitors are counted in parts. */
function groupsOf({ dimensions }: MetricsQuery, isInParts: boolean): { keys: string[]; columns: string[] } {
  const isOneValue = dimensions.length === 1 && dimensions[0]?.kind !== "time";
  const keys: string[] = [];
  const columns: string[] = [];
  for (const [index, dimension] of dimensions.entries()) {
    const column = dimensionColumn(index);
    const isTime = dimension.kind === "time";
    const name = isTime ? column : dimension.name;
    const combined = isInParts && isOneValue;
    keys.push(combined ? valueAndPart(name) : name);
    columns.push(isTime ? column : `${asText(combined ? `any(${name})` : name)} AS ${column}`);
  }
  if (isInParts && !isOneValue) keys.push(VISITOR_PART);
  return { keys, columns };
}

/**
 * @param table what `tableFor` returns
 * @returns a statement with the columns of the dimensions and of all totals
 */
export function rollupTotals(
  context: SqlContext,
  totals: ReadonlyMap<string, Total>,
  coverage: RollupCoverage,
  table: RollupTable,
): string {
  const { bind, query, queryPeriod } = context;
  const { from, to } = queryPeriod.period;
  const sessionDimensions = [
    ...query.dimensions.flatMap(sessionDimension),
    ...query.scope.filters.flatMap(filterDimensions),
  ];
  const rows =
    table === "sessionRollups"
      ? sessionRows(context, coverage, [...new Set(sessionDimensions)])
      : eventRows(context, coverage);
  const needsOnlySessions = [...totals.values()].every(({ over }) => over === "sessions");
  const quarterSql = (at: number) => `toDateTime(${bind("Int64", at / SECOND_MS)}, 'UTC')`;
  const where = allOf([
    `quarter >= ${quarterSql(from)} AND quarter < ${quarterSql(to)}`,
    ...filtersSql(context, coverage, table),
    ...(needsOnlySessions ? ["sessions > 0"] : []),
  ]);
  const times = query.dimensions.flatMap((dimension, index) =>
    dimension.kind === "time"
      ? [
          `${bucketSql(bind, "toInt64(toUnixTimestamp(quarter)) * 1000", queryPeriod)} AS ${dimensionColumn(index)}`,
        ]
      : [],
  );
  const inArrays = totals.has("visitors") && coverage.events < MAX_EVENTS_IN_ARRAYS;
  const manyValues = query.dimensions.some((one) => one.kind !== "time" && hasManyValues(one));
  // one user may have visitors in several parts
  const { keys, columns } = groupsOf(query, inArrays && !totals.has("users") && !manyValues);
  const sums = [...totals].map(([name, { rollups }]) => {
    const sql = name === "visitors" && inArrays ? DISTINCT_IN_ARRAYS : rollups[table];
    return `toFloat64(${sql}) AS ${totalColumn(name)}`;
  });
  return `SELECT ${list([...columns, ...sums])}
    FROM (SELECT ${list(["*", ...times])} FROM (${rows}) WHERE ${where}) ${groupBy(keys)}`;
}
