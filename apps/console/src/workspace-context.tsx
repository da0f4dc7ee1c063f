/** The selected workspace and the permissions of its user, as a React context. */

import type { Permission, Role } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { ApiFailure } from "./api.ts";
import { organizationsQuery, permissionsQuery } from "./queries.ts";
import { session } from "./session.ts";
import { WorkspaceErrorPage } from "./ui/navigation/workspace-error-page.tsx";

interface WorkspaceContext {
  readonly organizationId: string;
  readonly name: string;
  readonly role: Role;
  readonly userId: string;
  readonly all: readonly { readonly organizationId: string; readonly name: string }[];
  can(permission: Permission): boolean;
  select(organizationId: string): void;
}

const Context = createContext<WorkspaceContext | null>(null);

export function useWorkspace(): WorkspaceContext {
  const workspace = useContext(Context);
  if (workspace === null)
    throw new Error("useWorkspace needs a WorkspaceProvider or a GuestProvider around it.");
  return workspace;
}

/** The permissions of a visitor with a share link: the stats of one source. */
const GUEST: WorkspaceContext = {
  organizationId: "",
  name: "",
  role: "viewer",
  userId: "",
  all: [],
  can: (permission) => permission === "stats:read",
  select: () => undefined,
};
export const GuestProvider = ({ children }: { readonly children: ReactNode }) => (
  <Context value={GUEST}>{children}</Context>
);

const NO_WORKSPACE = new ApiFailure(403, {
  code: "not_a_member",
  message: "You are not a member of any workspace.",
  hint: "Ask an admin of a workspace to invite you, or create a workspace.",
});

interface WorkspaceProviderProps {
  /** Shown until the workspace is known. */
  readonly loading: ReactNode;
  readonly children: ReactNode;
}

export function WorkspaceProvider({ loading, children }: WorkspaceProviderProps) {
  const [selected, setSelected] = useState(session.workspace);
  const organizations = useQuery(organizationsQuery);
  const all = organizations.data?.organizations ?? [];
  const current = all.find(({ organizationId }) => organizationId === selected) ?? all.at(-1);
  // the workspace that was selected last is usually the one, so its permissions are asked for at once
  const id = (organizations.data === undefined ? selected : current?.organizationId) ?? "";
  const permissions = useQuery({ ...permissionsQuery(id), enabled: id !== "" });
  const select = useCallback((organizationId: string) => {
    session.selectWorkspace(organizationId);
    setSelected(organizationId);
  }, []);
  const workspace = useMemo((): WorkspaceContext | null => {
    if (!current || !permissions.data) return null;
    const { role, userId, permissions: granted } = permissions.data;
    return {
      organizationId: current.organizationId,
      name: current.name,
      role,
      userId,
      all,
      can: (permission) => granted.includes(permission),
      select,
    };
  }, [current, permissions.data, all, select]);

  const hasNoWorkspace = organizations.data !== undefined && !current;
  const failed = organizations.error ?? (current && permissions.error);
  if (hasNoWorkspace || (failed && workspace === null)) {
    const retry = () => void Promise.all([organizations.refetch(), id !== "" && permissions.refetch()]);
    return (
      <WorkspaceErrorPage
        error={failed ?? NO_WORKSPACE}
        onRetry={retry}
        reason={hasNoWorkspace ? "none" : "loadFailed"}
        onCreated={select}
      />
    );
  }
  if (workspace === null) return loading;
  return <Context value={workspace}>{children}</Context>;
}
