/** The members of a workspace (docs/api/access.md). */
import { LIMITS, type Member, type Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { memberKindOf, requirePerson, SERVICE_ACCOUNT_PREFIX } from "../core/users.ts";
import type { Handler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { MemberRecord } from "../ledger/records.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";

const renderMember = ({ createdAt, ...member }: MemberRecord): Member => ({
  ...member,
  kind: memberKindOf(member.userId),
  createdAt: toIsoTime(createdAt),
});

export const listMembers =
  (catalog: Catalog): Handler<"listMembers"> =>
  async ({ organizationId, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await catalog.members(page);
    return { body: { members: rows.map(renderMember), nextCursor } };
  };

/** People join by themselves: nobody is made a member by somebody else. For a body of any shape (`FieldRules`). */
export function checkServiceAccount({ userId }: Readonly<Record<string, unknown>>): void {
  if (userId == null) return;
  const message = "only creates service accounts: invite a person with POST /api/invitations";
  throw new Refusal("invalid_payload", { issues: [{ path: ["userId"], code: "invalid_value", message }] });
}

/** Creates a service account. Tokens can then be created for it. */
export const addMember =
  (catalog: Catalog, newId: (prefix: string) => string): Handler<"addMember"> =>
  async ({ organizationId, actor, role, body, now }) => {
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
  async ({ organizationId, params: { userId }, actor, isPerson, role, now }) => {
    const member = { organizationId, userId };
    // only a person leaves a workspace
    if (userId === actor.userId) requirePerson({ isPerson });
    await requireManageableMember(catalog, member, role);
    const outcome = await catalog.removeMember({ ...member, actor, now });
    if (outcome === "unknown") throw new Refusal("member_not_found");
    if (outcome === "last_owner") throw new Refusal("last_owner");
    return { body: { userId, removedAt: toIsoTime(now) } };
  };
