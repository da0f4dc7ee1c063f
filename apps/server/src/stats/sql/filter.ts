/** The filters of a query: read into a checked tree, and written as a condition on a row of `events`. */

import {
  type Issue,
  LIMITS,
  type STATS_OPERATORS,
  type StatsDimension,
  type StatsFilter,
  type StatsScalar,
} from "@headwater/contract";
import { normalizePath } from "@headwater/contract/path-pattern";
import { issueAt } from "../../core/refusal.ts";
import {
  type ClockDimension,
  type FilterDimension,
  isEventLevel,
  isPath,
  parseDimension,
  type QueriedTexts,
  queriedTextSql,
  sessionValueSql,
} from "./dimensions.ts";
import { maySpellSql, propertyKeyOf, propertySql } from "./properties.ts";
import { allOf, anyOf, type Bind } from "./statement.ts";

/** Conditions in all filters of one query. */
export const MAX_STATS_FILTER_CONDITIONS = 50;
export const MAX_STATS_FILTER_DEPTH = 6;

type Operator = (typeof STATS_OPERATORS)[number];
interface FilterCondition {
  readonly kind: "condition";
  readonly dimension: FilterDimension;
  readonly operator: Operator;
  /** One value, or the list of the operator `in`; a path in each form in which it may be stored. */
  readonly values: readonly StatsScalar[];
}
export type QueryFilter =
  | FilterCondition
  | { readonly kind: "and" | "or"; readonly of: readonly QueryFilter[] }
  | { readonly kind: "not" | "sessionHas"; readonly of: QueryFilter };

/** What the schema admits: any of the members, in any combination. */
interface FilterMembers {
  readonly dimension?: StatsDimension;
  readonly operator?: Operator;
  readonly value?: StatsScalar | StatsScalar[];
  readonly and?: StatsFilter[];
  readonly or?: StatsFilter[];
  readonly not?: StatsFilter;
  readonly sessionHas?: StatsFilter;
}

/** ClickHouse accepts a pattern that ends with a single backslash, and matches texts that it should not. */
const ENDS_WITH_LONE_BACKSLASH = /(?<!\\)(?:\\\\)*\\$/;

function patternIssue(pattern: string, path: Issue["path"]): Issue | null {
  if (ENDS_WITH_LONE_BACKSLASH.test(pattern))
    return issueAt(path, "a pattern cannot end with a single backslash; write two to match one");
  const isTooLong = pattern.length > LIMITS.maxStatsPatternLength;
  return isTooLong ? issueAt(path, `a pattern has at most ${LIMITS.maxStatsPatternLength} characters`) : null;
}

const CLOCK_RANGES = { hourOfDay: [0, 23], dayOfWeek: [1, 7] } as const;

function clockIssue(
  { name }: ClockDimension,
  { operator, values }: FilterCondition,
  path: Issue["path"],
): Issue | null {
  if (operator !== "is" && operator !== "is_not" && operator !== "in")
    return issueAt(path, `${name} takes the operators is, is_not and in`);
  const [first, last] = CLOCK_RANGES[name];
  const isInRange = (value: StatsScalar) =>
    typeof value === "number" && Number.isInteger(value) && value >= first && value <= last;
  if (values.every(isInRange)) return null;
  return issueAt([...path, "value"], `${name} is a whole number from ${first} to ${last}`);
}

function conditionIssue(condition: FilterCondition, path: Issue["path"]): Issue | null {
  const { dimension, operator, values } = condition;
  if (dimension.kind === "clock") return clockIssue(dimension, condition, path);
  const valuePath = [...path, "value"];
  const [value] = values;
  switch (operator) {
    case "gt":
    case "lt":
      if (dimension.kind !== "property") return issueAt(path, `${operator} works on properties only`);
      return typeof value === "number" ? null : issueAt(valuePath, `${operator} takes a number`);
    case "contains":
    case "matches":
      if (typeof value !== "string" || value === "")
        return issueAt(valuePath, `${operator} takes a string that is not empty`);
      return operator === "matches" ? patternIssue(value, valuePath) : null;
    default: {
      const areTexts = values.every((one) => one === null || typeof one === "string");
      if (dimension.kind === "property" || areTexts) return null;
      return issueAt(valuePath, "must be a string or null");
    }
  }
}

function readCondition(members: FilterMembers, path: Issue["path"], issues: Issue[]): FilterCondition | null {
  const { dimension: name, operator, value } = members;
  for (const [member, given] of Object.entries({ dimension: name, operator, value }))
    if (given === undefined) issues.push(issueAt([...path, member], `${member} is required`, "required"));
  if (name === undefined || operator === undefined || value === undefined) return null;
  const dimension = parseDimension(name);
  if (dimension.kind === "goal") {
    issues.push(issueAt([...path, "dimension"], "filters cannot use goal; filter by event or page"));
    return null;
  }
  if (dimension.kind === "time") {
    issues.push(issueAt([...path, "dimension"], "dateRange chooses the time; filters cannot"));
    return null;
  }
  if (Array.isArray(value) !== (operator === "in")) {
    issues.push(issueAt([...path, "value"], "in takes a list; every other operator takes one value"));
    return null;
  }
  const given = Array.isArray(value) ? value : [value];
  const stored = given.map((one) => (typeof one === "string" ? normalizePath(one) : one));
  // a regular expression is no path, and a part of a path may cut a percent-encoding
  const values = isPath(dimension) && operator !== "matches" ? [...new Set([...given, ...stored])] : given;
  const condition: FilterCondition = { kind: "condition", dimension, operator, values };
  const issue = conditionIssue(condition, path);
  if (issue) issues.push(issue);
  return condition;
}

const COMBINATORS = "and, or, not, sessionHas";

/**
 * @param filters what the schema admits
 * @param issues problems that the schema cannot detect are added here
 */
export function readFilters(filters: readonly StatsFilter[], issues: Issue[]): QueryFilter[] {
  let conditions = 0;
  const readList = (of: readonly StatsFilter[], path: Issue["path"], depth: number) =>
    of.flatMap((one, index) => read(one, [...path, index], depth));
  const read = (members: FilterMembers, path: Issue["path"], depth: number): QueryFilter[] => {
    const { and, or, not, sessionHas } = members;
    if (depth > MAX_STATS_FILTER_DEPTH) {
      issues.push(issueAt(path, `filters nest at most ${MAX_STATS_FILTER_DEPTH} levels deep`));
      return [];
    }
    const isCombinator = [and, or, not, sessionHas].some((one) => one !== undefined);
    if (isCombinator && Object.keys(members).length > 1) {
      issues.push(issueAt(path, `a filter has dimension, operator and value, or one of ${COMBINATORS}`));
      return [];
    }
    if (and) return [{ kind: "and", of: readList(and, [...path, "and"], depth + 1) }];
    if (or) return [{ kind: "or", of: readList(or, [...path, "or"], depth + 1) }];
    if (not) return read(not, [...path, "not"], depth + 1).map((of) => ({ kind: "not", of }));
    if (sessionHas)
      return read(sessionHas, [...path, "sessionHas"], depth + 1).map((of) => ({ kind: "sessionHas", of }));
    conditions += 1;
    const condition = readCondition(members, path, issues);
    return condition === null ? [] : [condition];
  };
  const tree = readList(filters, ["filters"], 1);
  const max = MAX_STATS_FILTER_CONDITIONS;
  if (conditions > max) {
    const message = `a query has at most ${max} filters, nested ones included`;
    issues.push(issueAt(["filters"], message, "too_many"));
  }
  return tree;
}

/** Whether a regular expression has letters that stored paths have percent-encoded only. */
const isReadable = (pattern: string) => /[^\x20-\x7e]/.test(pattern);

const textsOf = (values: readonly StatsScalar[]) => values.filter((one) => typeof one === "string");

/**
 * Whether a text satisfies a condition, as SQL that is never NULL. `is_not` is written as `is`: the caller negates it.
 * @param text SQL of a text or NULL
 */
export function textConditionSql(bind: Bind, text: string, condition: FilterCondition): string {
  const { dimension, operator, values } = condition;
  switch (operator) {
    case "contains":
      return anyOf(
        values.map((value) => `ifNull(position(${text}, ${bind("String", String(value))}) > 0, 0)`),
      );
    case "matches": {
      const pattern = String(values[0]);
      const matched = isPath(dimension) && isReadable(pattern) ? `decodeURLComponent(${text})` : text;
      return `ifNull(match(${matched}, ${bind("String", pattern)}), 0)`;
    }
    default:
      return anyOf([
        ...(values.includes(null) ? [`${text} IS NULL`] : []),
        `ifNull(${text} IN ${bind("Array(String)", textsOf(values))}, 0)`,
      ]);
  }
}

/** `is_not` is written as `is`: the caller negates it. */
function propertyConditionSql(bind: Bind, name: string, condition: FilterCondition): string {
  const { operator, values } = condition;
  const { text, number, key } = propertySql(bind, name);
  if (operator === "gt" || operator === "lt")
    return `ifNull(${number} ${operator === "gt" ? ">" : "<"} ${bind("Float64", Number(values[0]))}, 0)`;
  if (operator === "contains" || operator === "matches") return textConditionSql(bind, text, condition);
  const given = values.filter((value) => value !== null);
  const keys = given.map(propertyKeyOf);
  const isOneOf = `ifNull(${key} IN ${bind("Array(String)", keys)}, ${Number(values.includes(null))})`;
  return values.includes(null) ? isOneOf : allOf([maySpellSql(bind, name, given), isOneOf]);
}

/** A condition that was written as `is`. */
export const negatable = ({ operator }: FilterCondition, sql: string): string =>
  operator === "is_not" ? `NOT (${sql})` : sql;

/** A condition on a property, as SQL that is never NULL. */
export const writePropertyCondition = (bind: Bind, condition: FilterCondition): string =>
  negatable(condition, propertyConditionSql(bind, condition.dimension.name, condition));

/**
 * Writes a filter as SQL.
 * @param writeNode returns the SQL of a node, or null for an `and`, `or` or `not` whose children are then written one by one
 */
export function writeFilterTree(
  filter: QueryFilter,
  writeNode: (filter: QueryFilter) => string | null,
): string {
  const written = writeNode(filter);
  if (written !== null) return written;
  switch (filter.kind) {
    case "and":
      return allOf(filter.of.map((one) => writeFilterTree(one, writeNode)));
    case "or":
      return anyOf(filter.of.map((one) => writeFilterTree(one, writeNode)));
    case "not":
      return `NOT (${writeFilterTree(filter.of, writeNode)})`;
    default:
      throw new Error(`cannot write a filter of the kind ${filter.kind}`);
  }
}

interface FilterContext {
  /** The table that sessions are read from: `events`, with the columns of first visits that the filter needs. */
  readonly table: string;
  /** Selects every event of each session in the queried period, also events before or after the period. */
  readonly sessionEvents: string;
  readonly texts: QueriedTexts;
  /** The SQL of a dimension of the clock at the time of an event. */
  readonly clock: (dimension: ClockDimension) => string;
}

/** Whether a filter selects all events of a session or none. */
function isOfSessions(filter: QueryFilter): boolean {
  if (filter.kind === "sessionHas") return true;
  if (filter.kind === "condition") return !isEventLevel(filter.dimension);
  return "kind" in filter.of ? isOfSessions(filter.of) : filter.of.every(isOfSessions);
}

/** What the subqueries of a filter of sessions cost: finding sessions by an event half as much as grouping their events. */
function subqueryCost(filter: QueryFilter): number {
  if (filter.kind === "sessionHas") return 1;
  if (filter.kind === "condition") return 2;
  return [filter.of].flat().reduce((sum, one) => sum + subqueryCost(one), 0);
}
/** Grouping the events of all sessions once costs less than this. */
const MIN_GROUPED_COST = 3;

/** @returns a condition on a row of `events`, 0 or 1 */
export function writeFilter(bind: Bind, filter: QueryFilter, context: FilterContext): string {
  const { table, sessionEvents, texts, clock } = context;
  const inSessions = (rest: string) =>
    `session IN (SELECT session FROM ${table} WHERE ${sessionEvents} ${rest})`;
  const write = (one: QueryFilter) => writeFilter(bind, one, context);
  /** A filter of sessions as an aggregate over the events of each. */
  const writeOfSession = (ofSessions: QueryFilter): string =>
    writeFilterTree(ofSessions, (one) => {
      if (one.kind === "sessionHas") return `max(${write(one.of)})`;
      if (one.kind !== "condition" || one.dimension.kind !== "text") return null;
      return negatable(one, textConditionSql(bind, sessionValueSql(one.dimension.name), one));
    });
  return writeFilterTree(filter, (one) => {
    if (one.kind === "sessionHas") return inSessions(`AND (${write(one.of)})`);
    if (one.kind === "and" || one.kind === "or") {
      const ofSessions = one.of.filter(isOfSessions);
      const cost = ofSessions.reduce((sum, part) => sum + subqueryCost(part), 0);
      if (ofSessions.length < 2 || cost < MIN_GROUPED_COST) return null;
      const join = one.kind === "and" ? allOf : anyOf;
      const others = one.of.filter((other) => !isOfSessions(other)).map(write);
      return join([...others, inSessions(`GROUP BY session HAVING ${join(ofSessions.map(writeOfSession))}`)]);
    }
    if (one.kind !== "condition") return null;
    const { dimension } = one;
    if (dimension.kind === "property") return writePropertyCondition(bind, one);
    if (dimension.kind === "clock")
      return negatable(one, `${clock(dimension)} IN ${bind("Array(Int64)", one.values.map(Number))}`);
    if (isEventLevel(dimension))
      return negatable(one, textConditionSql(bind, queriedTextSql(bind, dimension.name, texts), one));
    const value = textConditionSql(bind, sessionValueSql(dimension.name), one);
    return negatable(one, inSessions(`GROUP BY session HAVING ${value}`));
  });
}

/** The dimensions of all conditions of a filter. */
export function dimensionsOf(filter: QueryFilter): FilterCondition["dimension"][] {
  return filter.kind === "condition" ? [filter.dimension] : [filter.of].flat().flatMap(dimensionsOf);
}
/** Whether a filter has a condition on a dimension. */
const reads = (filter: QueryFilter, name: keyof QueriedTexts): boolean =>
  dimensionsOf(filter).some((dimension) => dimension.kind === "text" && dimension.name === name);
export const readsCurrency = (filter: QueryFilter): boolean => reads(filter, "currency");
export const readsContentGroup = (filter: QueryFilter): boolean => reads(filter, "contentGroup");
