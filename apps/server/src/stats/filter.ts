/** A question's filters: read into a tree that is right, and written as conditions on a row of `events`. */

import {
  type Issue,
  LIMITS,
  type STATS_OPERATORS,
  type StatsDimension,
  type StatsFilter,
  type StatsScalar,
} from "@headwater/contract";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { asText, type Dimension, propertyIssue, propertyOf, readDimension, TEXTS } from "./dimensions.ts";
import { all, any, type Bind } from "./sql.ts";

type Operator = (typeof STATS_OPERATORS)[number];
export interface Leaf {
  readonly kind: "leaf";
  readonly dimension: Exclude<Dimension, { kind: "time" }>;
  readonly operator: Operator;
  /** One, unless the operator is `in`. */
  readonly values: readonly StatsScalar[];
}
export type Filter =
  | Leaf
  | { readonly kind: "and" | "or"; readonly of: readonly Filter[] }
  | { readonly kind: "not" | "sessionHas"; readonly of: Filter };

type Path = (string | number)[];
const FORMS = ["and", "or", "not", "sessionHas"] as const;
const LEAF = ["dimension", "operator", "value"] as const;

const wrong = (path: Path, message: string): Issue => ({ path, code: "invalid_value", message });

/** The engine takes a pattern that ends so, and finds it in texts where it is not. */
const HALF_ESCAPE = /(?<!\\)(?:\\\\)*\\$/;

function leafIssue({ dimension, operator, values }: Leaf, path: Path): Issue | null {
  const ofValue = [...path, "value"];
  const isOf = (type: string) => values.every((value) => typeof value === type);
  if (operator === "gt" || operator === "lt") {
    if (dimension.kind !== "property") return wrong(path, `${operator} compares properties alone`);
    return isOf("number") ? null : wrong(ofValue, `${operator} takes a number`);
  }
  if (operator === "contains" || operator === "matches") {
    if (!isOf("string") || values[0] === "") return wrong(ofValue, `${operator} takes a text`);
    if (operator === "matches" && HALF_ESCAPE.test(String(values[0])))
      return wrong(ofValue, "a pattern does not end with a single backslash: write two to find one");
    const isLong = operator === "matches" && String(values[0]).length > LIMITS.maxStatsPatternLength;
    return isLong ? wrong(ofValue, `a pattern has at most ${LIMITS.maxStatsPatternLength} characters`) : null;
  }
  const isText = values.every((value) => value === null || typeof value === "string");
  return dimension.kind === "property" || isText ? null : wrong(ofValue, "must be a text, or null");
}

function readLeaf(given: Record<string, unknown>, path: Path, issues: Issue[]): Filter | null {
  const missing = LEAF.filter((name) => given[name] === undefined);
  for (const name of missing)
    issues.push({ path: [...path, name], code: "required", message: `${name} is required` });
  if (missing.length > 0) return null;
  const dimension = readDimension(given.dimension as StatsDimension);
  const operator = given.operator as Operator;
  const value = given.value as StatsScalar | StatsScalar[];
  if (dimension.kind === "time") {
    issues.push(wrong([...path, "dimension"], "times are chosen by dateRange"));
    return null;
  }
  if (Array.isArray(value) !== (operator === "in")) {
    issues.push(wrong([...path, "value"], "in takes a list, every other operator one value"));
    return null;
  }
  const leaf: Leaf = { kind: "leaf", dimension, operator, values: Array.isArray(value) ? value : [value] };
  if (dimension.kind === "property") issues.push(...propertyIssue(dimension.name, [...path, "dimension"]));
  const issue = leafIssue(leaf, path);
  if (issue) issues.push(issue);
  return leaf;
}

/**
 * @param given what fits the contract's schema
 * @param issues gets what is wrong beyond it
 */
export function readFilters(given: readonly StatsFilter[], issues: Issue[]): Filter[] {
  let leaves = 0;
  const read = (one: StatsFilter, path: Path, depth: number): Filter[] => {
    const members = Object.keys(one);
    const form = FORMS.find((name) => members.includes(name));
    if (depth > SERVER_LIMITS.statsFilterDepth) {
      issues.push(wrong(path, `filters nest at most ${SERVER_LIMITS.statsFilterDepth} levels`));
      return [];
    }
    if (form === undefined) {
      leaves += 1;
      const leaf = readLeaf(one as Record<string, unknown>, path, issues);
      return leaf === null ? [] : [leaf];
    }
    if (members.length > 1) {
      issues.push(
        wrong(path, `a filter is a dimension with operator and value, or one of ${FORMS.join(", ")}`),
      );
      return [];
    }
    const within = (one as Record<string, unknown>)[form];
    if (form === "and" || form === "or") {
      const of = (within as StatsFilter[]).flatMap((part, at) => read(part, [...path, form, at], depth + 1));
      return [{ kind: form, of }];
    }
    return read(within as StatsFilter, [...path, form], depth + 1).map((of) => ({ kind: form, of }));
  };
  const filters = given.flatMap((one, at) => read(one, ["filters", at], 1));
  if (leaves > SERVER_LIMITS.statsFilterLeaves)
    issues.push({
      path: ["filters"],
      code: "too_many",
      message: `a question has at most ${SERVER_LIMITS.statsFilterLeaves} filters in all`,
    });
  return filters;
}

const only = <T extends StatsScalar>(values: readonly StatsScalar[], type: string): T[] =>
  values.filter((value) => typeof value === type) as T[];

/** Whether a text that may be missing fits; never null. */
export function fits(bind: Bind, text: string, { operator, values }: Leaf): string {
  const one = () => bind("String", String(values[0]));
  switch (operator) {
    case "contains":
      return `ifNull(position(${text}, ${one()}) > 0, 0)`;
    case "matches":
      return `ifNull(match(${text}, ${one()}), 0)`;
    default:
      return any([
        ...(values.includes(null) ? [`${text} IS NULL`] : []),
        `ifNull(${text} IN ${bind("Array(String)", only<string>(values, "string"))}, 0)`,
      ]);
  }
}

function propertyFits(bind: Bind, name: string, leaf: Leaf): string {
  const { operator, values } = leaf;
  const { text, number, boolean, key } = propertyOf(bind, name);
  if (operator === "gt" || operator === "lt")
    return `ifNull(${number} ${operator === "gt" ? ">" : "<"} ${bind("Float64", values[0] as number)}, 0)`;
  if (operator === "contains" || operator === "matches") return fits(bind, text, leaf);
  const numbers = only<number>(values, "number");
  return any([
    ...(values.includes(null) ? [`${key} IS NULL`] : []),
    `ifNull(${text} IN ${bind("Array(String)", only<string>(values, "string"))}, 0)`,
    ...(numbers.length > 0 ? [`ifNull(${number} IN ${bind("Array(Float64)", numbers)}, 0)`] : []),
    ...only<boolean>(values, "boolean").map((value) => `ifNull(${boolean} = ${value}, 0)`),
  ]);
}

/** Order of time, then of id, as one text: to compare pairs costs the engine four times as much. */
const ORDER = "hex(toUInt64(toUnixTimestamp64Milli(occurredAt))), eventId";
/** An aggregate function leaves out what is null, and that is an answer: it is a text without a mark. */
const marked = (text: string) => `ifNull(concat('=', ${text}), '')`;
const unmarked = (value: string) => `if(empty(${value}), NULL, substring(${value}, 2))`;
/** What the first event of a session says. */
export const entryOf = (text: string): string => unmarked(`argMin(${marked(text)}, concat(${ORDER}))`);
/** What the last says: page views before others. */
export const exitOf = (text: string): string =>
  unmarked(`argMax(${marked(text)}, concat(if(${IS_PAGE_VIEW}, '1', '0'), ${ORDER}))`);

/**
 * @param sessionsWhere the condition under which events make sessions: theirs, not only those of the period
 * @returns a condition on a row of `events`, 0 or 1
 */
export function writeFilter(bind: Bind, filter: Filter, sessionsWhere: string): string {
  const write = (one: Filter) => writeFilter(bind, one, sessionsWhere);
  switch (filter.kind) {
    case "and":
      return all(filter.of.map(write));
    case "or":
      return any(filter.of.map(write));
    case "not":
      return `NOT (${write(filter.of)})`;
    case "sessionHas":
      return `session IN (SELECT session FROM events WHERE ${sessionsWhere} AND (${write(filter.of)}))`;
  }
  const { dimension, operator } = filter;
  if (operator === "is_not") return `NOT (${write({ ...filter, operator: "is" })})`;
  if (dimension.kind === "property") return propertyFits(bind, dimension.name, filter);
  const { of, sql } = TEXTS[dimension.name];
  const text = asText(sql);
  if (of === "event") return fits(bind, text, filter);
  const value = of === "entry" ? entryOf(text) : exitOf(text);
  return `session IN (SELECT session FROM events WHERE ${sessionsWhere}
    GROUP BY session HAVING ${fits(bind, value, filter)})`;
}
