/**
 * Filters that the console's filter menu cannot build, such as "one of these countries". Members save them in segments through
 * the API. The parameter `filter` of the URL has them as JSON.
 */
import type { StatsFilter } from "@headwater/contract";
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

/** Whether the filters are the same, in any order. */
export function areSameFilters(ones: readonly StatsFilter[], others: readonly StatsFilter[]): boolean {
  const textOf = (filters: readonly StatsFilter[]) => filters.map((one) => JSON.stringify(one)).sort();
  return JSON.stringify(textOf(ones)) === JSON.stringify(textOf(others));
}
