/** Members of a workspace (CONTRACT section 3). The last owner stays, whoever asks and however many at once. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { MemberRecord } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, isAfter, lockOrganization, number, pageOf } from "./database.ts";
import type { CatalogTables } from "./schema.ts";

const memberOf = (row: CatalogTables["members"]): MemberRecord => ({
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: number(row.created_at),
});

const selectMembers = (db: Db, organizationId: string) =>
  db.selectFrom("members").selectAll().where("organization_id", "=", organizationId);

async function members(db: Db, page: Asked<"members">) {
  const rows = await selectMembers(db, page.organizationId)
    .where(isAfter(page, "created_at", "user_id"))
    .orderBy("created_at")
    .orderBy("user_id")
    .limit(page.limit + 1)
    .execute();
  return pageOf(rows.map(memberOf), page, ({ userId }) => userId);
}

async function memberIn(db: Db, organizationId: string, userId: string): Promise<MemberRecord | null> {
  const row = await selectMembers(db, organizationId).where("user_id", "=", userId).executeTakeFirst();
  return row ? memberOf(row) : null;
}

/** The workspace must be held, else two owners could leave at once. */
async function isLastOwner(db: Db, organizationId: string, member: MemberRecord): Promise<boolean> {
  if (member.role !== "owner") return false;
  const other = await db
    .selectFrom("members")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("role", "=", "owner")
    .where("user_id", "!=", member.userId)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

async function isFull(db: Db, organizationId: string): Promise<boolean> {
  const { members } = await db
    .selectFrom("members")
    .select((eb) => eb.fn.countAll<number | string>().as("members"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return number(members) >= SERVER_LIMITS.maxMembersPerWorkspace;
}

async function addMember(
  db: Db,
  added: Asked<"addMember">,
): Promise<MemberRecord | "exists" | "limit_reached"> {
  const { organizationId, member, actor, now } = added;
  await lockOrganization(db, organizationId);
  if (await memberIn(db, organizationId, member.userId)) return "exists";
  if (await isFull(db, organizationId)) return "limit_reached";
  const inserted = await db
    .insertInto("members")
    .values({
      organization_id: organizationId,
      user_id: member.userId,
      name: member.name,
      email: member.email,
      role: member.role,
      created_at: member.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = { name: member.name, email: member.email, role: member.role };
  await writeAudit(db, { organizationId, now, actor, action: "member.added", target: member.userId, after });
  return memberOf(inserted);
}

async function changeRole(
  db: Db,
  changed: Asked<"changeRole">,
): Promise<MemberRecord | "unknown" | "last_owner"> {
  const { organizationId, userId, role, actor, now } = changed;
  await lockOrganization(db, organizationId);
  const member = await memberIn(db, organizationId, userId);
  if (!member) return "unknown";
  if (member.role === role) return member;
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .updateTable("members")
    .set({ role })
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
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

/** The member's tokens of this workspace stop with the membership. */
async function removeMember(
  db: Db,
  removed: Asked<"removeMember">,
): Promise<"removed" | "unknown" | "last_owner"> {
  const { organizationId, userId, actor, now } = removed;
  await lockOrganization(db, organizationId);
  const member = await memberIn(db, organizationId, userId);
  if (!member) return "unknown";
  if (await isLastOwner(db, organizationId, member)) return "last_owner";
  await db
    .deleteFrom("members")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
  const revoked = await db
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .returning("token_id")
    .execute();
  const before = { name: member.name, email: member.email, role: member.role };
  const after = { revokedTokens: revoked.map((token) => token.token_id) };
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

type Verbs = "members" | "addMember" | "changeRole" | "removeMember";

export const memberVerbs = (db: Db): Pick<Catalog, Verbs> => ({
  members: (page) => members(db, page),
  addMember: (added) => db.transaction().execute((trx) => addMember(trx, added)),
  changeRole: (changed) => db.transaction().execute((trx) => changeRole(trx, changed)),
  removeMember: (removed) => db.transaction().execute((trx) => removeMember(trx, removed)),
});
