/** A table of the Explore view as search parameters: `rows=channel,device&columns=visitors,bounceRate&sort=-visitors`. Pure. */
import type { StatsDimension, StatsMetric } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import {
  STATS_ATTRIBUTION_DIMENSIONS,
  STATS_BY_GOAL_METRICS,
  STATS_GOAL_DIMENSION,
  STATS_GOAL_METRICS,
} from "@headwater/contract/stats-words";
import { isStickiness } from "../format.ts";
import type { ViewParams } from "../view-params.ts";
import { dimensionField, isMoney, metricField } from "./fields.ts";

export interface TableOrder {
  readonly field: StatsDimension | StatsMetric;
  readonly direction: "asc" | "desc";
}

export interface ExploreTable {
  readonly rows: readonly StatsDimension[];
  /** The chosen metrics. They stay chosen while the rows do not have them. */
  readonly chosen: readonly StatsMetric[];
  /** The metrics that are shown: the chosen ones that the rows have. */
  readonly columns: readonly [StatsMetric, ...StatsMetric[]];
  readonly order: TableOrder;
}

/** A name may have a comma. */
const encode = (name: string) => name.replaceAll("%", "%25").replaceAll(",", "%2C");
const decode = (text: string) => text.replaceAll("%2C", ",").replaceAll("%25", "%");
const toList = (names: readonly string[]) => names.map(encode).join(",");

function fromList<Name extends string>(
  text: string,
  find: (name: string) => { readonly name: Name } | undefined,
): Name[] {
  const found = text.split(",").flatMap((part) => find(decode(part))?.name ?? []);
  return [...new Set(found)];
}

/** Metrics that a page has, but no other value. */
const PAGE_METRICS: ReadonlySet<StatsMetric> = new Set(["entrances", "exits", "exitRate"]);

/** Metrics of the days until a day. */
export const isRolling = (metric: string): boolean => /^visitors\d/.test(metric) || isStickiness(metric);

const isPartOfDay = (dimension: StatsDimension) => /^(?:time:hour|hourOfDay|dayOfWeek)$/.test(dimension);

/** @returns why rows of these dimensions do not have the metric; null: they have it */
export function missingReason(rows: readonly StatsDimension[], metric: StatsMetric): string | null {
  if (rows.includes(STATS_GOAL_DIMENSION))
    return STATS_BY_GOAL_METRICS.some((name) => name === metric) ? null : "Remove the row “Goal”";
  if (isRolling(metric) && rows.some(isPartOfDay)) return "Remove rows by hour or weekday";
  if (isStickiness(metric) && !rows.includes("time:day")) return "Add the row “Day”";
  if (PAGE_METRICS.has(metric) && !rows.includes("page")) return "Add the row “Page”";
  return null;
}

/** Rows of a time or of the clock are read in their own order, and those of a goal are compared with each other. */
const isTime = (dimension: StatsDimension | undefined) =>
  dimension !== undefined && /^(?:time:|hourOfDay$|dayOfWeek$)/.test(dimension);

function readOrder(text: string, { rows, columns }: Pick<ExploreTable, "rows" | "columns">): TableOrder {
  const direction = text.startsWith("-") ? "desc" : "asc";
  const field = [...rows, ...columns].find((name) => name === text.replace(/^-/, ""));
  if (field !== undefined) return { field, direction };
  const [first] = rows;
  const isGrouped = first === STATS_GOAL_DIMENSION && rows.length > 1;
  return first !== undefined && (isTime(first) || isGrouped)
    ? { field: first, direction: "asc" }
    : { field: columns[0], direction: "desc" };
}

/** @returns the order of the rows. Those of one value are sorted by the first figure, unless the next dimension has an order. */
export const ordersOf = ({ rows, columns, order }: ExploreTable): TableOrder[] =>
  rows[0] === order.field && rows.length > 1 && !isTime(rows[1])
    ? [order, { field: columns[0], direction: "desc" }]
    : [order];

/** @returns the table; null: the parameters describe none */
export function readTable({ rows = "", columns = "", sort = "" }: ViewParams): ExploreTable | null {
  const dimensions = fromList(rows, dimensionField).slice(0, LIMITS.maxStatsDimensions);
  const fallback: StatsMetric = "visitors";
  const named = fromList(columns, metricField).slice(0, LIMITS.maxStatsMetrics);
  const chosen = named.length === 0 ? [fallback] : named;
  const [first = fallback, ...others] = chosen.filter((metric) => missingReason(dimensions, metric) === null);
  if (rows === "" && columns === "") return null;
  const table = { rows: dimensions, chosen, columns: [first, ...others] as const };
  return { ...table, order: readOrder(sort, table) };
}

/** @returns the search parameters of a table, in its usual order */
export const tableParams = (rows: readonly string[], columns: readonly string[]): ViewParams => ({
  rows: toList(rows),
  columns: toList(columns),
  sort: undefined,
});
export const orderParams = ({ field, direction }: TableOrder): ViewParams => ({
  sort: direction === "desc" ? `-${field}` : field,
});

/** Whether the sessions that dimensions of the table are of can be chosen: see `attribution` of the API. */
export const hasAttribution = ({ rows, columns }: ExploreTable): boolean =>
  rows.some((name) => STATS_ATTRIBUTION_DIMENSIONS.some((one) => one === name)) &&
  columns.every((name) => STATS_GOAL_METRICS.some((one) => one === name));

/** Whether the table is hours by weekdays, which are shown as a grid. */
export const isWeek = (dimensions: readonly string[]): boolean =>
  dimensions.length === 2 && dimensions.includes("hourOfDay") && dimensions.includes("dayOfWeek");

/** Whether the rows have a total: an event may reach several goals, and metrics of a page and amounts of currencies have no sum. */
export const hasTotal = ({ rows, columns }: ExploreTable): boolean =>
  rows.length > 0 &&
  !isWeek(rows) &&
  !rows.includes(STATS_GOAL_DIMENSION) &&
  !columns.some((name) => PAGE_METRICS.has(name) || (isMoney(name) && rows.includes("currency")));
