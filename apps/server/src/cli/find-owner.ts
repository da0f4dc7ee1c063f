/** Finds the owner of a workspace. */
import { isPersonId } from "../core/users.ts";
import { CommandFailed } from "./errors.ts";
import { readMembers } from "./find-named.ts";
import type { WorkspaceAccess } from "./ledger-access.ts";

const HINT = "Run `headwater member list` to see the members and their roles.";

/** @returns the oldest owner. @throws CommandFailed when there is none */
export async function findOwner(access: WorkspaceAccess): Promise<string> {
  const { organizationId } = access;
  const members = await readMembers(access, organizationId);
  const owner = members.findLast(({ userId, role }) => role === "owner" && isPersonId(userId));
  if (owner) return owner.userId;
  throw new CommandFailed(`The workspace ${organizationId} has no owner. ${HINT}`);
}

/** @throws CommandFailed when the user is not an owner of the workspace */
export async function requireOwner(
  { ledger, organizationId }: WorkspaceAccess,
  userId: string,
): Promise<void> {
  if ((await ledger.roleOf({ userId, organizationId })) !== "owner")
    throw new CommandFailed(`${userId} is not an owner of ${organizationId}. ${HINT}`);
}
