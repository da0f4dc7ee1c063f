/** The request that updates a source at once, without the bar of the settings. */
import type { Source, UpdateSourceBody } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";

export type SourcePatch = Omit<UpdateSourceBody, "organizationId">;

export function useSourceUpdate({ sourceId, organizationId }: Source) {
  const invalidateSource = useInvalidateSource();
  return useMutation({
    mutationFn: (patch: SourcePatch) =>
      api.updateSource({ params: { sourceId }, body: { organizationId, ...patch } }),
    onSuccess: () => invalidateSource(sourceId),
  });
}
