/** Members of a workspace (CONTRACT section 3). */
import { LIMITS, type Member } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { MemberRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";
import { requireNotAbove } from "./permissions.ts";

const render = ({ createdAt, ...member }: MemberRecord): Member => ({
  ...member,
  createdAt: toIsoTime(createdAt),
});

export const listMembers =
  (ledger: Catalog): Handler<"listMembers"> =>
  async ({ organizationId, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await ledger.members(page);
    return { body: { members: rows.map(render), nextCursor } };
  };

/** Without a `userId` a new user is made, for whom tokens can be made then. */
export const addMember =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"addMember"> =>
  async ({ organizationId, actor, role, body, now }) => {
    requireNotAbove(role, body.role);
    const member: MemberRecord = {
      userId: body.userId ?? newId("usr"),
      name: body.name == null ? null : readName("name", body.name),
      email: body.email ?? null,
      role: body.role,
      createdAt: now,
    };
    const added = await ledger.addMember({ organizationId, member, actor, now });
    if (added === "exists") throw new Refusal("member_exists");
    if (added === "limit_reached") {
      throw new Refusal("limit_reached", {
        message: `A workspace has at most ${SERVER_LIMITS.maxMembersPerWorkspace} members.`,
        hint: "Remove members who no longer need access.",
      });
    }
    return {
      body: render(added),
      headers: { Location: `/api/members/${encodeURIComponent(added.userId)}` },
    };
  };

/** Who has a role above the caller's is out of the caller's reach. */
async function requireReach(
  ledger: Catalog,
  asked: { organizationId: string; userId: string },
  own: MemberRecord["role"],
) {
  const current = await ledger.roleOf(asked);
  if (current === null) throw new Refusal("member_not_found");
  requireNotAbove(own, current);
}

export const updateMember =
  (ledger: Catalog): Handler<"updateMember"> =>
  async ({ organizationId, params, actor, role, body, now }) => {
    const asked = { organizationId, userId: params.userId };
    await requireReach(ledger, asked, role);
    requireNotAbove(role, body.role);
    const changed = await ledger.changeRole({ ...asked, role: body.role, actor, now });
    if (changed === "unknown") throw new Refusal("member_not_found");
    if (changed === "last_owner") throw new Refusal("last_owner");
    return { body: render(changed) };
  };

export const removeMember =
  (ledger: Catalog): Handler<"removeMember"> =>
  async ({ organizationId, params, actor, role, now }) => {
    const asked = { organizationId, userId: params.userId };
    await requireReach(ledger, asked, role);
    const outcome = await ledger.removeMember({ ...asked, actor, now });
    if (outcome === "unknown") throw new Refusal("member_not_found");
    if (outcome === "last_owner") throw new Refusal("last_owner");
    return { body: { userId: params.userId, removedAt: toIsoTime(now) } };
  };
