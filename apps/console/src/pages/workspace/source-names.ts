/** The names of the sources of the workspace, by source id. */
import { useQuery } from "@tanstack/react-query";
import { sourcesQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** Deleted sources are missing, and all of them if the user cannot see sources. @returns null while they are loading */
export function useSourceNames(): ReadonlyMap<string, string> | null {
  const { organizationId, can } = useWorkspace();
  const { data, isLoading } = useQuery({
    ...sourcesQuery(organizationId),
    enabled: can("sources:read"),
  });
  return isLoading ? null : new Map(data?.map(({ sourceId, name }) => [sourceId, name]));
}
