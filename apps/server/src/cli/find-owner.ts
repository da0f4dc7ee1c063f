/** Finds the owner of a workspace. */
import { LIMITS } from "@headwater/contract";
import { CommandFailed } from "./errors.ts";
import { readAllPages, type WorkspaceAccess } from "./ledger-access.ts";

/**
 * @param userId the owner to find; undefined: the oldest one
 * @throws CommandFailed when there is none
 */
export async function findOwner(
  { ledger, organizationId }: WorkspaceAccess,
  userId: string | undefined,
): Promise<string> {
  const members = await readAllPages((cursor) =>
    ledger.members({ organizationId, limit: LIMITS.maxPageSize, cursor }),
  );
  const owner = members.find(
    (member) => member.role === "owner" && (userId === undefined || member.userId === userId),
  );
  if (owner) return owner.userId;
  const problem =
    userId === undefined
      ? `The workspace ${organizationId} has no owner`
      : `${userId} is not an owner of ${organizationId}`;
  throw new CommandFailed(`${problem}. Run \`headwater member list\` to see the members and their roles.`);
}
