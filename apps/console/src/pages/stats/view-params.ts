/** Reads and writes the filters and the time zone of the stats page. The URL holds the whole view, so every view can be shared. */
import type { StatsDimension, StatsFilter, StatsScalar } from "@headwater/contract";
import { STATS_TEXT_DIMENSIONS } from "@headwater/contract/stats-words";
import { browserTimeZone } from "../../time.ts";

export type ViewParams = Readonly<Record<string, string | undefined>>;

/**
 * How a dimension is compared with a value. `lacks`: does not contain. `had`: an event of the same session has the value; for pages
 * it can be a pattern such as `/blog/*`.
 */
export const FILTER_OPERATORS = [
  { value: "is", label: "is" },
  { value: "isNot", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "lacks", label: "does not contain" },
  { value: "matches", label: "matches" },
  { value: "had", label: "is, at any time in the session" },
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number]["value"];

export interface ActiveFilter {
  readonly dimension: StatsDimension;
  readonly operator: FilterOperator;
  readonly value: StatsScalar;
}

const PROPERTY_PREFIX = "property:";

const isTextDimension = (name: string): name is (typeof STATS_TEXT_DIMENSIONS)[number] =>
  (STATS_TEXT_DIMENSIONS as readonly string[]).includes(name);

/** Whether the URL can have a filter by the dimension. */
export const isFilterable = (dimension: StatsDimension): boolean =>
  isTextDimension(dimension) || dimension.startsWith(PROPERTY_PREFIX);

function readScalar(text: string): StatsScalar {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : (value as StatsScalar);
  } catch {
    return text;
  }
}

/** The parameters that list the dimensions that have no value, and those that have one. */
const NULL_LISTS = { is: "missing", isNot: "present" } as const;

const readNulls = (params: ViewParams, operator: keyof typeof NULL_LISTS) =>
  (params[NULL_LISTS[operator]] ?? "").split(",").filter(isTextDimension);

/** @returns the filter of a parameter such as `page`, `isNot.page` or `contains.property:plan`; null for other parameters */
function readFilter(name: string, text: string): ActiveFilter | null {
  const prefixed = FILTER_OPERATORS.find(({ value }) => name.startsWith(`${value}.`))?.value;
  const operator = prefixed ?? "is";
  const dimension = prefixed === undefined ? name : name.slice(prefixed.length + 1);
  if (isTextDimension(dimension)) return { dimension, operator, value: text };
  if (!dimension.startsWith(PROPERTY_PREFIX) || dimension === PROPERTY_PREFIX) return null;
  const isExact = operator === "is" || operator === "isNot";
  // the prefix makes it a dimension
  return { dimension: dimension as StatsDimension, operator, value: isExact ? readScalar(text) : text };
}

/** Each filter is a search parameter. Values of properties are JSON, which distinguishes 1 from "1". */
export function readFilters(params: ViewParams): ActiveFilter[] {
  const withValue = Object.entries(params).flatMap(([name, text]): ActiveFilter[] => {
    const filter = text === undefined ? null : readFilter(name, text);
    return filter === null ? [] : [filter];
  });
  const nulls = (["is", "isNot"] as const).flatMap((operator) =>
    readNulls(params, operator).map((dimension) => ({ dimension, operator, value: null })),
  );
  return [...withValue, ...nulls];
}

const nameOf = (dimension: StatsDimension, operator: FilterOperator): string =>
  operator === "is" ? dimension : `${operator}.${dimension}`;

/**
 * @param value null filters by "has no value", or with `isNot` by "has a value"; undefined removes the filter
 * @returns the search parameters that change
 */
export function filterParams(
  params: ViewParams,
  dimension: StatsDimension,
  value: StatsScalar | undefined,
  operator: FilterOperator = "is",
): ViewParams {
  const name = nameOf(dimension, operator);
  const isExact = operator === "is" || operator === "isNot";
  if (dimension.startsWith(PROPERTY_PREFIX)) {
    const text = isExact ? JSON.stringify(value) : String(value);
    return { [name]: value === undefined ? undefined : text };
  }
  if (!isExact) return { [name]: value?.toString() };
  const others = readNulls(params, operator).filter((other) => other !== dimension);
  const listed = [...others, ...(value === null ? [dimension] : [])].join(",");
  return {
    [name]: value === null ? undefined : value?.toString(),
    [NULL_LISTS[operator]]: listed || undefined,
  };
}

/** @returns the search parameters without any of the filters */
export const withoutFilters = (filters: readonly ActiveFilter[]): ViewParams =>
  Object.assign(
    {},
    ...filters.map(({ dimension, operator }) => filterParams({}, dimension, undefined, operator)),
  );

const WILDCARD = "*";
/** @returns the regular expression of a path pattern */
const toPattern = (path: string): string =>
  `^${path
    .split(WILDCARD)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*")}$`;

function toStatsFilter({ dimension, operator, value }: ActiveFilter): StatsFilter {
  if (operator === "had") {
    const isPattern = dimension === "page" && typeof value === "string" && value.includes(WILDCARD);
    return {
      sessionHas: isPattern
        ? { dimension, operator: "matches", value: toPattern(value) }
        : { dimension, operator: "is", value },
    };
  }
  if (operator === "isNot") return { dimension, operator: "is_not", value };
  if (operator === "lacks") return { not: { dimension, operator: "contains", value } };
  return { dimension, operator, value };
}
export const toStatsFilters = (filters: readonly ActiveFilter[]): StatsFilter[] => filters.map(toStatsFilter);

/** @returns the filter that the API calls so; null for those that the console has no operator for */
function fromStatsFilter(filter: StatsFilter): ActiveFilter | null {
  const isContained = "not" in filter && "dimension" in filter.not && filter.not.operator === "contains";
  if (isContained) {
    const inner = fromStatsFilter(filter.not);
    return inner && { ...inner, operator: "lacks" };
  }
  if ("sessionHas" in filter) {
    const inner = fromStatsFilter(filter.sessionHas);
    if (inner?.operator === "is") return { ...inner, operator: "had" };
    const path = inner?.operator === "matches" ? toPath(String(inner.value)) : null;
    return inner && path !== null ? { ...inner, operator: "had", value: path } : null;
  }
  if (!("dimension" in filter) || Array.isArray(filter.value)) return null;
  const { dimension, value } = filter;
  const operator = filter.operator === "is_not" ? "isNot" : filter.operator;
  const known = FILTER_OPERATORS.find((one) => one.value === operator);
  return known ? { dimension, operator: known.value, value } : null;
}

/** @returns the path pattern of a regular expression of `toPattern`, or null */
function toPath(pattern: string): string | null {
  const path = pattern.slice(1, -1).replaceAll(".*", WILDCARD).replaceAll(/\\(.)/g, "$1");
  return toPattern(path) === pattern ? path : null;
}

interface FilterParams {
  /** The search parameters of the filters that the console has operators for. */
  readonly params: ViewParams;
  /** The filters that no search parameter of their own stands for. */
  readonly others: readonly StatsFilter[];
}

export function statsFilterParams(filters: readonly StatsFilter[]): FilterParams {
  let params: ViewParams = {};
  const others: StatsFilter[] = [];
  for (const filter of filters) {
    const active = fromStatsFilter(filter);
    // a parameter has one value, and two filters can have the same dimension and operator
    if (active === null || nameOf(active.dimension, active.operator) in params) others.push(filter);
    else params = { ...params, ...filterParams(params, active.dimension, active.value, active.operator) };
  }
  return { params, others };
}

/** The `tz` parameter, or the browser's time zone when it is missing or unknown to this browser. */
export function readTimeZone({ tz }: ViewParams): string {
  try {
    const options = tz === undefined ? {} : { timeZone: tz };
    return new Intl.DateTimeFormat("en", options).resolvedOptions().timeZone;
  } catch {
    return browserTimeZone();
  }
}
