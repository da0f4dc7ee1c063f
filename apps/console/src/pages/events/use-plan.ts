/** The tracking plan of a source, and saving it. */
import type { Source, TrackingPlan } from "@headwater/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const planQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["plan", sourceId],
    queryFn: ({ signal }) => api.getPlan({ params: { sourceId }, signal }),
  });

export const catalogQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["catalog", sourceId],
    queryFn: ({ signal }) => api.getEventCatalog({ params: { sourceId }, signal }),
  });

/** Saves a plan that was edited from a version. It fails if somebody else has saved another one since. */
export function useSavePlan({ sourceId, organizationId }: Source, baseVersion: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (plan: TrackingPlan) =>
      api.savePlan({ params: { sourceId }, body: { organizationId, baseVersion, plan } }),
    onSuccess: (saved) => {
      client.setQueryData(planQuery(sourceId).queryKey, saved);
      return client.invalidateQueries({ queryKey: ["plan", sourceId] });
    },
    onError: () => client.invalidateQueries({ queryKey: ["plan", sourceId] }),
  });
}
