/** The rule of the metric `revenue`: amounts in different currencies are never added. */

import type { Issue, StatsFilter, StatsMetric, StatsQueryBody } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import { REVENUE_METRICS } from "./sql/metrics.ts";

/** Whether a filter selects the events of one currency. */
function selectsCurrency(filter: StatsFilter): boolean {
  if ("and" in filter) return filter.and.some(selectsCurrency);
  if (!("dimension" in filter) || filter.dimension !== "currency") return false;
  return filter.operator === "is" && filter.value !== null;
}

/** Their divisor counts visitors and sessions without an amount too, which the dimension or a filter would leave out. */
const OF_ALL: readonly StatsMetric[] = ["revenuePerVisitor", "revenuePerSession"];

export function currencyIssues({
  metrics,
  dimensions = [],
  filters = [],
  currency,
}: Pick<StatsQueryBody, "metrics" | "dimensions" | "filters" | "currency">): Issue[] {
  if (currency !== undefined) return [];
  const isOne = dimensions.includes("currency") || filters.some(selectsCurrency);
  return metrics.flatMap((metric, index) => {
    if (!REVENUE_METRICS.includes(metric) || (isOne && !OF_ALL.includes(metric))) return [];
    const others = OF_ALL.includes(metric)
      ? ""
      : ", or the currency dimension, or a filter with `is` on one currency";
    return [
      issueAt(
        ["metrics", index],
        `amounts in different currencies cannot be summed. Set currency, such as "EUR"${others}`,
      ),
    ];
  });
}
