/** Members of a workspace (docs/api/access.md). A workspace always has an owner, even if two requests run at once. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import { isServiceAccount, memberKindOf } from "../../core/users.ts";
import type { MemberRecord, PageOf } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, isAfterCursor, lockOrganization, toPage } from "./database.ts";
import { deleteReportsOf } from "./reports.ts";

/** With the name and the confirmed address of people's profiles, and the names of service accounts. */
const selectMembers = (db: CatalogDb, organizationId: string) =>
  db
    .selectFrom("members")
    .leftJoin("profiles", "profiles.userId", "members.userId")
    .select((eb) => [
      "members.userId as userId",
      eb.fn.coalesce("profiles.name", "members.name").as("name"),
      "profiles.email as email",
      "members.role as role",
      "members.createdAt as createdAt",
    ])
    .where("members.organizationId", "=", organizationId);

export async function members(db: CatalogDb, page: Argument<"members">): Promise<PageOf<MemberRecord>> {
  const rows = await selectMembers(db, page.organizationId)
    .where(isAfterCursor(page, "members.createdAt", "members.userId"))
    .orderBy("members.createdAt", "desc")
    .orderBy("members.userId", "desc")
    .limit(page.limit + 1)
    .execute();
  return toPage(rows, page, ({ userId }) => userId);
}

async function findMember(
  db: CatalogDb,
  organizationId: string,
  userId: string,
): Promise<MemberRecord | null> {
  const row = await selectMembers(db, organizationId).where("members.userId", "=", userId).executeTakeFirst();
  return row ?? null;
}

/**
 * The last owner who is a person: nobody signs in as a service account. The caller must lock the workspace first. Otherwise
 * the last two owners could be removed at the same time.
 */
async function isLastOwner(db: CatalogDb, organizationId: string, member: MemberRecord): Promise<boolean> {
  if (member.role !== "owner" || isServiceAccount(member.userId)) return false;
  const others = await db
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("role", "=", "owner")
    .where("userId", "!=", member.userId)
    .execute();
  return others.every(({ userId }) => isServiceAccount(userId));
}

async function isAtMemberLimit(db: CatalogDb, organizationId: string): Promise<boolean> {
  const { members } = await db
    .selectFrom("members")
    .select((eb) => eb.fn.countAll<number>().as("members"))
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
  return members >= SERVER_LIMITS.maxMembersPerWorkspace;
}

export async function addMember(
  db: CatalogDb,
  added: Argument<"addMember">,
): Promise<MemberRecord | "exists" | "limit_reached"> {
  const { organizationId, member, actor, now } = added;
  await lockOrganization(db, organizationId);
  if (await findMember(db, organizationId, member.userId)) return "exists";
  if (await isAtMemberLimit(db, organizationId)) return "limit_reached";
  await db
    .insertInto("members")
    .values({ organizationId, ...member })
    .execute();
  const after = { kind: memberKindOf(member.userId), name: member.name, role: member.role };
  await writeAudit(db, { organizationId, now, actor, action: "member.added", target: member.userId, after });
  return { ...member, email: null };
}

export async function changeRole(
  db: CatalogDb,
  changed: Argument<"changeRole">,
): Promise<MemberRecord | "unknown" | "last_owner"> {
  const { organizationId, userId, role, actor, now } = changed;
  await lockOrganization(db, organizationId);
  const member = await findMember(db, organizationId, userId);
  if (!member) return "unknown";
  if (member.role === role) return member;
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .updateTable("members")
    .set({ role })
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
  const difference = { before: { role: member.role }, after: { role } };
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "member.role_changed",
    target: userId,
    ...difference,
  });
  return { ...member, role };
}

/** Also revokes the member's tokens of this workspace, except those that belong to sources, and deletes their reports. */
export async function removeMember(
  db: CatalogDb,
  removed: Argument<"removeMember">,
): Promise<"removed" | "unknown" | "last_owner"> {
  const { organizationId, userId, actor, now } = removed;
  await lockOrganization(db, organizationId);
  const member = await findMember(db, organizationId, userId);
  if (!member) return "unknown";
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .deleteFrom("members")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
  const emails = member.email === null ? [] : [member.email];
  await deleteReportsOf(db, { organizationId, userId, emails });
  const revoked = await db
    .updateTable("tokens")
    .set({ revokedAt: now })
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .where("sourceId", "is", null)
    .where("revokedAt", "is", null)
    .returning("tokenId")
    .execute();
  const before = { kind: memberKindOf(userId), name: member.name, email: member.email, role: member.role };
  const after = { revokedTokens: revoked.map((token) => token.tokenId) };
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "member.removed",
    target: userId,
    before,
    after,
  });
  return "removed";
}
