/** Filters as people read them. Pure. */
import type { StatsDimension, StatsFilter } from "@headwater/contract";
import { dimensionLabel, formatValue } from "../lists/value-names.ts";
import { type ActiveFilter, FILTER_OPERATORS } from "../view-params.ts";

/** @returns for example `Session with the event signup` or `Session with the page /pricing` */
const formatVisitFilter = (dimension: StatsDimension, value: string): string =>
  `Session with the ${inSentence(dimensionLabel(dimension))} ${value}`;

/** Only the first word of a label has a capital of its own, unless it is an abbreviation. */
const inSentence = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

/** @returns for example `Page is /pricing` or `Traffic source is not Direct / unknown` */
export function formatFilter({ dimension, operator, value }: ActiveFilter): string {
  if (operator === "had") return formatVisitFilter(dimension, formatValue(dimension, value));
  const { label = "is" } = FILTER_OPERATORS.find((one) => one.value === operator) ?? {};
  return `${dimensionLabel(dimension)} ${label} ${formatValue(dimension, value)}`;
}

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
    return `Session with an event where ${lowerFirst(formatStatsFilter(filter.sessionHas))}`;
  const { dimension, operator, value } = filter;
  const values = [value].flat().map((one) => formatValue(dimension, one));
  return `${dimensionLabel(dimension)} ${OPERATOR_TEXTS[operator] ?? operator} ${anyOf.format(values)}`;
}
