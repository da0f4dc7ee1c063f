/** The search parameters with which the stats page shows a saved item. */
import type { SavedItem } from "@headwater/contract";
import { fromStatsGoals, stepParams, windowOf } from "../funnel/funnel-steps.ts";
import { otherFilterParams } from "../other-filters.ts";
import { statsFilterParams, type ViewParams } from "../view-params.ts";

const DAY_SECONDS = 86_400;

export const funnelParams = ({ steps, windowSeconds }: SavedItem): ViewParams => ({
  ...stepParams(fromStatsGoals(steps ?? [])),
  within: windowOf(windowSeconds ?? DAY_SECONDS),
});

export function segmentParams({ filters }: SavedItem): ViewParams {
  // filters without a search parameter of their own share one
  const { params, others } = statsFilterParams(filters ?? []);
  return { ...params, ...otherFilterParams(others) };
}
