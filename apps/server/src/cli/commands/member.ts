/** `headwater member`: the members of a workspace and their roles. */
import { type Member, ROLES } from "@headwater/contract";
import { addMember, listMembers, removeMember, updateMember } from "../../access/members.ts";
import { callOperation } from "../api-call.ts";
import { choice, defineCommand, ORGANIZATION_OPTION, required, text } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findMember, findUserId } from "../find-named.ts";
import { readAllPages, withWorkspace } from "../ledger-access.ts";
import { tableOr, toMinute } from "../report.ts";

const USER = { user: "The member's id, name or e-mail address" };

const toRow = ({ userId, name, email, role, createdAt }: Member) => [
  userId,
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
      const { ledger, organizationId } = access;
      const members = await readAllPages(async (cursor) => {
        const query = { organizationId, ...(cursor === null ? {} : { cursor }) };
        const page = await callOperation(access, "listMembers", listMembers(ledger), { query });
        return { rows: page.members, nextCursor: page.nextCursor };
      });
      const head = ["user", "name", "e-mail", "role", "since"];
      const whenEmpty = "No members yet. Run `headwater member add --role owner` to add one.";
      return { json: { members }, text: tableOr(whenEmpty, head, members.map(toRow)) };
    }),
});

const add = defineCommand({
  description: "Add a member; without --user a new user is created",
  options: {
    role: required(choice(ROLES, "The member's role")),
    user: text("id|name|e-mail", "A member of another workspace, or the `sub` of a JWT"),
    name: text("text", "The member's name"),
    email: text("address", "The member's e-mail address"),
    ...ORGANIZATION_OPTION,
  },
  run: ({ organization, role, user, name, email }) =>
    withWorkspace(organization, async (access) => {
      const { ledger, newId, organizationId } = access;
      const body = {
        organizationId,
        role,
        ...(user === undefined ? {} : { userId: await findUserId(access, user) }),
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email }),
      };
      const member = await callOperation(access, "addMember", addMember(ledger, newId), { body });
      return {
        json: member,
        text: `Added ${member.userId} to ${organizationId} as ${member.role}.`,
        note: `Run \`headwater token create --user ${member.userId} --label …\` to create a token for them.`,
      };
    }),
});

const role = defineCommand({
  description: "Change the role of a member; the last owner cannot be demoted",
  positionals: { ...USER, role: ROLES.join(", ") },
  options: ORGANIZATION_OPTION,
  run: ({ organization, user, role: given }) => {
    const wanted = ROLES.find((one) => one === given);
    if (wanted === undefined)
      throw new UsageError(`<role> must be one of ${ROLES.join(", ")}, not ${JSON.stringify(given)}.`);
    return withWorkspace(organization, async (access) => {
      const { ledger, organizationId } = access;
      const { userId } = await findMember(access, user);
      const input = { params: { userId }, body: { role: wanted, organizationId } };
      const member = await callOperation(access, "updateMember", updateMember(ledger), input);
      return { json: member, text: `${member.userId} is now ${member.role} of ${organizationId}.` };
    });
  },
});

const remove = defineCommand({
  description: "Remove a member and revoke their tokens of this workspace; the last owner cannot be removed",
  positionals: USER,
  options: ORGANIZATION_OPTION,
  run: ({ organization, user }) =>
    withWorkspace(organization, async (access) => {
      const { userId } = await findMember(access, user);
      const params = { userId };
      const removed = await callOperation(access, "removeMember", removeMember(access.ledger), { params });
      return { json: removed, text: `Removed ${removed.userId} from ${access.organizationId}.` };
    }),
});

export const member = {
  description: "Manage the members of a workspace",
  commands: { list, add, role, remove },
};
