/** The workspace that is open, and what its user may do in it. */
import type { Permission, Role } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { ApiError } from "./api.ts";
import { organizationsQuery, permissionsQuery } from "./queries.ts";
import { session } from "./session.ts";
import { Loading } from "./ui/page-states.tsx";
import { WorkspaceErrorPage } from "./ui/workspace-error-page.tsx";

export interface Workspace {
  readonly organizationId: string;
  readonly name: string;
  readonly role: Role;
  readonly userId: string;
  readonly all: readonly { readonly organizationId: string; readonly name: string }[];
  can(permission: Permission): boolean;
  choose(organizationId: string): void;
}

const Context = createContext<Workspace | null>(null);

export function useWorkspace(): Workspace {
  const workspace = useContext(Context);
  if (workspace === null) throw new Error("There is no workspace outside of the signed-in pages.");
  return workspace;
}

/** What a link to one source's numbers lets somebody do who is no member. */
const GUEST: Workspace = {
  organizationId: "",
  name: "",
  role: "viewer",
  userId: "",
  all: [],
  can: (permission) => permission === "stats:read",
  choose: () => undefined,
};
export const GuestProvider = ({ children }: { readonly children: ReactNode }) => (
  <Context value={GUEST}>{children}</Context>
);

const NONE = new ApiError(403, {
  code: "not_a_member",
  message: "You are not a member of any workspace.",
  hint: "Ask an admin of a workspace to add you, or make one with `headwater workspace create`.",
});

export function WorkspaceProvider({ children }: { readonly children: ReactNode }) {
  const [chosen, setChosen] = useState(session.workspace);
  const organizations = useQuery(organizationsQuery);
  const all = organizations.data?.organizations ?? [];
  const current = all.find(({ organizationId }) => organizationId === chosen) ?? all[0];
  const id = current?.organizationId ?? "";
  const permissions = useQuery({ ...permissionsQuery(id), enabled: id !== "" });
  const choose = useCallback((organizationId: string) => {
    session.choose(organizationId);
    setChosen(organizationId);
  }, []);
  const workspace = useMemo((): Workspace | null => {
    if (!current || !permissions.data) return null;
    const { role, userId, permissions: granted } = permissions.data;
    return {
      organizationId: current.organizationId,
      name: current.name,
      role,
      userId,
      all,
      can: (permission) => granted.includes(permission),
      choose,
    };
  }, [current, permissions.data, all, choose]);

  const isNone = organizations.data !== undefined && !current;
  const failed = organizations.error ?? permissions.error;
  if (isNone || (failed && workspace === null)) {
    const retry = () => void Promise.all([organizations.refetch(), id !== "" && permissions.refetch()]);
    return <WorkspaceErrorPage error={failed ?? NONE} onRetry={retry} onCreated={isNone ? choose : null} />;
  }
  if (workspace === null) return <Loading />;
  return <Context value={workspace}>{children}</Context>;
}
