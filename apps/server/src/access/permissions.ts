/** Which roles a user may grant or change, and who is an operator (docs/api/access.md). The contract has the permissions of each role. */
import { isAbove, type Role } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import type { Caller, Handler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";

/**
 * Throws `permission_denied` if a role is above the caller's own. Users cannot grant such a role, change a member who has
 * it, or create or revoke a token with it.
 */
export function requireRoleUpTo(ownRole: Role, role: Role): void {
  if (!isAbove(role, ownRole)) return;
  throw new Refusal("permission_denied", {
    message: `Your role (${ownRole}) is lower than ${role}. You cannot grant or change a higher role, or create a token with it.`,
    hint: `Ask a member with the role ${role} to make this change.`,
  });
}

/** The caller's role and permissions in a workspace. */
export const getPermissions: Handler<"getPermissions"> = async (call) => ({
  body: {
    organizationId: call.organizationId,
    userId: call.actor.userId,
    role: call.role,
    permissions: [...call.permissions],
  },
});

/** Operators are the owners of the first workspace (`ORGANIZATION_ID`). They run the service, so they may see its details. */
export type IsOperator = (caller: Pick<Caller, "actor" | "limitedTo" | "ceiling">) => Promise<boolean>;

/** A token that is limited to another workspace or to a lower role does not act as an operator's. */
export const createOperatorCheck =
  (catalog: Pick<Catalog, "roleOf">, organizationId: string): IsOperator =>
  async ({ actor, limitedTo, ceiling }) => {
    if (limitedTo !== null && limitedTo !== organizationId) return false;
    if (ceiling !== null && ceiling !== "owner") return false;
    return (await catalog.roleOf({ userId: actor.userId, organizationId })) === "owner";
  };
