/** The revenue of the view in each currency. Amounts in different currencies are never added. */
import { type StatsView, useStats } from "../use-stats-view.ts";

/** Further currencies are in the list of revenue. */
const MAX_CURRENCIES = 3;

export const useRevenue = ({ scope }: StatsView, enabled: boolean) =>
  useStats(
    { ...scope, filters: [...scope.filters, { dimension: "currency", operator: "is_not", value: null }] },
    { metrics: ["revenue"], dimensions: ["currency"], pagination: { limit: MAX_CURRENCIES } },
    { enabled, isExact: true },
  );
