/** The members of a workspace (docs/api/access.md). */
import { LIMITS, type Member, type Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { memberKindOf, requirePerson, SERVICE_ACCOUNT_PREFIX } from "../core/users.ts";
import type { CatalogHandler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { MemberRecord } from "../ledger/records.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";

export const renderMember = ({ createdAt, ...member }: MemberRecord): Member => ({
  ...member,
  kind: memberKindOf(member.userId),
  createdAt: toIsoTime(createdAt),
});

export const listMembers: CatalogHandler<"listMembers"> = async ({ organizationId, query }, { catalog }) => {
  const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
  const { rows, nextCursor } = await catalog.members(page);
  return { body: { members: rows.map(renderMember), nextCursor } };
};

/** Refuses to add a person: people join by themselves. For a body of any shape (`FieldRules`). */
export function checkServiceAccount({ userId }: Readonly<Record<string, unknown>>): void {
  if (userId == null) return;
  const message = "only creates service accounts. Invite a person with POST /api/invitations";
  requireNoIssues([issueAt("userId", message)]);
}

/** Creates a service account. Tokens can then be created for it. */
export const addMember: CatalogHandler<"addMember"> = async (call, { catalog, newId }) => {
  const { organizationId, actor, role, body, now } = call;
  requireRoleUpTo(role, body.role);
  const userId = newId(SERVICE_ACCOUNT_PREFIX);
  const member = { userId, name: readName("name", body.name), role: body.role, createdAt: now };
  const added = await catalog.addMember({ organizationId, member, actor, now });
  if (added === "exists") throw new Error(`the service account ${userId} exists`);
  if (added === "limit_reached") {
    throw new Refusal("limit_reached", {
      message: `A workspace can have at most ${SERVER_LIMITS.maxMembersPerWorkspace} members.`,
      hint: "Remove members who no longer need access.",
    });
  }
  return {
    body: renderMember(added),
    headers: { Location: `/api/members/${encodeURIComponent(added.userId)}` },
  };
};

interface MemberId {
  organizationId: string;
  userId: string;
}

/** Throws if the member does not exist, or has a role above the caller's own. */
async function requireManageableMember(catalog: Catalog, member: MemberId, ownRole: Role): Promise<void> {
  const role = await catalog.roleOf(member);
  if (role === null) throw new Refusal("member_not_found");
  requireRoleUpTo(ownRole, role);
}

export const updateMember: CatalogHandler<"updateMember"> = async (call, { catalog }) => {
  const { organizationId, params, actor, role, body, now } = call;
  const member = { organizationId, userId: params.userId };
  await requireManageableMember(catalog, member, role);
  requireRoleUpTo(role, body.role);
  const changed = await catalog.changeRole({ ...member, role: body.role, actor, now });
  if (changed === "unknown") throw new Refusal("member_not_found");
  if (changed === "last_owner") throw new Refusal("last_owner");
  return { body: renderMember(changed) };
};

export const removeMember: CatalogHandler<"removeMember"> = async (call, { catalog }) => {
  const { organizationId, params, actor, role, now } = call;
  const { userId } = params;
  const member = { organizationId, userId };
  // only a person leaves a workspace
  if (userId === actor.userId) requirePerson(call);
  await requireManageableMember(catalog, member, role);
  const outcome = await catalog.removeMember({ ...member, actor, now });
  if (outcome === "unknown") throw new Refusal("member_not_found");
  if (outcome === "last_owner") throw new Refusal("last_owner");
  return { body: { userId, removedAt: toIsoTime(now) } };
};
