/**
 * Writes a query of metrics as one SQL statement. Subqueries aggregate events and sessions separately, because a session
 * counts in the time bucket of its first event. The statement then adds up their totals by group.
 */
import { IS_ACTION, IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { sessionValueSql, valueSql } from "./dimensions.ts";
import { isCountedSql, metricAt, type Total, totalsOf } from "./metrics.ts";
import {
  bucketSql,
  dimensionColumn,
  groupDimensionColumns,
  type MetricsQuery,
  metricColumn,
  type QueryPeriod,
  type SqlContext,
  totalColumn,
  type ValueColumn,
} from "./metrics-query.ts";
import type { RollupCoverage } from "./rollups/freshness.ts";
import { rollupTotals, tableFor } from "./rollups/query-sql.ts";
import { type EventConditions, eventConditions, inPeriod } from "./scope.ts";
import { allOf, anyOf, type Bind, groupBy, list, type Statement, statement } from "./sql.ts";

type Totals = ReadonlyMap<string, Total>;
interface EventSqlContext extends SqlContext {
  readonly totals: Totals;
  readonly conditions: EventConditions;
}
/** A subquery that totals are aggregated from. */
interface Relation {
  /** The subquery, which has the columns of the dimensions. */
  readonly from: string;
  /** The SQL that aggregates each total, by the total's name. */
  readonly aggregates: ReadonlyMap<string, string>;
}

const dimensionValues = (bind: Bind, columns: readonly ValueColumn[]) =>
  columns.map(({ dimension, column }) => `${valueSql(bind, dimension)} AS ${column}`);
const timeBuckets = ({ bind, query, queryPeriod }: SqlContext, time: string) =>
  groupDimensionColumns(query).time.map(
    (column) => `${bucketSql(bind, `toUnixTimestamp64Milli(${time})`, queryPeriod)} AS ${column}`,
  );

/** The columns that `SessionTotal.value` reads. */
const SESSION_COLUMNS = [
  "min(occurredAt) AS startedAt",
  "max(occurredAt) AS endedAt",
  `countIf(${IS_PAGE_VIEW}) AS pageViews`,
  `countIf(${IS_ACTION}) AS actions`,
];

/** Selects a row for each session of the period, with the session's dimensions and the given columns. */
function sessionsFrom({ query, conditions }: EventSqlContext, columns: readonly string[]): string {
  const values = groupDimensionColumns(query).session.flatMap(({ dimension, column }) =>
    dimension.kind === "text" ? [`${sessionValueSql(dimension.name)} AS ${column}`] : [],
  );
  return `SELECT ${list(["session", ...values, ...columns])}
    FROM events WHERE ${conditions.sessionEvents} GROUP BY session`;
}

/**
 * The SQL functions of a total: either `overEvents` over all events, or `perSession` over the events of each session and
 * then `overSessions` over those results.
 */
const AGGREGATES = {
  count: { overEvents: "count", perSession: "count", overSessions: "sum" },
  distinct: { overEvents: "uniqExact", perSession: "groupUniqArray", overSessions: "uniqExactArray" },
  sum: { overEvents: "sum", perSession: "sum", overSessions: "sum" },
} as const;

/** Totals of events, by any dimensions. Joins the events with their sessions when a dimension is of sessions. */
function eventTotals(context: EventSqlContext): Relation {
  const { bind, query, totals, conditions } = context;
  const { event, session } = groupDimensionColumns(query);
  const columns = ["session", ...timeBuckets(context, "occurredAt"), ...dimensionValues(bind, event)];
  const aggregates = new Map<string, string>();
  for (const [name, total] of totals) {
    if (total.over === "sessions") continue;
    const [value, isCounted] = [`${name}Value`, `${name}IsCounted`];
    const { overEvents } = AGGREGATES[total.aggregate];
    columns.push(`${total.value} AS ${value}`, `${isCountedSql(bind, total, query.goal)} AS ${isCounted}`);
    const countsAll = total.countedEvents === "all";
    aggregates.set(name, countsAll ? `${overEvents}(${value})` : `${overEvents}If(${value}, ${isCounted})`);
  }
  const events = `(SELECT ${list(columns)} FROM events WHERE ${conditions.events})`;
  const joined = `${events} AS e INNER JOIN (${sessionsFrom(context, [])}) AS s USING (session)`;
  return { from: session.length === 0 ? events : joined, aggregates };
}

const sessionAggregates = (totals: Totals) =>
  [...totals].flatMap(([name, total]): [string, string][] =>
    total.over === "sessions" ? [[name, `sum(${total.value})`]] : [],
  );

/** Totals of sessions, by any dimensions. A session counts once in each group that one of its events is in. */
function sessionTotals(context: EventSqlContext): Relation {
  const { bind, query, queryPeriod, totals, conditions } = context;
  const { event } = groupDimensionColumns(query);
  const values = event.map(({ dimension }) => valueSql(bind, dimension));
  const hasGroups = event.length > 0;
  const sessions = sessionsFrom(context, [
    ...SESSION_COLUMNS,
    hasGroups
      ? `groupUniqArrayIf(tuple(${list(values)}), ${conditions.filters}) AS groups`
      : `max(${conditions.filters}) AS matchesFilters`,
  ]);
  const columns = [
    "*",
    ...event.map(({ column }, index) => `tupleElement(eventGroup, ${index + 1}) AS ${column}`),
    ...timeBuckets(context, "startedAt"),
  ];
  const where = allOf([
    inPeriod(bind, queryPeriod.period, "startedAt"),
    ...(hasGroups ? [] : ["matchesFilters"]),
  ]);
  const arrayJoin = hasGroups ? "ARRAY JOIN groups AS eventGroup" : "";
  return {
    from: `(SELECT ${list(columns)} FROM (${sessions}) ${arrayJoin} WHERE ${where})`,
    aggregates: new Map(sessionAggregates(totals)),
  };
}

/**
 * Totals of events and of sessions, when all dimensions are of sessions. It reads the events once and groups them by session,
 * which takes a third of the time of joining events with sessions.
 */
function totalsBySession(context: EventSqlContext): Relation {
  const { bind, query, queryPeriod, totals, conditions } = context;
  const eventMatches = `${inPeriod(bind, queryPeriod.period)} AND (${conditions.filters})`;
  const startsInPeriod = inPeriod(bind, queryPeriod.period, "startedAt");
  const columns = [
    ...SESSION_COLUMNS,
    `countIf(${eventMatches}) AS matchingEvents`,
    `max(${conditions.filters}) AND ${startsInPeriod} AS sessionMatches`,
  ];
  const aggregates = new Map<string, string>();
  const sessionRowConditions = new Set<string>();
  for (const [name, total] of totals) {
    if (total.over === "sessions") {
      sessionRowConditions.add("sessionMatches");
      aggregates.set(name, `sumIf(${total.value}, sessionMatches)`);
      continue;
    }
    const { perSession, overSessions } = AGGREGATES[total.aggregate];
    const condition = allOf([eventMatches, isCountedSql(bind, total, query.goal)]);
    columns.push(`${perSession}If(${total.value}, ${condition}) AS ${name}OfSession`);
    sessionRowConditions.add("matchingEvents > 0");
    aggregates.set(name, `${overSessions}(${name}OfSession)`);
  }
  const from = `(SELECT * FROM (${sessionsFrom(context, columns)}) WHERE ${anyOf([...sessionRowConditions])})`;
  return { from, aggregates };
}

const keysOf = ({ dimensions }: MetricsQuery) => dimensions.map((_, index) => dimensionColumn(index));

/** Subqueries that compute the totals from events. Each has the columns of the dimensions and of all totals. */
function subqueriesFromEvents(context: SqlContext, totals: Totals): string[] {
  const { bind, query, queryPeriod } = context;
  const keys = keysOf(query);
  const conditions = eventConditions(bind, query.scope, queryPeriod.period);
  const eventContext: EventSqlContext = { ...context, totals, conditions };
  const write = ({ from, aggregates }: Relation) => {
    const sums = [...totals.keys()].map(
      (name) => `toFloat64(${aggregates.get(name) ?? "0"}) AS ${totalColumn(name)}`,
    );
    return `SELECT ${list([...keys, ...sums])} FROM ${from} ${groupBy(keys)}`;
  };
  const { time, event } = groupDimensionColumns(query);
  if (keys.length > 0 && time.length + event.length === 0) return [write(totalsBySession(eventContext))];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  return [
    ...(kinds.has("events") ? [write(eventTotals(eventContext))] : []),
    ...(kinds.has("sessions") ? [write(sessionTotals(eventContext))] : []),
  ];
}

/** A hash of a group's dimensions. With it, the query of the comparison period selects the groups of the main result. */
const groupHash = (keys: readonly string[]) =>
  `toString(sipHash64(${list(keys.flatMap((key) => [`isNull(${key})`, `ifNull(toString(${key}), '')`])) || "1"}))`;

/**
 * @param coverage the rollups to read; null: compute all totals from events
 * @returns rows with the dimensions, the metrics, and the hash of the group
 */
export function metricsStatement(
  query: MetricsQuery,
  queryPeriod: QueryPeriod,
  coverage: RollupCoverage | null,
): Statement {
  return statement((bind) => {
    const context: SqlContext = { bind, query, queryPeriod };
    const keys = keysOf(query);
    const totals = totalsOf(bind, query.metrics);
    const table = coverage && tableFor(query, queryPeriod);
    const relations =
      coverage && table
        ? [rollupTotals(context, totals, coverage, table)]
        : subqueriesFromEvents(context, totals);
    const sums = [...totals.keys()].map((name) => `sum(${totalColumn(name)}) AS ${name}`);
    const rows = `SELECT ${list([...keys, ...sums])} FROM (${relations.join(" UNION ALL ")}) ${groupBy(keys)}`;
    const metrics = query.metrics.map(
      (metric, index) => `${metricAt(metric, index).sql} AS ${metricColumn(index)}`,
    );
    const hash = groupHash(keys);
    const order = [
      ...query.order.map(
        ({ column, isDescending }) => `${column} ${isDescending ? "DESC" : "ASC"} NULLS LAST`,
      ),
      ...keys.map((key) => `${key} ASC NULLS LAST`),
    ];
    return `SELECT ${list([...keys, ...metrics, `${hash} AS groupHash`])} FROM (${rows})
      ${queryPeriod.groups ? `WHERE ${hash} IN ${bind("Array(String)", queryPeriod.groups)}` : ""}
      ${order.length > 0 ? `ORDER BY ${list(order)}` : ""}
      LIMIT ${bind("UInt32", query.limit)} OFFSET ${bind("UInt32", query.offset)}`;
  });
}
