/** The queries of the tracking plan and of the event catalogue, and saving a plan. */
import type { Source, TrackingPlan } from "@headwater/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const planQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["plan", sourceId],
    queryFn: ({ signal }) => api.getPlan({ params: { sourceId }, signal }),
  });

export const eventCatalogQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["event-catalog", sourceId],
    queryFn: ({ signal }) => api.getEventCatalog({ params: { sourceId }, signal }),
  });

/** Saves a plan. Fails when `baseVersion`, the version that was edited, is no longer the current one. */
export function useSavePlan({ sourceId, organizationId }: Source, baseVersion: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (plan: TrackingPlan) =>
      api.savePlan({ params: { sourceId }, body: { organizationId, baseVersion, plan } }),
    onSuccess: (saved) => {
      client.setQueryData(planQuery(sourceId).queryKey, saved);
      // the versions and the proposal have keys that begin with this one
      return client.invalidateQueries({ queryKey: ["plan", sourceId] });
    },
    onError: () => client.invalidateQueries({ queryKey: ["plan", sourceId] }),
  });
}
