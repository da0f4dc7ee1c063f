/** The members of a workspace (docs/contract.md section 3). */
import { LIMITS, type Member, type Role } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { MemberRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";

const renderMember = ({ createdAt, ...member }: MemberRecord): Member => ({
  ...member,
  createdAt: toIsoTime(createdAt),
});

export const listMembers =
  (catalog: Catalog): Handler<"listMembers"> =>
  async ({ organizationId, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await catalog.members(page);
    return { body: { members: rows.map(renderMember), nextCursor } };
  };

/** Without a `userId` a new user is created. Tokens can then be created for that user. */
export const addMember =
  (catalog: Catalog, newId: (prefix: string) => string): Handler<"addMember"> =>
  async ({ organizationId, actor, role, body, now }) => {
    requireRoleUpTo(role, body.role);
    const member: MemberRecord = {
      userId: body.userId ?? newId("usr"),
      name: body.name == null ? null : readName("name", body.name),
      email: body.email ?? null,
      role: body.role,
      createdAt: now,
    };
    const added = await catalog.addMember({ organizationId, member, actor, now });
    if (added === "exists") throw new Refusal("member_exists");
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

export const updateMember =
  (catalog: Catalog): Handler<"updateMember"> =>
  async ({ organizationId, params: { userId }, actor, role, body, now }) => {
    const member = { organizationId, userId };
    await requireManageableMember(catalog, member, role);
    requireRoleUpTo(role, body.role);
    const changed = await catalog.changeRole({ ...member, role: body.role, actor, now });
    if (changed === "unknown") throw new Refusal("member_not_found");
    if (changed === "last_owner") throw new Refusal("last_owner");
    return { body: renderMember(changed) };
  };

export const removeMember =
  (catalog: Catalog): Handler<"removeMember"> =>
  async ({ organizationId, params: { userId }, actor, role, now }) => {
    const member = { organizationId, userId };
    await requireManageableMember(catalog, member, role);
    const outcome = await catalog.removeMember({ ...member, actor, now });
    if (outcome === "unknown") throw new Refusal("member_not_found");
    if (outcome === "last_owner") throw new Refusal("last_owner");
    return { body: { userId, removedAt: toIsoTime(now) } };
  };
