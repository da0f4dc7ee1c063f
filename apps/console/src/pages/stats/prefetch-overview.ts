/**
 * Asks for what the overview shows first: the source, the headline and the chart. The router calls it as soon as it knows the
 * URL, before the frame around the overview has loaded, or the page after a click is drawn.
 */
import { queryClient, sourceQuery } from "../../queries.ts";
import { seriesQuery, totalsQuery } from "./key-metrics.tsx";
import { prefetchStats, readStatsView } from "./use-stats-view.ts";
import { readTimeZone, type ViewParams } from "./view-params.ts";

/** @param params the search parameters of the stats page */
export function prefetchOverview(params: ViewParams): void {
  const { sourceId = "" } = params;
  if (sourceId === "") return;
  void queryClient.prefetchQuery(sourceQuery(sourceId));
  // "All time" begins with the first event, which is looked up first
  if (params.view !== undefined || params.range === "all") return;
  const view = readStatsView(params, {
    target: { sourceId },
    timeZone: readTimeZone(params),
    now: Date.now(),
  });
  for (const query of [totalsQuery(view), seriesQuery(view)]) void prefetchStats(view.scope, query);
}
