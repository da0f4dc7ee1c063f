/**
 * The statement of a question about metrics. Events and sessions are added up apart, since a session belongs to the
 * bucket of its first event, and then laid together by their groups.
 */
import type { StatsGoal, StatsMetric } from "@headwater/contract";
import type { Period } from "./calendar.ts";
import { entryOf, exitOf } from "./filter.ts";
import { metricOf, OF_EVENTS, OF_SESSIONS, OF_VISITS, type Part, summedBy } from "./metrics.ts";
import { type Conditions, conditionsOf, inPeriod, type Scope, writeGoal } from "./scope.ts";
import { all, any, type Bind, type Statement, statement } from "./sql.ts";
import { asText, type Dimension, propertyOf, TEXTS } from "./words.ts";

export interface Query {
  readonly scope: Scope;
  readonly metrics: readonly StatsMetric[];
  readonly dimensions: readonly Dimension[];
  readonly goal: StatsGoal | null;
  readonly order: readonly { readonly column: string; readonly isDescending: boolean }[];
  readonly limit: number;
  readonly offset: number;
}

/** The period that a statement is about: the one asked for, or the one that it is compared with. */
export interface Side {
  readonly period: Period;
  /** First instants of its buckets; empty: there are none. */
  readonly starts: readonly number[];
  /** What each bucket is called: its own first instant, or that of the period that it is compared with. */
  readonly names: readonly number[];
  /** The groups to keep, by their hashes; null: all. */
  readonly groups: readonly string[] | null;
}

export const dimensionColumn = (at: number) => `k${at}`;
export const metricColumn = (at: number) => `m${at}`;

type Kind = "time" | "event" | "entry" | "exit";
const kindOf = (dimension: Dimension): Kind => {
  if (dimension.kind === "time") return "time";
  return dimension.kind === "property" ? "event" : TEXTS[dimension.name].of;
};

function bucket(bind: Bind, time: string, { starts, names }: Side): string {
  const start = `roundDown(toUnixTimestamp64Milli(${time}), ${bind("Array(Int64)", starts)})`;
  if (starts === names) return start;
  // beyond the buckets that it is compared with there is nothing to compare
  const known = starts.slice(0, names.length);
  const array = (values: readonly number[]) => bind("Array(Int64)", values);
  return `transform(${start}, ${array(known)}, ${array(names.slice(0, known.length))}, toInt64(-1))`;
}

const expressionOf = (bind: Bind, dimension: Dimension): string =>
  dimension.kind === "property"
    ? propertyOf(bind, dimension.name).key
    : asText(TEXTS[(dimension as { name: keyof typeof TEXTS }).name].sql);

/** Of the dimensions those of a kind, with their columns. */
const ofKind = ({ dimensions }: Query, ...kinds: Kind[]) =>
  dimensions
    .map((dimension, at) => ({ dimension, column: dimensionColumn(at) }))
    .filter(({ dimension }) => kinds.includes(kindOf(dimension)));

const list = (columns: readonly string[]) => columns.join(", ");

/** What sessions have from their first and last event, a row each; and, with `more`, what they are counted by. */
function sessionsOf(bind: Bind, query: Query, { sessions }: Conditions, more: readonly string[]): string {
  const [entries, exits] = [ofKind(query, "entry"), ofKind(query, "exit")];
  const columns = [
    "sessionId",
    ...entries.map(({ dimension, column }) => `${entryOf(expressionOf(bind, dimension))} AS ${column}`),
    ...exits.map(({ dimension, column }) => `${exitOf(expressionOf(bind, dimension))} AS ${column}`),
    ...more,
  ];
  return `SELECT ${list(columns)} FROM events WHERE ${sessions} GROUP BY sessionId`;
}

const VISITOR = "sipHash64(anonymousId)";
const USER = "sipHash64(userId)";

const sumsOf = (query: Query) =>
  query.metrics
    .map((metric, at) => ({ property: summedBy(metric), column: `sum${at}` as const }))
    .filter((one): one is { property: string; column: `sum${number}` } => one.property !== null);

function overEvents(bind: Bind, query: Query, side: Side, conditions: Conditions): Addition {
  const ofSession = ofKind(query, "entry", "exit");
  const sums = sumsOf(query);
  const columns = [
    "sessionId",
    `${VISITOR} AS visitor`,
    `${USER} AS user`,
    "type = 'page' AS isPage",
    `${query.goal ? writeGoal(bind, query.goal) : "0"} AS isGoal`,
    ...ofKind(query, "time").map(({ column }) => `${bucket(bind, "occurredAt", side)} AS ${column}`),
    ...ofKind(query, "event").map(({ dimension, column }) => `${expressionOf(bind, dimension)} AS ${column}`),
    ...sums.map(
      ({ property, column }) => `ifNull(${propertyOf(bind, property).number}, 0) AS ${column}Value`,
    ),
  ];
  const events = `(SELECT ${list(columns)} FROM events WHERE ${conditions.events})`;
  const from =
    ofSession.length === 0
      ? events
      : `${events} AS e INNER JOIN (${sessionsOf(bind, query, conditions, [])}) AS s USING (sessionId)`;
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
    ...ofKind(query, "time").map(({ column }) => `${bucket(bind, "startedAt", side)} AS ${column}`),
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
  "countIf(type = 'page') AS pageViews",
  "countIf(type = 'track') AS trackEvents",
];

/** Where all dimensions are of sessions, one pass over the events: each session with what of it counts. */
function overVisits(bind: Bind, query: Query, side: Side, conditions: Conditions): Addition {
  const counts = `${inPeriod(bind, side.period)} AND (${conditions.filters})`;
  const sums = sumsOf(query);
  const goal = query.goal ? writeGoal(bind, query.goal) : "0";
  const OF_PART = {
    visitors: `groupUniqArrayIf(${VISITOR}, ${counts})`,
    users: `groupUniqArrayIf(${USER}, ${counts})`,
    pageviews: `countIf(type = 'page' AND ${counts})`,
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

const neededBy = ({ metrics }: Query): Part[] => [
  ...new Set(metrics.flatMap((metric, at) => metricOf(metric, at).parts)),
];

const groupBy = (columns: readonly string[]) => (columns.length === 0 ? "" : `GROUP BY ${list(columns)}`);

/** @returns rows of the dimensions' columns, then the metrics', then the group's hash */
export function writeQuery(query: Query, side: Side): Statement {
  return statement((bind) => {
    const keys = query.dimensions.map((_, at) => dimensionColumn(at));
    const metrics = query.metrics.map(metricOf);
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
    const additions = isOfVisits
      ? [write(needed, overVisits(bind, query, side, conditions))]
      : [
          ...(ofEvents.length > 0 ? [write(ofEvents, overEvents(bind, query, side, conditions))] : []),
          ...(ofSessions.length > 0 ? [write(ofSessions, overSessions(bind, query, side, conditions))] : []),
        ];
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
