/** The members of the workspace: their names by user id, and refetching them. */
import type { Role } from "@headwater/contract/roles";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { membersQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** Users whose name is not known, such as removed members, are missing. */
export function useMemberNames(): ReadonlyMap<string, string> {
  const { organizationId, can } = useWorkspace();
  const { data = [] } = useQuery({ ...membersQuery(organizationId), enabled: can("members:manage") });
  return new Map(
    data.flatMap(({ userId, name, email }) => {
      const shown = name ?? email;
      return shown === null ? [] : [[userId, shown] as const];
    }),
  );
}

/** The roles of the members by user id, as far as they are known. */
export function useMemberRoles(): ReadonlyMap<string, Role> {
  const { organizationId, userId, role, can } = useWorkspace();
  const { data = [] } = useQuery({ ...membersQuery(organizationId), enabled: can("members:manage") });
  return new Map([[userId, role], ...data.map((member) => [member.userId, member.role] as const)]);
}

/** @returns a function that refetches the members and the user's own permissions */
export function useInvalidateMembers() {
  const client = useQueryClient();
  return () =>
    Promise.all([["members"], ["permissions"]].map((queryKey) => client.invalidateQueries({ queryKey })));
}
