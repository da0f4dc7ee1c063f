/** Members of a workspace (docs/api/access.md). A workspace always has an owner, even if two requests run at once. */
import type { Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { isServiceAccount, memberKindOf } from "../../core/users.ts";
import type { MemberRecord, PageOf, WorkspacePageRequest } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, lockOrganization, onPage, toPage } from "./database.ts";
import { removePasskeysOfStranger } from "./passkeys.ts";
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

async function members(db: CatalogDb, page: WorkspacePageRequest): Promise<PageOf<MemberRecord>> {
  const rows = await selectMembers(db, page.organizationId)
    .$call(onPage(page, "members.createdAt", "members.userId"))
    .execute();
  return toPage(rows, page, ({ userId }) => userId);
}

const findMember = (db: CatalogDb, organizationId: string, userId: string) =>
  selectMembers(db, organizationId).where("members.userId", "=", userId).executeTakeFirst();

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

export async function addMember(
  db: CatalogDb,
  added: AuditedChange & { organizationId: string; member: Omit<MemberRecord, "email"> },
): Promise<MemberRecord | "exists" | "limit_reached"> {
  const { organizationId, member } = added;
  const { userId: target, name, role } = member;
  await lockOrganization(db, organizationId);
  if (await findMember(db, organizationId, target)) return "exists";
  const others = db.selectFrom("members").select("userId").where("organizationId", "=", organizationId);
  if (await hasRows(others, SERVER_LIMITS.maxMembersPerWorkspace)) return "limit_reached";
  await db
    .insertInto("members")
    .values({ organizationId, ...member })
    .execute();
  const after = { kind: memberKindOf(target), name, role };
  await writeAudit(db, added, { organizationId, action: "member.added", target, after });
  return { ...member, email: null };
}

async function changeRole(
  db: CatalogDb,
  changed: AuditedChange & { organizationId: string; userId: string; role: Role },
): Promise<MemberRecord | "unknown" | "last_owner"> {
  const { organizationId, userId: target, role } = changed;
  await lockOrganization(db, organizationId);
  const member = await findMember(db, organizationId, target);
  if (!member) return "unknown";
  if (member.role === role) return member;
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .updateTable("members")
    .set({ role })
    .where("organizationId", "=", organizationId)
    .where("userId", "=", target)
    .execute();
  const difference = { before: { role: member.role }, after: { role } };
  await writeAudit(db, changed, { organizationId, action: "member.role_changed", target, ...difference });
  return { ...member, role };
}

/**
 * Also revokes the member's tokens of this workspace, except those that belong to sources, and deletes their reports. Whoever is in no
 * other workspace loses their passkeys.
 */
async function removeMember(
  db: CatalogDb,
  removed: AuditedChange & { organizationId: string; userId: string },
): Promise<"removed" | "unknown" | "last_owner"> {
  const { organizationId, userId, now } = removed;
  await lockOrganization(db, organizationId);
  const member = await findMember(db, organizationId, userId);
  if (!member) return "unknown";
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .deleteFrom("members")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .execute();
  const { name, email, role } = member;
  await deleteReportsOf(db, { organizationId, userId, emails: email === null ? [] : [email] });
  const revoked = await db
    .updateTable("tokens")
    .set({ revokedAt: now })
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .where("sourceId", "is", null)
    .where("revokedAt", "is", null)
    .returning("tokenId")
    .execute();
  const before = { kind: memberKindOf(userId), name, email, role };
  const removedPasskeys = await removePasskeysOfStranger(db, userId);
  const after = { revokedTokens: revoked.map((token) => token.tokenId), removedPasskeys };
  const entry = { organizationId, action: "member.removed", target: userId };
  await writeAudit(db, removed, { ...entry, before, after });
  return "removed";
}

export const memberReads = { members };
export const memberWrites = { addMember, changeRole, removeMember };
