/** Members of a workspace (CONTRACT section 3). The last owner stays, whoever asks and however many at once. */
import type { Register } from "../ledger.ts";
import type { MemberRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, holdOrganization, number, offsetOf, pageByPosition } from "./database.ts";
import type { RegisterTables } from "./schema.ts";

type MemberRow = RegisterTables["members"] & Pick<RegisterTables["users"], "name" | "email">;

const memberOf = (row: Omit<MemberRow, "organization_id">): MemberRecord => ({
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: number(row.created_at),
});

const selectMembers = (db: Db, organizationId: string) =>
  db
    .selectFrom("members")
    .leftJoin("users", "users.user_id", "members.user_id")
    .select(["members.user_id", "members.role", "members.created_at", "users.name", "users.email"])
    .where("members.organization_id", "=", organizationId);

async function members(db: Db, page: Asked<"members">) {
  const rows = await selectMembers(db, page.organizationId)
    .orderBy("members.created_at")
    .orderBy("members.user_id")
    .limit(page.limit + 1)
    .offset(offsetOf(page))
    .execute();
  return pageByPosition(rows, page, memberOf);
}

async function memberIn(db: Db, organizationId: string, userId: string): Promise<MemberRecord | null> {
  const row = await selectMembers(db, organizationId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
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

/** A user known from another workspace keeps name and e-mail; only what is missing is filled in. */
async function insertUser(db: Db, member: MemberRecord): Promise<void> {
  await db
    .insertInto("users")
    .values({ user_id: member.userId, name: member.name, email: member.email, created_at: member.createdAt })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({
        name: eb.fn.coalesce("users.name", "excluded.name"),
        email: eb.fn.coalesce("users.email", "excluded.email"),
      })),
    )
    .execute();
}

async function addMember(db: Db, added: Asked<"addMember">): Promise<"added" | "exists"> {
  const { organizationId, member, actor, now } = added;
  const inserted = await db
    .insertInto("members")
    .values({
      organization_id: organizationId,
      user_id: member.userId,
      role: member.role,
      created_at: member.createdAt,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "user_id"]).doNothing())
    .returning("user_id")
    .executeTakeFirst();
  if (!inserted) return "exists";
  await insertUser(db, member);
  const after = { name: member.name, email: member.email, role: member.role };
  await writeAudit(db, { organizationId, now, actor, action: "member.added", target: member.userId, after });
  return "added";
}

async function changeRole(
  db: Db,
  changed: Asked<"changeRole">,
): Promise<MemberRecord | "unknown" | "last_owner"> {
  const { organizationId, userId, role, actor, now } = changed;
  await holdOrganization(db, organizationId);
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
  await holdOrganization(db, organizationId);
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

export const memberVerbs = (db: Db): Pick<Register, Verbs> => ({
  members: (page) => members(db, page),
  addMember: (added) => db.transaction().execute((trx) => addMember(trx, added)),
  changeRole: (changed) => db.transaction().execute((trx) => changeRole(trx, changed)),
  removeMember: (removed) => db.transaction().execute((trx) => removeMember(trx, removed)),
});
