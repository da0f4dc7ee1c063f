/** Shows a page only to users whose role permits it. */
import type { Permission } from "@headwater/contract";
import type { ReactNode } from "react";
import { useWorkspace } from "../workspace-context.tsx";
import { EmptyState } from "./page-states.tsx";

/** Shows its content to users with the permission, and an explanation to others. */
export function RequirePermission({
  permission,
  children,
}: {
  readonly permission: Permission;
  readonly children: ReactNode;
}) {
  const { can, role } = useWorkspace();
  if (can(permission)) return children;
  return (
    <EmptyState title="You do not have access">
      Your role is {role}, and this page requires the {permission} permission. Ask an admin of this workspace
      for access.
    </EmptyState>
  );
}
