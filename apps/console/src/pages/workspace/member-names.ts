/** The names of the members of the workspace, by user id. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** Users whose name is not known, such as removed members, are missing. */
export function useMemberNames(): ReadonlyMap<string, string> {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["members", organizationId, "first"],
    queryFn: ({ signal }) => api.listMembers({ query: { organizationId }, signal }),
    enabled: can("members:manage"),
  });
  return new Map(
    (data?.members ?? []).flatMap(({ userId, name, email }) => {
      const shown = name ?? email;
      return shown === null ? [] : [[userId, shown] as const];
    }),
  );
}
