/**
 * The statement of a question about metrics. Events and sessions are added up apart, since a session belongs to the
 * bucket of its first event, and then laid together by their groups.
 */
import { IS_ACTION, IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { asText, type Dimension, propertyOf, TEXTS } from "./dimensions.ts";
import { entryOf, exitOf } from "./filter.ts";
import { metricOf, OF_EVENTS, OF_SESSIONS, OF_VISITS, type Part, summedBy } from "./metrics.ts";
import {
  bucket,
  dimensionColumn,
  groupBy,
  list,
  metricColumn,
  neededBy,
  ofKind,
  type Query,
  type Side,
} from "./metrics-query.ts";
import type { Settled } from "./rollups/freshness.ts";
import { overSummary, tableFor } from "./rollups/query-sql.ts";
import { type Conditions, conditionsOf, inPeriod, writeGoal } from "./scope.ts";
import { all, any, type Bind, type Statement, statement } from "./sql.ts";

const expressionOf = (bind: Bind, dimension: Dimension): string =>
  dimension.kind === "property"
    ? propertyOf(bind, dimension.name).key
    : asText(TEXTS[(dimension as { name: keyof typeof TEXTS }).name].sql);

/** What sessions have from their first and last event, a row each; and, with `more`, what they are counted by. */
function sessionsOf(bind: Bind, query: Query, { sessions }: Conditions, more: readonly string[]): string {
  const [entries, exits] = [ofKind(query, "entry"), ofKind(query, "exit")];
  const columns = [
    "session",
    ...entries.map(({ dimension, column }) => `${entryOf(expressionOf(bind, dimension))} AS ${column}`),
    ...exits.map(({ dimension, column }) => `${exitOf(expressionOf(bind, dimension))} AS ${column}`),
    ...more,
  ];
  return `SELECT ${list(columns)} FROM events WHERE ${sessions} GROUP BY session`;
}

const VISITOR = "visitor";
const USER = "sipHash64(userId)";

const sumsOf = (query: Query) =>
  query.metrics
    .map((metric, at) => ({ property: summedBy(metric), column: `sum${at}` as const }))
    .filter((one): one is { property: string; column: `sum${number}` } => one.property !== null);

function overEvents(bind: Bind, query: Query, side: Side, conditions: Conditions): Addition {
  const ofSession = ofKind(query, "entry", "exit");
  const sums = sumsOf(query);
  const columns = [
    "session",
    `${VISITOR} AS visitor`,
    `${USER} AS user`,
    `${IS_PAGE_VIEW} AS isPage`,
    `${query.goal ? writeGoal(bind, query.goal) : "0"} AS isGoal`,
    ...ofKind(query, "time").map(
      ({ column }) => `${bucket(bind, "toUnixTimestamp64Milli(occurredAt)", side)} AS ${column}`,
    ),
    ...ofKind(query, "event").map(({ dimension, column }) => `${expressionOf(bind, dimension)} AS ${column}`),
    ...sums.map(
      ({ property, column }) => `ifNull(${propertyOf(bind, property).number}, 0) AS ${column}Value`,
    ),
  ];
  const events = `(SELECT ${list(columns)} FROM events WHERE ${conditions.events})`;
  const from =
    ofSession.length === 0
      ? events
      : `${events} AS e INNER JOIN (${sessionsOf(bind, query, conditions, [])}) AS s USING (session)`;
  const parts = Object.fromEntries(sums.map(({ column }) => [column, `sum(${column}Value)`]));
  return { parts: { ...OF_EVENTS, ...parts }, from };
}

function overSessions(bind: Bind, query: Query, side: Side, conditions: Conditions): Addition {
  const ofEvent = ofKind(query, "event");
  const values = ofEvent.map(({ dimension }) => expressionOf(bind, dimension));
  const facts = [
    ...FACTS,
    // a session counts once in each group that it has an event of
    ofEvent.length > 0
      ? `groupUniqArrayIf(tuple(${list(values)}), ${conditions.filters}) AS groups`
      : `max(${conditions.filters}) AS fits`,
  ];
  const columns = [
    "*",
    ...ofEvent.map(({ column }, at) => `tupleElement(one, ${at + 1}) AS ${column}`),
    ...ofKind(query, "time").map(
      ({ column }) => `${bucket(bind, "toUnixTimestamp64Milli(startedAt)", side)} AS ${column}`,
    ),
  ];
  const sessions = `(${sessionsOf(bind, query, conditions, facts)})`;
  const spread = ofEvent.length > 0 ? "ARRAY JOIN groups AS one" : "";
  const where = all([inPeriod(bind, side.period, "startedAt"), ...(ofEvent.length > 0 ? [] : ["fits"])]);
  return { parts: OF_SESSIONS, from: `(SELECT ${list(columns)} FROM ${sessions} ${spread} WHERE ${where})` };
}

/** What a session is by all of its events. */
const FACTS = [
  "min(occurredAt) AS startedAt",
  "max(occurredAt) AS endedAt",
  `countIf(${IS_PAGE_VIEW}) AS pageViews`,
  `countIf(${IS_ACTION}) AS trackEvents`,
];

/** Where all dimensions are of sessions, one pass over the events: each session with what of it counts. */
function overVisits(bind: Bind, query: Query, side: Side, conditions: Conditions): Addition {
  const counts = `${inPeriod(bind, side.period)} AND (${conditions.filters})`;
  const sums = sumsOf(query);
  const goal = query.goal ? writeGoal(bind, query.goal) : "0";
  const OF_PART = {
    visitors: `groupUniqArrayIf(${VISITOR}, ${counts})`,
    users: `groupUniqArrayIf(${USER}, ${counts})`,
    pageviews: `countIf(${IS_PAGE_VIEW} AND ${counts})`,
    converted: `groupUniqArrayIf(${VISITOR}, ${counts} AND (${goal}))`,
  };
  const needed = neededBy(query);
  const facts = [
    ...FACTS,
    `countIf(${counts}) AS eventsOf`,
    `max(${conditions.filters}) AND ${inPeriod(bind, side.period, "startedAt")} AS isCounted`,
    ...Object.entries(OF_PART)
      .filter(([part]) => needed.includes(part as Part))
      .map(([part, sql]) => `${sql} AS ${part}Of`),
    ...sums.map(
      ({ property, column }) =>
        `sumIf(ifNull(${propertyOf(bind, property).number}, 0), ${counts}) AS ${column}Value`,
    ),
  ];
  const isThere = any([
    ...(needed.some((part) => !(part in OF_SESSIONS)) ? ["eventsOf > 0"] : []),
    ...(needed.some((part) => part in OF_SESSIONS) ? ["isCounted"] : []),
  ]);
  const parts = Object.fromEntries(sums.map(({ column }) => [column, `sum(${column}Value)`]));
  const sessions = sessionsOf(bind, query, conditions, facts);
  return { parts: { ...OF_VISITS, ...parts }, from: `(SELECT * FROM (${sessions}) WHERE ${isThere})` };
}

/** A relation, and what can be added up over it. */
interface Addition {
  readonly parts: Readonly<Record<string, string>>;
  readonly from: string;
}

/** Statements that are to be added up by their groups, each with the dimensions' columns and the sums that are needed. */
function additionsOf(bind: Bind, query: Query, side: Side): string[] {
  const keys = query.dimensions.map((_, at) => dimensionColumn(at));
  const needed = neededBy(query);
  const conditions = conditionsOf(bind, query.scope, side.period);
  const ofSessions = needed.filter((name) => name in OF_SESSIONS);
  const ofEvents = needed.filter((name) => !(name in OF_SESSIONS));
  const write = (wanted: readonly Part[], { parts, from }: Addition) => {
    const sums = needed.map(
      (name) => `${wanted.includes(name) ? `toFloat64(${parts[name]})` : "0."} AS ${name}_`,
    );
    return `SELECT ${list([...keys, ...sums])} FROM ${from} ${groupBy(keys)}`;
  };
  const isOfVisits = query.dimensions.length > 0 && ofKind(query, "time", "event").length === 0;
  if (isOfVisits) return [write(needed, overVisits(bind, query, side, conditions))];
  return [
    ...(ofEvents.length > 0 ? [write(ofEvents, overEvents(bind, query, side, conditions))] : []),
    ...(ofSessions.length > 0 ? [write(ofSessions, overSessions(bind, query, side, conditions))] : []),
  ];
}

/**
 * @param settled null: everything is derived of events
 * @returns rows of the dimensions' columns, then the metrics', then the group's hash
 */
export function writeQuery(query: Query, side: Side, settled: Settled | null): Statement {
  return statement((bind) => {
    const keys = query.dimensions.map((_, at) => dimensionColumn(at));
    const metrics = query.metrics.map(metricOf);
    const needed = neededBy(query);
    const table = settled && tableFor(query, side);
    const additions =
      settled && table ? [overSummary(bind, query, side, settled, table)] : additionsOf(bind, query, side);
    const hash = `toString(sipHash64(${list(keys.flatMap((key) => [`isNull(${key})`, `ifNull(toString(${key}), '')`])) || "1"}))`;
    const rows = `SELECT ${list([...keys, ...needed.map((name) => `sum(${name}_) AS ${name}`)])}
      FROM (${additions.join(" UNION ALL ")}) ${groupBy(keys)}`;
    const columns = [
      ...keys,
      ...metrics.map(({ sql }, at) => `${sql} AS ${metricColumn(at)}`),
      `${hash} AS groupHash`,
    ];
    const order = [
      ...query.order.map(
        ({ column, isDescending }) => `${column} ${isDescending ? "DESC" : "ASC"} NULLS LAST`,
      ),
      ...keys.map((key) => `${key} ASC NULLS LAST`),
    ];
    return `SELECT ${list(columns)} FROM (${rows})
      ${side.groups ? `WHERE ${hash} IN ${bind("Array(String)", side.groups)}` : ""}
      ${order.length > 0 ? `ORDER BY ${list(order)}` : ""}
      LIMIT ${bind("UInt32", query.limit)} OFFSET ${bind("UInt32", query.offset)}`;
  });
}
