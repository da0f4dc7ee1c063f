/** The latest visits behind a figure, for those who may read single visits. */
import type { StatsVisitsBody } from "@headwater/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { isRetryable } from "../../../queries.ts";
import { useWorkspace } from "../../../workspace-context.tsx";
import { isOfSeveral, type StatsView } from "../use-stats-view.ts";

/** Whether the visits of the view may be listed: they are of one source, and personal data. */
export function useMayListVisits(view: StatsView): boolean {
  const { can } = useWorkspace();
  return !isOfSeveral(view) && can("export:read");
}

interface ListedVisits {
  readonly limit: number;
  /** Only the visits in which visitors took their last step of a funnel. */
  readonly funnel?: NonNullable<StatsVisitsBody["funnel"]>;
  readonly refetchMs?: number;
}

export function useVisits({ scope }: StatsView, { refetchMs, ...options }: ListedVisits) {
  const body = { ...scope, ...options };
  return useQuery({
    queryKey: ["stats", "visits", body],
    queryFn: ({ signal }) => api.queryVisits({ body, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { error } }) =>
      refetchMs !== undefined && (error === null || isRetryable(error)) ? refetchMs : false,
  });
}
