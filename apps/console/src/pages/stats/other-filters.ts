/**
 * Filters that the console's filter menu cannot build, such as "one of these countries". Members save them in segments through
 * the API. The parameter `filter` of the URL has them as JSON.
 */
import type { StatsFilter } from "@headwater/contract";
import { dimensionLabel, formatValue } from "./lists/value-names.ts";
import type { ViewParams } from "./view-params.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The URL may have anything. */
function isStatsFilter(value: unknown): value is StatsFilter {
  if (!isObject(value)) return false;
  if ("not" in value) return isStatsFilter(value.not);
  if ("sessionHas" in value) return isStatsFilter(value.sessionHas);
  const parts = value.and ?? value.or;
  if (parts !== undefined) return Array.isArray(parts) && parts.every(isStatsFilter);
  const compared = Array.isArray(value.value) ? value.value : [value.value];
  return (
    typeof value.dimension === "string" &&
    typeof value.operator === "string" &&
    compared.every((one) => one === null || ["string", "number", "boolean"].includes(typeof one))
  );
}

export function readOtherFilters({ filter = "[]" }: ViewParams): StatsFilter[] {
  try {
    const given: unknown = JSON.parse(filter);
    return Array.isArray(given) ? given.filter(isStatsFilter) : [];
  } catch {
    return [];
  }
}

/** @returns the search parameter of the filters */
export const otherFilterParams = (filters: readonly StatsFilter[]): ViewParams => ({
  filter: filters.length === 0 ? undefined : JSON.stringify(filters),
});

const OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  is_not: "is not",
  in: "is",
  gt: "is more than",
  lt: "is less than",
};
const anyOf = new Intl.ListFormat("en", { type: "disjunction" });

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** @returns for example `Country is Germany, France, or Spain`, or `(Page is / or Event is signup)` */
export function formatStatsFilter(filter: StatsFilter): string {
  if ("and" in filter) return `(${filter.and.map(formatStatsFilter).join(" and ")})`;
  if ("or" in filter) return `(${filter.or.map(formatStatsFilter).join(" or ")})`;
  if ("not" in filter) return `not ${formatStatsFilter(filter.not)}`;
  if ("sessionHas" in filter)
    return `Visit with an event whose ${lowerFirst(formatStatsFilter(filter.sessionHas))}`;
  const { dimension, operator, value } = filter;
  const values = [value].flat().map((one) => formatValue(dimension, one));
  return `${dimensionLabel(dimension)} ${OPERATOR_TEXTS[operator] ?? operator} ${anyOf.format(values)}`;
}

/** Whether the filters are the same, in any order. */
export function areSameFilters(ones: readonly StatsFilter[], others: readonly StatsFilter[]): boolean {
  const textOf = (filters: readonly StatsFilter[]) => filters.map((one) => JSON.stringify(one)).sort();
  return JSON.stringify(textOf(ones)) === JSON.stringify(textOf(others));
}
