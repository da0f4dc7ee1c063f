/** Roles and what they may do (CONTRACT section 3). The contract's table is the only list of permissions. */
import { isAbove, type Permission, ROLE_PERMISSIONS, type Role } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";

export const permissionsOf = (role: Role): readonly Permission[] => ROLE_PERMISSIONS[role];

/**
 * Nobody makes a token, grants a role or changes a member above their own.
 * @param role the one to be granted, or the one of the user it is about
 */
export function requireNotAbove(own: Role, role: Role): void {
  if (!isAbove(role, own)) return;
  throw new Refusal("permission_denied", {
    message: `Your role (${own}) is below ${role}: nobody grants, changes or makes a token for a role above their own.`,
    hint: `Ask a member whose role is ${role}.`,
  });
}

export const getPermissions: Handler<"getPermissions"> = async ({
  organizationId,
  actor,
  role,
  permissions,
}) => ({
  body: { organizationId, userId: actor.userId, role, permissions: [...permissions] },
});
