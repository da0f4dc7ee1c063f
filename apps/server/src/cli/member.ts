/** `headwater member`: who may do what in a workspace. */
import { type Member, ROLES, type Role } from "@headwater/contract";
import { defineCommand } from "citty";
import { addMember, listMembers, removeMember, updateMember } from "../access/members.ts";
import { JSON_FLAG, ORGANIZATION_FLAG } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { everyRow, perform, withWorkspace } from "./operator.ts";
import { listing, minute, type Report } from "./report.ts";

const COMMON = { ...ORGANIZATION_FLAG, ...JSON_FLAG } as const;
const USER = {
  type: "positional",
  required: true,
  description: "The member's id, as `headwater member list` shows it",
} as const;
const ROLES_TEXT = ROLES.join(", ");

const row = ({ userId, name, email, role, createdAt }: Member) => [
  userId,
  name,
  email,
  role,
  minute(createdAt),
];

const list = defineCommand({
  meta: { description: "The members of a workspace and their roles" },
  args: COMMON,
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { organizationId } = operator;
      const members = await everyRow(async (cursor) => {
        const query = { organizationId, ...(cursor === null ? {} : { cursor }) };
        const page = await perform(operator, "listMembers", listMembers(operator.ledger), { query });
        return { rows: page.members, nextCursor: page.nextCursor };
      });
      const head = ["user", "name", "e-mail", "role", "since"];
      const empty = "No members yet. `headwater member add --role owner` adds one.";
      return { json: { members }, text: listing(head, members.map(row), empty) };
    }),
});

const add = defineCommand({
  meta: { description: "Add a member; without --user a new user is made" },
  args: {
    role: { type: "enum", options: [...ROLES], required: true, description: "What they may do" },
    user: { type: "string", valueHint: "id", description: "A user of another workspace, or a JWT's `sub`" },
    name: { type: "string", description: "Their name" },
    email: { type: "string", description: "Their e-mail address" },
    ...COMMON,
  },
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { ledger, newId, organizationId } = operator;
      const { user: userId, name, email } = args;
      const body = {
        organizationId,
        role: args.role as Role,
        ...(userId === undefined ? {} : { userId }),
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email }),
      };
      const member = await perform(operator, "addMember", addMember(ledger, newId), { body });
      const text = `Added ${member.userId} to ${organizationId} as ${member.role}.`;
      const note = `\`headwater token create --user ${member.userId} --label …\` makes a token for them.`;
      return { json: member, text, note };
    }),
});

function readRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined)
    throw new UsageError(`ROLE must be one of ${ROLES_TEXT}, not ${JSON.stringify(text)}.`);
  return role;
}

const role = defineCommand({
  meta: { description: "Change the role of a member; the last owner stays one" },
  args: { user: USER, role: { type: "positional", required: true, description: ROLES_TEXT }, ...COMMON },
  run: ({ args }) => {
    const body = { role: readRole(args.role) };
    return withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { ledger, organizationId } = operator;
      const given = { params: { userId: args.user }, body: { ...body, organizationId } };
      const member = await perform(operator, "updateMember", updateMember(ledger), given);
      return { json: member, text: `${member.userId} is ${member.role} of ${organizationId}.` };
    });
  },
});

const remove = defineCommand({
  meta: { description: "Remove a member and revoke their tokens of this workspace; never the last owner" },
  args: { user: USER, ...COMMON },
  run: ({ args }) =>
    withWorkspace(args.organization, async (operator): Promise<Report> => {
      const { ledger, organizationId } = operator;
      const params = { userId: args.user };
      const removed = await perform(operator, "removeMember", removeMember(ledger), { params });
      return { json: removed, text: `Removed ${removed.userId} from ${organizationId}.` };
    }),
});

export const member = defineCommand({
  meta: { description: "Members of a workspace: list, add, role, remove" },
  subCommands: { list, add, role, remove },
});
