/**
 * The statement of a question about metrics where most days have settled: over `visits`, or over `hits` where it is about
 * single events, and over rows like them that are derived of the events of the rest.
 */
import { type Filter, fits } from "./filter.ts";
import { OF_SESSIONS, type Part } from "./metrics.ts";
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
} from "./query-parts.ts";
import { inPeriod, ownOf } from "./scope.ts";
import type { Rows, Settled } from "./settled.ts";
import { isSessionText, type SessionText, SLICE, slicesOf } from "./slices.ts";
import { all, any, type Bind } from "./sql.ts";
import { asText, type Dimension } from "./words.ts";

const QUARTER_MS = 900_000;
const HIT_COLUMNS: Readonly<Record<string, string>> = { page: "path", event: "name" };

/** Twice as fast as `uniqExact`, and all of it in memory: eight bytes an event, and as many to grow. */
const FEW_EVENTS = 15_000_000;
const DISTINCT = "arrayUniq(groupArray(visitor))";
/**
 * Visitors are counted in 64 parts, whose numbers add up: small sets that fit a processor's cache, and work for every
 * thread. Rows are in the order of their visitors, so those of a part come together. Of names that may be many, such as
 * pages, each has few visitors already.
 */
const PART_OF_VISITORS = "toUInt8(bitShiftRight(visitor, 58))";
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

/** Rows of a table, and rows that are to be derived of what has not settled; null: none are. */
interface Source {
  readonly stored: string;
  readonly derived: string | null;
}

const storedWhere = (bind: Bind, sourceId: string, { reach: [first, last], versions }: Rows) =>
  `sourceId = ${sourceId} AND day BETWEEN toDate(${bind("String", first)}) AND toDate(${bind("String", last)})
    AND version IN ${bind("Array(UInt64)", versions)}`;

/** Events that rows of a table are not of; null: there are none. */
function unreadOf(bind: Bind, { unsettled, since }: Rows): string | null {
  const days = unsettled.length > 0 ? [`toDate(occurredAt) IN ${bind("Array(Date)", unsettled)}`] : [];
  const later = since.map(
    ({ day, through }) =>
      `toDate(occurredAt) = toDate(${bind("String", day)}) AND receivedAt > fromUnixTimestamp64Milli(${bind("Int64", through)}, 'UTC')`,
  );
  return days.length + later.length === 0 ? null : any([...days, ...later]);
}

/** Sessions with an event on a day that has not settled, and those that are always to be derived, are taken whole of events. */
function visitsOf(
  bind: Bind,
  { scope }: Query,
  side: Side,
  { visits, hasLoose }: Settled,
  texts: readonly SessionText[],
): Source {
  const columns = list([...SLICE, ...texts]);
  const sourceId = bind("String", scope.sourceId);
  const unread = unreadOf(bind, visits);
  const loose = [
    ...(hasLoose ? [`SELECT session FROM looseSessions WHERE sourceId = ${sourceId}`] : []),
    ...(unread === null ? [] : [`SELECT session FROM events WHERE sourceId = ${sourceId} AND (${unread})`]),
  ].join(" UNION ALL ");
  const where = storedWhere(bind, sourceId, visits);
  if (loose === "") return { stored: `SELECT ${columns} FROM visits WHERE ${where}`, derived: null };
  const { sessions } = ownOf(bind, scope, side.period);
  return {
    stored: `SELECT ${columns} FROM visits WHERE ${where} AND session NOT IN (${loose})`,
    derived: `SELECT ${columns} FROM (${slicesOf(`${sessions} AND session IN (${loose})`, texts)})`,
  };
}

function hitsOf(bind: Bind, { scope }: Query, side: Side, { hits }: Settled): Source {
  const sourceId = bind("String", scope.sourceId);
  const stored = `SELECT quarter, session, visitor, name, path, pageviews, events FROM hits WHERE ${storedWhere(bind, sourceId, hits)}`;
  const unread = unreadOf(bind, hits);
  if (unread === null) return { stored, derived: null };
  const { own } = ownOf(bind, scope, side.period);
  return {
    stored,
    derived: `SELECT toStartOfFifteenMinutes(occurredAt) AS quarter, session, visitor, name,
        CAST(page.path AS LowCardinality(Nullable(String))) AS path, toUInt32(type = 'page') AS pageviews, toUInt32(1) AS events
      FROM events WHERE ${own} AND ${inPeriod(bind, side.period)} AND (${unread})`,
  };
}

const union = ({ stored, derived }: Source) => (derived === null ? stored : `${stored} UNION ALL ${derived}`);

/** The conditions of the filters on a row of the table. */
function filtersOf(bind: Bind, query: Query, side: Side, settled: Settled, table: Table): string[] {
  const { filters } = query.scope;
  if (table === "visits") return filters.map((filter) => writeOnRow(bind, filter, null));
  const ofSession = (filter: Filter) => {
    const rows = union(visitsOf(bind, query, side, settled, [...new Set(textsOf(filter))]));
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
  const source =
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
  const keys = query.dimensions.map((dimension, at) =>
    kindOf(dimension) === "time" ? dimensionColumn(at) : columnOf(dimension as { name: string }),
  );
  const columns = query.dimensions.map((dimension, at) =>
    kindOf(dimension) === "time"
      ? dimensionColumn(at)
      : `${asText(columnOf(dimension as { name: string }))} AS ${dimensionColumn(at)}`,
  );
  const isFew = needed.includes("visitors") && settled.events < FEW_EVENTS;
  // a user may be several visitors
  const isInParts =
    isFew && !needed.includes("users") && !query.dimensions.some((one) => isOneOf(MANY_NAMES, one));
  const sumOf = (part: Part) => (part === "visitors" && isFew ? DISTINCT : OF_SUMMARY[part]);
  const sums = needed.map((part) => `toFloat64(${sumOf(part)}) AS ${part}_`);
  return `SELECT ${list([...columns, ...sums])} FROM (SELECT ${list(["*", ...times])} FROM (${union(source)}) WHERE ${where}) ${groupBy([...keys, ...(isInParts ? [PART_OF_VISITORS] : [])])}`;
}
