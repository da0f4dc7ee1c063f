import { LIMITS } from "@headwater/contract";
import { CommandFailed } from "./failure.ts";
import { everyRow, type WorkspaceOperator } from "./operator.ts";

/** The user who is owner of the workspace; of several the oldest, unless one is named. */
export async function ownerOf(
  { ledger, organizationId }: WorkspaceOperator,
  named: string | undefined,
): Promise<string> {
  const members = await everyRow((cursor) =>
    ledger.members({ organizationId, limit: LIMITS.maxPageSize, cursor }),
  );
  const owners = members.filter(({ role }) => role === "owner");
  const owner = owners.find(({ userId }) => userId === (named ?? userId));
  if (owner) return owner.userId;
  const problem = named === undefined ? "Nobody is an owner" : `${named} is no owner`;
  throw new CommandFailed(`${problem} of ${organizationId}; \`headwater member list\` shows who is what.`);
}
