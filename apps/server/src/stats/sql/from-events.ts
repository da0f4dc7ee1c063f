/**
 * Writes the totals of a query over events. Subqueries aggregate events and sessions separately, because a session counts in the
 * time bucket of its first event.
 */
import { IS_ACTION, IS_PAGE_VIEW, OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import { type EventConditions, eventConditions, isWithin } from "./conditions.ts";
import { sessionValueSql, valueSql } from "./dimensions.ts";
import { withFirstTouch } from "./first-touch.ts";
import { goalSql } from "./goals.ts";
import type { EventTotal, Total, Totals } from "./metrics.ts";
import {
  bucketColumns,
  dimensionColumn,
  groupDimensionColumns,
  type SqlContext,
  totalColumn,
  type ValueColumn,
} from "./metrics-query.ts";
import { allOf, anyOf, groupBy, list } from "./statement.ts";

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

const dimensionValues = ({ bind, query }: SqlContext, columns: readonly ValueColumn[]) =>
  columns.map(({ dimension, column }) => `${valueSql(bind, dimension, query.scope.currency)} AS ${column}`);
const timeBuckets = (context: SqlContext, time: string) =>
  bucketColumns(context, `toUnixTimestamp64Milli(${time})`);

/** The columns that `SessionTotal.value` reads. */
const sessionColumns = (context: SqlContext): string[] => [
  `minIf(occurredAt, ${OPENS_SESSION}) AS startedAt`,
  "max(occurredAt) AS endedAt",
  `countIf(${IS_PAGE_VIEW}) AS pageViews`,
  `countIf(${IS_ACTION}) AS actions`,
  "sum(toFloat64(engagedSeconds)) AS sessionSeconds",
  ...(context.query.goal === null
    ? []
    : [`max(${goalSql(context.bind, context.query.goal)}) AS reachedGoal`]),
];

/** Selects a row for each session of the period, with the session's dimensions and the given columns. */
function sessionsFrom({ query, conditions }: EventSqlContext, columns: readonly string[]): string {
  const values = groupDimensionColumns(query).session.flatMap(({ dimension, column }) =>
    dimension.kind === "text" ? [`${sessionValueSql(dimension.name)} AS ${column}`] : [],
  );
  return `SELECT ${list(["session", ...values, ...columns])}
    FROM events WHERE ${conditions.sessionEvents} GROUP BY session`;
}

/** Writes an aggregate function of a value. `condition` is SQL; null: all rows count. */
type Aggregate = (value: string, condition: string | null) => string;
const aggregate =
  (name: string, parameters = ""): Aggregate =>
  (value, condition) =>
    condition === null ? `${name}${parameters}(${value})` : `${name}If${parameters}(${value}, ${condition})`;
const overAll = (name: string, parameters?: string) => (column: string) =>
  aggregate(name, parameters)(column, null);
const sumOfMaxima: Aggregate = (value, condition) =>
  `arraySum(mapValues(${aggregate("maxMap")(value, condition)}))`;
/** An exact percentile of no values is NaN. */
const orNull = (sql: string) => `if(isNaN(${sql}), NULL, ${sql})`;
const P75 = "quantileExactInclusive";
const P75_LEVEL = "(0.75)";

/**
 * The SQL functions of a total: either `overEvents` over all events, or `perSession` over the events of each session and
 * then `overSessions` over those results.
 */
const AGGREGATES: Readonly<
  Record<
    EventTotal["aggregate"],
    {
      readonly overEvents: Aggregate;
      readonly perSession: Aggregate;
      readonly overSessions: (column: string) => string;
    }
  >
> = {
  count: { overEvents: aggregate("count"), perSession: aggregate("count"), overSessions: overAll("sum") },
  distinct: {
    overEvents: aggregate("uniqExact"),
    perSession: aggregate("groupUniqArray"),
    overSessions: overAll("uniqExactArray"),
  },
  distinctOfSession: {
    overEvents: aggregate("uniqExact"),
    perSession: aggregate("uniqExact"),
    overSessions: overAll("sum"),
  },
  sum: { overEvents: aggregate("sum"), perSession: aggregate("sum"), overSessions: overAll("sum") },
  sumOfMaxima: { overEvents: sumOfMaxima, perSession: sumOfMaxima, overSessions: overAll("sum") },
  p75: {
    overEvents: (value, condition) => orNull(aggregate(P75, P75_LEVEL)(value, condition)),
    perSession: aggregate("groupArray"),
    overSessions: (column) => orNull(overAll(`${P75}Array`, P75_LEVEL)(column)),
  },
};
/** The value of a total in a subquery that does not compute it. The values of all subqueries are added up. */
const absentValue = (total: Total) => (total.over === "events" && total.aggregate === "p75" ? "NULL" : "0");

/** Totals of events, by any dimensions. Joins the events with their sessions when a dimension is of sessions. */
function eventTotals(context: EventSqlContext): Relation {
  const { bind, query, totals, conditions } = context;
  const { event, session } = groupDimensionColumns(query);
  const { firstTouchWindowMs: windowMs } = query;
  const columns = ["session", ...timeBuckets(context, "occurredAt"), ...dimensionValues(context, event)];
  if (windowMs !== null) columns.push("visitor", "toUnixTimestamp64Milli(occurredAt) AS eventMs");
  const aggregates = new Map<string, string>();
  for (const [name, total] of totals) {
    if (total.over === "sessions") continue;
    const [value, isCounted] = [`${name}Value`, `${name}IsCounted`];
    const condition = total.condition?.(bind, query.goal) ?? null;
    columns.push(`${total.value} AS ${value}`, `${condition ?? "1"} AS ${isCounted}`);
    aggregates.set(name, AGGREGATES[total.aggregate].overEvents(value, condition && isCounted));
  }
  const events = `(SELECT ${list(columns)} FROM events WHERE ${conditions.events})`;
  const joined = `${events} AS e INNER JOIN (${sessionsFrom(context, [])}) AS s USING (session)`;
  if (windowMs !== null)
    return { from: withFirstTouch(context, `(SELECT * FROM ${joined})`, windowMs), aggregates };
  return { from: session.length === 0 ? events : joined, aggregates };
}

const sessionAggregates = (totals: Totals) =>
  [...totals].flatMap(([name, total]): [string, string][] =>
    total.over === "sessions" ? [[name, `sum(${total.value})`]] : [],
  );

/** Totals of sessions, by any dimensions. A session counts once in each group that one of its events is in. */
function sessionTotals(context: EventSqlContext): Relation {
  const { bind, query, totals, conditions } = context;
  const { event } = groupDimensionColumns(query);
  const values = event.map(({ dimension }) => valueSql(bind, dimension, query.scope.currency));
  const hasGroups = event.length > 0;
  const sessions = sessionsFrom(context, [
    ...sessionColumns(context),
    hasGroups
      ? `groupUniqArrayIf(tuple(${list(values)}), ${conditions.filters}) AS groups`
      : `max(${conditions.filters}) AS matchesFilters`,
  ]);
  const columns = [
    "*",
    ...event.map(({ column }, index) => `tupleElement(eventGroup, ${index + 1}) AS ${column}`),
    ...timeBuckets(context, "startedAt"),
  ];
  const where = allOf([isWithin(bind, "startedAt", query.period), ...(hasGroups ? [] : ["matchesFilters"])]);
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
  const { bind, query, totals, conditions } = context;
  const eventMatches = `${isWithin(bind, "occurredAt", query.period)} AND (${conditions.filters})`;
  const startsInPeriod = isWithin(bind, "startedAt", query.period);
  const columns = [
    ...sessionColumns(context),
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
    const condition = allOf([eventMatches, total.condition?.(bind, query.goal) ?? "1"]);
    columns.push(`${perSession(total.value, condition)} AS ${name}OfSession`);
    sessionRowConditions.add("matchingEvents > 0");
    aggregates.set(name, overSessions(`${name}OfSession`));
  }
  const from = `(SELECT * FROM (${sessionsFrom(context, columns)}) WHERE ${anyOf([...sessionRowConditions])})`;
  return { from, aggregates };
}

/** Statements that compute the totals from events, and are to be added up. Each has the columns of the dimensions and of all totals. */
export function eventSubqueries(context: SqlContext, totals: Totals): string[] {
  const { bind, query, scope } = context;
  const keys = query.dimensions.map((_, index) => dimensionColumn(index));
  const conditions = eventConditions(bind, scope, query.period);
  const eventContext: EventSqlContext = { ...context, totals, conditions };
  const write = ({ from, aggregates }: Relation) => {
    const sums = [...totals].map(
      ([name, total]) => `toFloat64(${aggregates.get(name) ?? absentValue(total)}) AS ${totalColumn(name)}`,
    );
    return `SELECT ${list([...keys, ...sums])} FROM ${from} ${groupBy(keys)}`;
  };
  const { time, event } = groupDimensionColumns(query);
  const isBySession = keys.length > 0 && time.length + event.length === 0;
  if (isBySession && query.firstTouchWindowMs === null) return [write(totalsBySession(eventContext))];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  return [
    ...(kinds.has("events") ? [write(eventTotals(eventContext))] : []),
    ...(kinds.has("sessions") ? [write(sessionTotals(eventContext))] : []),
  ];
}
