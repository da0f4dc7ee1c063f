/** `headwater member`: the members of a workspace and their roles. */

import { type Member, ROLES, type Role } from "@headwater/contract";
import { addMember, removeMember, renderMember, updateMember } from "../../access/members.ts";
import { HEADWATER } from "../../core/command-name.ts";
import { callOperation } from "../api-call.ts";
import { choice, defineCommand, ORGANIZATION_OPTION, required, text } from "../command.ts";
import { CommandFailed, UsageError } from "../errors.ts";
import { findMember, findUserId, readMembers } from "../find-named.ts";
import { COMMAND_LINE, type WorkspaceAccess, withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";

const USER = { user: "The member's id, name or email address" };

const toRow = ({ userId, kind, name, email, role, createdAt }: Member) => [
  userId,
  kind === "person" ? "person" : "service account",
  name,
  email,
  role,
  toMinute(createdAt),
];

const list = defineCommand({
  description: "List the members of a workspace and their roles",
  options: ORGANIZATION_OPTION,
  run: ({ organization }) =>
    withWorkspace(organization, async (access) => {
      const members = (await readMembers(access, access.organizationId)).map(renderMember);
      const head = ["user", "kind", "name", "email", "role", "since"];
      const whenEmpty = `No members yet. Run \`${HEADWATER} member add --user <id> --role owner\` to add one.`;
      return { json: { members }, text: tableOr(whenEmpty, head, members.map(toRow)) };
    }),
});

/** Whoever runs a command can change the ledger itself, so a person is added without being asked. */
async function addPerson(access: WorkspaceAccess, given: string, role: Role): Promise<string> {
  const { ledger, organizationId, now } = access;
  const userId = await findUserId(access, given);
  const member = { userId, name: null, role, createdAt: now };
  const added = await ledger.addMember({ organizationId, member, actor: COMMAND_LINE, now });
  if (typeof added !== "string") return userId;
  const reason =
    added === "exists" ? "is a member already" : "cannot be added: the workspace has too many members";
  throw new CommandFailed(`${userId} ${reason}.`);
}

const add = defineCommand({
  description: "Create a service account for programs, or add a person by their user id",
  details: ["People join by an invitation, which the console sends. --user adds them without one."],
  options: {
    role: required(choice(ROLES, "The member's role")),
    name: text("text", "The service account's name, such as Deployment"),
    user: text("id|name|email", "A person: a member of another workspace, or the `sub` of a JWT"),
    ...ORGANIZATION_OPTION,
  },
  run: ({ organization, role, user, name }) => {
    if ((user === undefined) === (name === undefined))
      throw new UsageError(
        "Give --name <text> for a service account, or --user <id|name|email> for a person.",
      );
    return withWorkspace(organization, async (access) => {
      const { organizationId } = access;
      if (name === undefined) {
        const userId = await addPerson(access, user ?? "", role);
        return { json: { userId, role }, text: `Added ${userId} to ${organizationId} as ${role}.` };
      }
      const body = { organizationId, role, name };
      const member = await callOperation(access, "addMember", addMember, { body });
      return {
        json: member,
        text: `Created the service account ${member.userId} in ${organizationId} as ${member.role}.`,
        note: `Run \`${HEADWATER} token create --account ${member.userId} --label …\` to create a token for it.`,
      };
    });
  },
});

const role = defineCommand({
  description: "Change a member's role; the last owner cannot be demoted",
  positionals: { ...USER, role: ROLES.join(", ") },
  options: ORGANIZATION_OPTION,
  run: ({ organization, user, role: given }) => {
    const wanted = ROLES.find((one) => one === given);
    if (wanted === undefined)
      throw new UsageError(`<role> must be one of ${ROLES.join(", ")}, not ${JSON.stringify(given)}.`);
    return withWorkspace(organization, async (access) => {
      const { organizationId } = access;
      const { userId } = await findMember(access, user);
      const input = { params: { userId }, body: { role: wanted, organizationId } };
      const member = await callOperation(access, "updateMember", updateMember, input);
      return { json: member, text: `${member.userId} is now ${member.role} of ${organizationId}.` };
    });
  },
});

const remove = defineCommand({
  description: "Remove a member and revoke their tokens for this workspace; the last owner cannot be removed",
  positionals: USER,
  options: ORGANIZATION_OPTION,
  run: ({ organization, user }) =>
    withWorkspace(organization, async (access) => {
      const { userId } = await findMember(access, user);
      const removed = await callOperation(access, "removeMember", removeMember, { params: { userId } });
      return { json: removed, text: `Removed ${removed.userId} from ${access.organizationId}.` };
    }),
});

export const member = {
  description: "Manage the members of a workspace",
  commands: { list, add, role, remove },
};
