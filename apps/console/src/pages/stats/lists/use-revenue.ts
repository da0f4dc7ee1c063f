/** The revenue of the view in each currency, the most frequent one first. Amounts in different currencies are never added. */
import { type StatsView, useStats } from "../use-stats-view.ts";

export const useRevenue = ({ scope }: StatsView, enabled: boolean) =>
  useStats(
    { ...scope, filters: [...scope.filters, { dimension: "currency", operator: "is_not", value: null }] },
    // amounts of different currencies have no order
    {
      metrics: ["revenue", "events"],
      dimensions: ["currency"],
      orderBy: [{ field: "events", direction: "desc" }],
    },
    { enabled, isExact: true },
  );
