/** The filters of a query: read into a checked tree, and written as a condition on a row of `events`. */
import {
  type Issue,
  LIMITS,
  STATS_GOAL_DIMENSION,
  type STATS_OPERATORS,
  type StatsDimension,
  type StatsFilter,
  type StatsScalar,
} from "@headwater/contract";
import {
  type CurrencySql,
  isEventLevel,
  parseDimension,
  queriedTextSql,
  sessionValueSql,
  type ValueDimension,
} from "./dimensions.ts";
import { propertyKeyOf, propertySql } from "./property-sql.ts";
import { allOf, anyOf, type Bind } from "./sql.ts";

/** Conditions in all filters of one query. */
export const MAX_STATS_FILTER_CONDITIONS = 50;
export const MAX_STATS_FILTER_DEPTH = 6;

type Operator = (typeof STATS_OPERATORS)[number];
interface FilterCondition {
  readonly kind: "condition";
  readonly dimension: ValueDimension;
  readonly operator: Operator;
  /** One value, or the list of the operator `in`. */
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

type IssuePath = (string | number)[];
const invalid = (path: IssuePath, message: string): Issue => ({ path, code: "invalid_value", message });

/** ClickHouse accepts a pattern that ends with a single backslash, and matches texts that it should not. */
const ENDS_WITH_LONE_BACKSLASH = /(?<!\\)(?:\\\\)*\\$/;

function patternIssue(pattern: string, path: IssuePath): Issue | null {
  if (ENDS_WITH_LONE_BACKSLASH.test(pattern))
    return invalid(path, "a pattern cannot end with a single backslash; write two to match one");
  const isTooLong = pattern.length > LIMITS.maxStatsPatternLength;
  return isTooLong ? invalid(path, `a pattern has at most ${LIMITS.maxStatsPatternLength} characters`) : null;
}

function conditionIssue({ dimension, operator, values }: FilterCondition, path: IssuePath): Issue | null {
  const valuePath = [...path, "value"];
  const [value] = values;
  switch (operator) {
    case "gt":
    case "lt":
      if (dimension.kind !== "property") return invalid(path, `${operator} works on properties only`);
      return typeof value === "number" ? null : invalid(valuePath, `${operator} takes a number`);
    case "contains":
    case "matches":
      if (typeof value !== "string" || value === "")
        return invalid(valuePath, `${operator} takes a string that is not empty`);
      return operator === "matches" ? patternIssue(value, valuePath) : null;
    default: {
      const areTexts = values.every((one) => one === null || typeof one === "string");
      if (dimension.kind === "property" || areTexts) return null;
      return invalid(valuePath, "must be a string or null");
    }
  }
}

function readCondition(members: FilterMembers, path: IssuePath, issues: Issue[]): FilterCondition | null {
  const { dimension: name, operator, value } = members;
  for (const [member, given] of Object.entries({ dimension: name, operator, value }))
    if (given === undefined)
      issues.push({ path: [...path, member], code: "required", message: `${member} is required` });
  if (name === undefined || operator === undefined || value === undefined) return null;
  if (name === STATS_GOAL_DIMENSION) {
    issues.push(invalid([...path, "dimension"], "filters cannot use goal; filter by event or page"));
    return null;
  }
  const dimension = parseDimension(name);
  if (dimension.kind === "time") {
    issues.push(invalid([...path, "dimension"], "dateRange chooses the time; filters cannot"));
    return null;
  }
  if (Array.isArray(value) !== (operator === "in")) {
    issues.push(invalid([...path, "value"], "in takes a list; every other operator takes one value"));
    return null;
  }
  const values = Array.isArray(value) ? value : [value];
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
  const readList = (of: readonly StatsFilter[], path: IssuePath, depth: number) =>
    of.flatMap((one, index) => read(one, [...path, index], depth));
  const read = (members: FilterMembers, path: IssuePath, depth: number): QueryFilter[] => {
    const { and, or, not, sessionHas } = members;
    if (depth > MAX_STATS_FILTER_DEPTH) {
      issues.push(invalid(path, `filters nest at most ${MAX_STATS_FILTER_DEPTH} levels deep`));
      return [];
    }
    const isCombinator = [and, or, not, sessionHas].some((one) => one !== undefined);
    if (isCombinator && Object.keys(members).length > 1) {
      issues.push(invalid(path, `a filter has dimension, operator and value, or one of ${COMBINATORS}`));
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
    issues.push({ path: ["filters"], code: "too_many", message });
  }
  return tree;
}

const textsOf = (values: readonly StatsScalar[]) => values.filter((one) => typeof one === "string");

/**
 * Whether a text satisfies a condition, as SQL that is never NULL. `is_not` is written as `is`: the caller negates it.
 * @param text SQL of a text or NULL
 */
export function textConditionSql(bind: Bind, text: string, { operator, values }: FilterCondition): string {
  switch (operator) {
    case "contains":
      return `ifNull(position(${text}, ${bind("String", String(values[0]))}) > 0, 0)`;
    case "matches":
      return `ifNull(match(${text}, ${bind("String", String(values[0]))}), 0)`;
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
  const keys = values.filter((value) => value !== null).map(propertyKeyOf);
  return `ifNull(${key} IN ${bind("Array(String)", keys)}, ${Number(values.includes(null))})`;
}

/** A condition on a property, as SQL that is never NULL. */
export function writePropertyCondition(bind: Bind, condition: FilterCondition): string {
  const sql = propertyConditionSql(bind, condition.dimension.name, condition);
  return condition.operator === "is_not" ? `NOT (${sql})` : sql;
}

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
  /** Selects every event of each session in the queried period, also events before or after the period. */
  readonly sessionEvents: string;
  readonly currency: CurrencySql;
}

/** @returns a condition on a row of `events`, 0 or 1 */
export function writeFilter(bind: Bind, filter: QueryFilter, context: FilterContext): string {
  const { sessionEvents, currency } = context;
  const inSessions = (rest: string) =>
    `session IN (SELECT session FROM events WHERE ${sessionEvents} ${rest})`;
  const writeCondition = (condition: FilterCondition): string => {
    const { dimension } = condition;
    if (dimension.kind === "property") return propertyConditionSql(bind, dimension.name, condition);
    if (isEventLevel(dimension))
      return textConditionSql(bind, queriedTextSql(bind, dimension.name, currency), condition);
    const value = sessionValueSql(dimension.name);
    return inSessions(`GROUP BY session HAVING ${textConditionSql(bind, value, condition)}`);
  };
  return writeFilterTree(filter, (one) => {
    if (one.kind === "sessionHas") return inSessions(`AND (${writeFilter(bind, one.of, context)})`);
    if (one.kind !== "condition") return null;
    const sql = writeCondition(one);
    return one.operator === "is_not" ? `NOT (${sql})` : sql;
  });
}
