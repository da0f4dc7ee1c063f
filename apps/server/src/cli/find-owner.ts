/** Finds the owner of a workspace. */
import { LIMITS } from "@headwater/contract";
import { CommandFailed } from "./errors.ts";
import { readAllPages, type WorkspaceAccess } from "./ledger-access.ts";

const HINT = "Run `headwater member list` to see the members and their roles.";

/** @returns the oldest owner. @throws CommandFailed when there is none */
export async function findOwner({ ledger, organizationId }: WorkspaceAccess): Promise<string> {
  const members = await readAllPages((cursor) =>
    ledger.members({ organizationId, limit: LIMITS.maxPageSize, cursor }),
  );
  const owner = members.findLast(({ role }) => role === "owner");
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
