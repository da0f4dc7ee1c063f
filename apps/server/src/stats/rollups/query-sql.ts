/** The statement of a question about metrics where most days have settled: over `visits`, or over `hits` where it is about single events. */

import { asText, type Dimension } from "../dimensions.ts";
import { type Filter, fits } from "../filter.ts";
import { OF_SESSIONS, type Part } from "../metrics.ts";
import {
  bucket,
  dimensionColumn,
  groupBy,
  kindOf,
  list,
  neededBy,
  ofKind,
  type Query,
  type Side,
} from "../metrics-query.ts";
import { all, any, type Bind } from "../sql.ts";
import type { Settled } from "./freshness.ts";
import { hitsOf, visitsOf } from "./read.ts";
import { isSessionText, type SessionText } from "./session-rows.ts";

const QUARTER_MS = 900_000;
const HIT_COLUMNS: Readonly<Record<string, string>> = { page: "path", event: "name" };

/** Gathered in lists visitors are counted twice as fast as by `uniqExact`, and all in memory: eight bytes an event, and as many to grow. */
const FEW_EVENTS = 15_000_000;
const DISTINCT = "arrayUniq(groupArray(visitor))";
/**
 * Visitors are counted in 64 parts, whose numbers add up: small sets that fit a processor's cache, and work for every
 * thread. Rows are in the order of their visitors, so those of a part come together. Of names that may be many, such as
 * pages, each has few visitors already.
 */
const PART_OF_VISITORS = "bitShiftRight(visitor, 58)";
/** A name and a part as one number, which the engine groups by faster than by the two. Of 10,000 names two are one with odds of one to 5 billion. */
const partOf = (name: string) =>
  `bitShiftLeft(ifNull(CAST(sipHash64(${name}) AS Nullable(UInt64)), 0), 6) + ${PART_OF_VISITORS}`;
const MANY_NAMES = ["page", "entryPage", "exitPage"];

const OF_SUMMARY: Readonly<Partial<Record<Part, string>>> = {
  visitors: "uniqExact(visitor)",
  users: "uniqExactIf(user, user != 0)",
  pageviews: "sum(pageviews)",
  events: "sum(events)",
  sessions: "sum(sessions)",
  bounces: "sum(bounces)",
  durationMs: "sum(durationMs)",
};
/** Of `hits`. */
const OF_HITS: readonly Part[] = ["visitors", "pageviews", "events"];

type Table = "visits" | "hits";

/** Is it about sessions alone, so that it holds for all of a session or for nothing of it? */
function isOfSession(filter: Filter): boolean {
  switch (filter.kind) {
    case "leaf":
      return filter.dimension.kind === "text" && isSessionText(filter.dimension.name);
    case "and":
    case "or":
      return filter.of.every(isOfSession);
    default:
      return isOfSession(filter.of);
  }
}

function isOfHits(filter: Filter): boolean {
  if (isOfSession(filter)) return true;
  switch (filter.kind) {
    case "leaf":
      return filter.dimension.kind === "text" && filter.dimension.name in HIT_COLUMNS;
    case "and":
    case "or":
      return filter.of.every(isOfHits);
    case "not":
      return isOfHits(filter.of);
    default:
      return false;
  }
}

const isOfTable = (dimension: Dimension, table: Table): boolean => {
  if (dimension.kind === "time") return true;
  if (dimension.kind === "property") return false;
  return table === "visits" ? isSessionText(dimension.name) : dimension.name in HIT_COLUMNS;
};

/**
 * Which of the tables can answer it; null: neither. Both know times to the quarter of an hour, which is where days and
 * hours begin in every time zone of today.
 */
export function tableFor(query: Query, { period, starts }: Side): Table | null {
  const { scope, dimensions } = query;
  const needed = neededBy(query);
  const isOfQuarters = [period.from, period.to, ...starts].every((at) => at % QUARTER_MS === 0);
  if (scope.bots || !isOfQuarters || needed.some((part) => !(part in OF_SUMMARY))) return null;
  if (dimensions.every((one) => isOfTable(one, "visits")) && scope.filters.every(isOfSession))
    return "visits";
  const isOfHit = dimensions.every((one) => isOfTable(one, "hits")) && scope.filters.every(isOfHits);
  return isOfHit && needed.every((part) => OF_HITS.includes(part)) ? "hits" : null;
}

function textsOf(filter: Filter): SessionText[] {
  switch (filter.kind) {
    case "leaf": {
      const { dimension } = filter;
      return dimension.kind === "text" && isSessionText(dimension.name) ? [dimension.name] : [];
    }
    case "and":
    case "or":
      return filter.of.flatMap(textsOf);
    default:
      return textsOf(filter.of);
  }
}

/** @param ofSession what a filter that is about sessions alone is as a condition on a row */
function writeOnRow(bind: Bind, filter: Filter, ofSession: ((filter: Filter) => string) | null): string {
  if (ofSession && isOfSession(filter)) return ofSession(filter);
  const write = (one: Filter) => writeOnRow(bind, one, ofSession);
  switch (filter.kind) {
    case "and":
      return all(filter.of.map(write));
    case "or":
      return any(filter.of.map(write));
    case "not":
      return `NOT (${write(filter.of)})`;
    case "sessionHas":
      return write(filter.of);
  }
  const { name } = filter.dimension as { name: string };
  const is = fits(
    bind,
    HIT_COLUMNS[name] ?? name,
    filter.operator === "is_not" ? { ...filter, operator: "is" } : filter,
  );
  return filter.operator === "is_not" ? `NOT (${is})` : is;
}

/** The conditions of the filters on a row of the table. */
function filtersOf(bind: Bind, query: Query, side: Side, settled: Settled, table: Table): string[] {
  const { filters } = query.scope;
  if (table === "visits") return filters.map((filter) => writeOnRow(bind, filter, null));
  const ofSession = (filter: Filter) => {
    const rows = visitsOf(bind, query, side, settled, [...new Set(textsOf(filter))]);
    return `session IN (SELECT session FROM (${rows}) WHERE ${writeOnRow(bind, filter, null)})`;
  };
  return filters.map((filter) => writeOnRow(bind, filter, ofSession));
}

const isOneOf = (names: readonly string[], dimension: Dimension) =>
  dimension.kind === "text" && names.includes(dimension.name);

const columnOf = ({ name }: { name: string }) => HIT_COLUMNS[name] ?? name;

/**
 * @param table of `tableFor`
 * @returns a statement of the dimensions' columns and the sums that are needed
 */
export function overSummary(bind: Bind, query: Query, side: Side, settled: Settled, table: Table): string {
  const needed = neededBy(query);
  const { from, to } = side.period;
  const texts = query.dimensions.flatMap((one) =>
    one.kind === "text" && isSessionText(one.name) ? [one.name] : [],
  );
  const ofFilters = query.scope.filters.flatMap(textsOf);
  const rows =
    table === "visits"
      ? visitsOf(bind, query, side, settled, [...new Set([...texts, ...ofFilters])])
      : hitsOf(bind, query, side, settled);
  const isOfSessions = needed.every((part) => part in OF_SESSIONS);
  const where = all([
    `quarter >= toDateTime(${bind("Int64", from / 1_000)}, 'UTC') AND quarter < toDateTime(${bind("Int64", to / 1_000)}, 'UTC')`,
    ...filtersOf(bind, query, side, settled, table),
    ...(isOfSessions ? ["sessions > 0"] : []),
  ]);
  const times = ofKind(query, "time").map(
    ({ column }) => `${bucket(bind, "toInt64(toUnixTimestamp(quarter)) * 1000", side)} AS ${column}`,
  );
  const isFew = needed.includes("visitors") && settled.events < FEW_EVENTS;
  // a user may be several visitors
  const isInParts =
    isFew && !needed.includes("users") && !query.dimensions.some((one) => isOneOf(MANY_NAMES, one));
  const isOfOneName = isInParts && query.dimensions.length === 1 && times.length === 0;
  const groups = query.dimensions.map((dimension, at) => {
    const as = dimensionColumn(at);
    if (kindOf(dimension) === "time") return { key: as, column: as };
    const name = columnOf(dimension as { name: string });
    if (isOfOneName) return { key: partOf(name), column: `${asText(`any(${name})`)} AS ${as}` };
    return { key: name, column: `${asText(name)} AS ${as}` };
  });
  const keys = [...groups.map(({ key }) => key), ...(isInParts && !isOfOneName ? [PART_OF_VISITORS] : [])];
  const sumOf = (part: Part) => (part === "visitors" && isFew ? DISTINCT : OF_SUMMARY[part]);
  const sums = needed.map((part) => `toFloat64(${sumOf(part)}) AS ${part}_`);
  return `SELECT ${list([...groups.map(({ column }) => column), ...sums])}
    FROM (SELECT ${list(["*", ...times])} FROM (${rows}) WHERE ${where}) ${groupBy(keys)}`;
}
