/** The rule of the metric `revenue`: amounts in different currencies are never added. */

import type { Issue, StatsFilter, StatsQueryBody } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import type { Dimension } from "./sql/dimensions.ts";
import type { QueryFilter } from "./sql/filter.ts";

/** Whether a filter selects the events of one currency. */
function selectsCurrency(filter: StatsFilter): boolean {
  if ("and" in filter) return filter.and.some(selectsCurrency);
  if (!("dimension" in filter) || filter.dimension !== "currency") return false;
  return filter.operator === "is" && filter.value !== null;
}

export function currencyIssues({
  metrics,
  dimensions = [],
  filters = [],
}: Pick<StatsQueryBody, "metrics" | "dimensions" | "filters">): Issue[] {
  const index = metrics.indexOf("revenue");
  if (index < 0 || dimensions.includes("currency") || filters.some(selectsCurrency)) return [];
  const message =
    "amounts in different currencies are not added: add the dimension currency, or a filter with `is` on one currency";
  return [issueAt(["metrics", index], message)];
}

export const isCurrency = (dimension: Dimension): boolean =>
  dimension.kind === "text" && dimension.name === "currency";

/** Whether a filter has a condition on the currency. */
export function readsCurrency(filter: QueryFilter): boolean {
  if (filter.kind === "condition") return isCurrency(filter.dimension);
  return "kind" in filter.of ? readsCurrency(filter.of) : filter.of.some(readsCurrency);
}
