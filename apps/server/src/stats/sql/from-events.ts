/**
 * Writes the totals of a query over events. Subqueries aggregate events and sessions separately, because a session counts in the
 * time bucket of its first event.
 */
import {
  IS_ACTION,
  IS_PAGE_VIEW,
  OPENS_SESSION,
  SESSION_END_COLUMNS,
} from "../../clickhouse/schema/event-types.ts";
import type { EventsKind } from "../plan.ts";
import { withTouch } from "./attribution.ts";
import { type EventConditions, eventConditions, eventsTable, isWithin } from "./conditions.ts";
import { REACHED_GOAL, sessionValueSql, VISITOR_TYPE_DIMENSION, valueSql } from "./dimensions.ts";
import { eventsByGoal, rowsOfSession, sessionGoals } from "./each-goal.ts";
import { goalSql, isEachGoal } from "./goals.ts";
import { type EventTotal, isOfVisitorType, isPercentile, type Total, type Totals } from "./metrics.ts";
import {
  dimensionColumn,
  groupDimensionColumns,
  keyColumns,
  type MetricsQuery,
  notExcepted,
  type SqlContext,
  timeColumns,
  totalColumn,
  type ValueColumn,
} from "./metrics-query.ts";
import { sumOfWindow, visitorsByWindow } from "./rolling.ts";
import { sessionValues } from "./rollup-rows.ts";
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
  columns.map(({ dimension, column }) => `${valueSql(bind, dimension, query.scope.texts)} AS ${column}`);
const timeBuckets = (context: SqlContext, time: string) =>
  timeColumns(context, `toUnixTimestamp64Milli(${time})`);

/** The columns that `SessionTotal.value` reads. */
const sessionColumns = (context: EventSqlContext): string[] => [
  ...goalColumns(context),
  `minIf(occurredAt, ${OPENS_SESSION}) AS startedAt`,
  `countIf(${IS_PAGE_VIEW}) AS pageViews`,
  `countIf(${IS_ACTION}) AS actions`,
  "sum(toFloat64(engagedSeconds)) AS sessionSeconds",
  ...(context.totals.has("durationMs") ? SESSION_END_COLUMNS : []),
  ...(context.totals.has("entrances") ? [`${sessionValueSql("entryPage")} AS entryPath`] : []),
  ...(context.totals.has("exits") ? [`${sessionValueSql("exitPage")} AS exitPath`] : []),
];

function goalColumns({ bind, query: { goal } }: EventSqlContext): string[] {
  if (goal === null) return [];
  return [isEachGoal(goal) ? sessionGoals(bind, goal) : `max(${goalSql(bind, goal)}) AS reachedGoal`];
}

const VISITOR_TYPE: ValueColumn = { dimension: VISITOR_TYPE_DIMENSION, column: "visitorType" };
/** The visitor type of sessions, if totals of events need it. */
const visitorTypes = (totals: Totals): ValueColumn[] =>
  [...totals.values()].some(isOfVisitorType) ? [VISITOR_TYPE] : [];

/**
 * Selects a row for each session of the period, with the session's dimensions and the given columns.
 * @param further dimensions besides those of the query
 */
function sessionsFrom(
  { bind, query, scope, conditions }: EventSqlContext,
  columns: readonly string[],
  further: readonly ValueColumn[] = [],
): string {
  const ofSessions = [...groupDimensionColumns(query).session, ...further];
  const values = ofSessions.flatMap(({ dimension, column }) =>
    dimension.kind === "text" ? [`${sessionValueSql(dimension.name)} AS ${column}`] : [],
  );
  const dimensions = ofSessions.map(({ dimension }) => dimension);
  return `SELECT ${list(["session", ...values, ...columns])}
    FROM ${eventsTable(bind, scope, query.period, dimensions)} WHERE ${conditions.sessionEvents} GROUP BY session`;
}

/** Writes an aggregate function of a value. `condition` is SQL; null: all rows count. */
type Aggregate = (value: string, condition: string | null) => string;
const aggregate =
  (name: string, parameters = ""): Aggregate =>
  (value, condition) =>
    condition === null ? `${name}${parameters}(${value})` : `${name}If${parameters}(${value}, ${condition})`;
const sumOfMaxima: Aggregate = (value, condition) =>
  `arraySum(mapValues(${aggregate("maxMap")(value, condition)}))`;
/** An exact percentile of no values is NaN. */
const orNull = (sql: string) => `if(isNaN(${sql}), NULL, ${sql})`;
const PERCENTILE = "quantileExactInclusive";

/**
 * The SQL functions of a total: either `overEvents` over all events, or `perSession` over the events of each session and
 * then `overSessions` over those results.
 */
const AGGREGATES: Readonly<
  Record<
    EventTotal["aggregate"],
    {
      readonly overEvents: (value: string, condition: string | null, level: number) => string;
      readonly perSession: Aggregate;
      readonly overSessions: (column: string, condition: string | null, level: number) => string;
    }
  >
> = {
  count: { overEvents: aggregate("count"), perSession: aggregate("count"), overSessions: aggregate("sum") },
  distinct: {
    overEvents: aggregate("uniqExact"),
    perSession: aggregate("groupUniqArray"),
    overSessions: aggregate("uniqExactArray"),
  },
  distinctOfSession: {
    overEvents: aggregate("uniqExact"),
    perSession: aggregate("uniqExact"),
    overSessions: aggregate("sum"),
  },
  sum: { overEvents: aggregate("sum"), perSession: aggregate("sum"), overSessions: aggregate("sum") },
  sumOfMaxima: { overEvents: sumOfMaxima, perSession: sumOfMaxima, overSessions: aggregate("sum") },
  percentile: {
    overEvents: (value, condition, level) => orNull(aggregate(PERCENTILE, `(${level})`)(value, condition)),
    perSession: aggregate("groupArray"),
    overSessions: (column, condition, level) =>
      orNull(aggregate(`${PERCENTILE}Array`, `(${level})`)(column, condition)),
  },
};
/** The value of a total in a subquery that does not compute it. The values of all subqueries are added up. */
export const absentValue = (total: Total) => (isPercentile(total) ? "NULL" : "0");

/** Whether a total counts the events of a session, over its column `visitorType`. null: it counts those of all. */
const typeCondition = ({ visitorType }: EventTotal) =>
  visitorType && `ifNull(visitorType = '${visitorType}', 0)`;

/** Totals of events, by any dimensions. Joins the events with their sessions when a dimension or a total is of sessions. */
function eventTotals(context: EventSqlContext): Relation {
  const { bind, query, totals, conditions } = context;
  const { event, session } = groupDimensionColumns(query);
  const { touch, goal } = query;
  const { rollups } = context.scope.part;
  const byGoal = isEachGoal(goal) ? eventsByGoal(context, goal) : null;
  const columns = [
    ...(byGoal ? [byGoal.column] : []),
    ...["session", ...timeBuckets(context, "occurredAt"), ...dimensionValues(context, event)],
  ];
  if (touch !== null) columns.push("visitor", "toUnixTimestamp64Milli(occurredAt) AS eventMs");
  const aggregates = new Map<string, string>();
  for (const [name, total] of totals) {
    if (total.over === "sessions") continue;
    const [value, isCounted] = [`${name}Value`, `${name}IsCounted`];
    const condition = total.condition?.(bind, query.goal) ?? null;
    columns.push(`${total.value} AS ${value}`, `${condition ?? "1"} AS ${isCounted}`);
    const counted = [condition && isCounted, typeCondition(total)].filter((one) => one !== null);
    const { overEvents } = AGGREGATES[total.aggregate];
    aggregates.set(name, overEvents(value, counted.length === 0 ? null : allOf(counted), total.level));
  }
  const events = `(SELECT ${list(columns)} FROM events WHERE ${byGoal?.events ?? conditions.events})`;
  const types = visitorTypes(totals);
  const joined = rollups
    ? `${events} AS e ANY LEFT JOIN (${sessionValues({ ...context, rollups }, session)}) AS s USING (session)`
    : `${events} AS e INNER JOIN (${sessionsFrom(context, [], types)}) AS s USING (session)`;
  if (touch !== null) return { from: withTouch(context, `(SELECT * FROM ${joined})`, touch), aggregates };
  const from = session.length + types.length === 0 ? events : joined;
  return query.windows === null ? { from, aggregates } : inWindows(context, from);
}

/** The totals of a reading with windows, from its rows. All of them count visitors. */
function inWindows(context: EventSqlContext, from: string): Relation {
  const names = [...context.totals.keys()];
  return {
    from: `(${visitorsByWindow(context, from, `${names[0]}Value`)})`,
    aggregates: new Map(names.map((name) => [name, sumOfWindow(name)])),
  };
}

const sessionAggregates = (totals: Totals) =>
  [...totals].flatMap(([name, total]): [string, string][] =>
    total.over === "sessions" ? [[name, `sum(${total.value})`]] : [],
  );

/** Whether an event of the period satisfies the filters. */
const matchesInPeriod = ({ bind, query, conditions }: EventSqlContext) =>
  `${isWithin(bind, "occurredAt", query.period)} AND (${conditions.filters})`;

/** Totals of sessions, by any dimensions. A session counts once in each group that one of its events is in. */
function sessionTotals(context: EventSqlContext): Relation {
  const { bind, query, totals } = context;
  const columnsOfEvents = groupDimensionColumns(query).event;
  const event = columnsOfEvents.filter(({ dimension }) => dimension.kind !== "goal");
  const ofGoal = columnsOfEvents.filter(({ dimension }) => dimension.kind === "goal");
  const values = event.map(({ dimension }) => valueSql(bind, dimension, query.scope.texts));
  const eventMatches = matchesInPeriod(context);
  const hasGroups = event.length > 0;
  const sessions = sessionsFrom(context, [
    ...sessionColumns(context),
    hasGroups
      ? `groupUniqArrayIf(tuple(${list(values)}), ${eventMatches}) AS groups`
      : `max(${eventMatches}) AS matchesFilters`,
  ]);
  const columns = [
    "*",
    ...(isEachGoal(query.goal) ? [rowsOfSession(bind, query.goal)] : []),
    ...ofGoal.map(({ column }) => `${REACHED_GOAL} AS ${column}`),
    ...event.map(({ column }, index) => `tupleElement(eventGroup, ${index + 1}) AS ${column}`),
    ...event.flatMap(({ dimension: { kind, name }, column }) =>
      kind === "text" && name === "page" ? [`${column} AS groupPage`] : [],
    ),
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
 * Totals of events and of sessions, when all dimensions are of sessions, or visitors are counted by their session's type. It reads
 * the events once and groups them by session, which takes a third of the time of joining events with sessions.
 */
function totalsBySession(context: EventSqlContext): Relation {
  const { bind, query, totals } = context;
  const eventMatches = matchesInPeriod(context);
  const startsInPeriod = isWithin(bind, "startedAt", query.period);
  const columns = [
    ...sessionColumns(context),
    `countIf(${eventMatches}) AS matchingEvents`,
    `matchingEvents > 0 AND ${startsInPeriod} AS sessionMatches`,
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
    aggregates.set(name, overSessions(`${name}OfSession`, typeCondition(total), total.level));
  }
  const sessions = sessionsFrom(context, columns, visitorTypes(totals));
  const from = `(SELECT * FROM (${sessions}) WHERE ${anyOf([...sessionRowConditions])})`;
  return { from, aggregates };
}

/** How totals from events read sessions. */
export function eventsKindOf(query: MetricsQuery, totals: Totals): EventsKind {
  const { time, event, session } = groupDimensionColumns(query);
  if (session.length > 0 && time.length + event.length > 0) return "joined";
  const hasSessions = [...totals.values()].some(({ over }) => over === "sessions");
  return event.length > 0 && hasSessions ? "withSessions" : "ofEvents";
}

/** Statements that compute the totals from events, and are to be added up. Each has the columns of the dimensions and of all totals. */
export function eventSubqueries(context: SqlContext, totals: Totals): string[] {
  const { bind, query, scope } = context;
  const keys = keyColumns(query);
  const conditions = eventConditions(bind, scope, query.period);
  const eventContext: EventSqlContext = { ...context, totals, conditions };
  const write = ({ from, aggregates }: Relation, isOfSessions = false) => {
    const sums = [...totals].map(
      ([name, total]) => `toFloat64(${aggregates.get(name) ?? absentValue(total)}) AS ${totalColumn(name)}`,
    );
    const dimensions = query.dimensions.map((_, index) => dimensionColumn(index));
    // of the groups of a session that are read as one, the session counts in one
    const once = isOfSessions ? "LIMIT 1 BY session" : "";
    const rows =
      query.except === null
        ? from
        : `(SELECT * FROM ${from} WHERE ${notExcepted(bind, query, dimensions)} ${once})`;
    return `SELECT ${list([...keys, ...sums])} FROM ${rows} ${groupBy(keys)}`;
  };
  const { time, event, session } = groupDimensionColumns(query);
  const needsSessions = session.length + visitorTypes(totals).length > 0;
  const isBySession = needsSessions && time.length + event.length === 0;
  if (isBySession && query.touch === null && scope.part.rollups === null)
    return [write(totalsBySession(eventContext))];
  const kinds = new Set([...totals.values()].map(({ over }) => over));
  return [
    ...(kinds.has("events") ? [write(eventTotals(eventContext))] : []),
    ...(kinds.has("sessions") ? [write(sessionTotals(eventContext), true)] : []),
  ];
}
