/** Workspaces, and how far each has got with its set-up (CONTRACT section 3). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OrganizationRecord, PageOf } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, isAfter, number, numberOrNull, pageOf } from "./database.ts";

/** A workspace and its owner; false when the workspace exists (two nodes may start on one empty ledger). */
export async function insertOrganization(
  db: Db,
  made: { organizationId: string; name: string; userId: string; now: number },
): Promise<boolean> {
  const inserted = await db
    .insertInto("organizations")
    .values({
      organization_id: made.organizationId,
      name: made.name,
      onboarded_at: null,
      created_at: made.now,
    })
    .onConflict((conflict) => conflict.column("organization_id").doNothing())
    .returning("organization_id")
    .executeTakeFirst();
  if (!inserted) return false;
  await db
    .insertInto("members")
    .values({
      organization_id: made.organizationId,
      user_id: made.userId,
      name: null,
      email: null,
      role: "owner",
      created_at: made.now,
    })
    .execute();
  return true;
}

async function ownsMany(db: Db, userId: string): Promise<boolean> {
  const owned = await db
    .selectFrom("members")
    .select("organization_id")
    .where("user_id", "=", userId)
    .where("role", "=", "owner")
    .limit(SERVER_LIMITS.maxWorkspacesPerUser)
    .execute();
  return owned.length >= SERVER_LIMITS.maxWorkspacesPerUser;
}

async function createOrganization(
  db: Db,
  made: Asked<"createOrganization">,
): Promise<"created" | "limit_reached"> {
  const { organizationId, name, actor, now, owner = actor.userId } = made;
  if (await ownsMany(db, owner)) return "limit_reached";
  if (!(await insertOrganization(db, { organizationId, name, userId: owner, now })))
    throw new Error(`the workspace ${organizationId} exists`);
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "organization.created",
    target: organizationId,
    after: { name, owner },
  });
  return "created";
}

/** A correlated count answers with a row for every workspace, one with nobody in it included. */
async function organizations(db: Db, page: Asked<"organizations">): Promise<PageOf<OrganizationRecord>> {
  const rows = await db
    .selectFrom("organizations")
    .select((eb) => [
      "organization_id",
      "name",
      "created_at",
      eb
        .selectFrom("members")
        .whereRef("members.organization_id", "=", "organizations.organization_id")
        .select((count) => count.fn.countAll<number>().as("members"))
        .as("members"),
      eb
        .selectFrom("sources")
        .whereRef("sources.organization_id", "=", "organizations.organization_id")
        .where("sources.deleted_at", "is", null)
        .select((count) => count.fn.countAll<number>().as("sources"))
        .as("sources"),
    ])
    .where(isAfter(page, "created_at", "organization_id"))
    .orderBy("created_at")
    .orderBy("organization_id")
    .limit(page.limit + 1)
    .execute();
  const found = rows.map((row) => ({
    organizationId: row.organization_id,
    name: row.name,
    members: number(row.members ?? 0),
    sources: number(row.sources ?? 0),
    createdAt: number(row.created_at),
  }));
  return pageOf(found, page, ({ organizationId }) => organizationId);
}

async function organizationsOf(db: Db, { userId }: Asked<"organizationsOf">) {
  const rows = await db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.organization_id", "members.organization_id")
    .select(["organizations.organization_id as organizationId", "organizations.name", "members.role"])
    .where("members.user_id", "=", userId)
    .orderBy("organizations.created_at")
    .orderBy("organizations.organization_id")
    .execute();
  return rows.map(({ organizationId, name, role }) => ({ organizationId, name, role }));
}

async function roleOf(db: Db, { userId, organizationId }: Asked<"roleOf">) {
  const row = await db
    .selectFrom("members")
    .select("role")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** A step that was done stays done: deleted sources count. */
async function onboarding(db: Db, { organizationId }: Asked<"onboarding">) {
  const first = await db
    .selectFrom("sources")
    .leftJoin("source_activity", "source_activity.source_id", "sources.source_id")
    .select((eb) => [
      eb.fn.min("sources.created_at").as("created"),
      eb.fn.min("source_activity.first_bootstrap_at").as("bootstrap"),
      eb.fn.min("source_activity.first_event_at").as("event"),
    ])
    .where("sources.organization_id", "=", organizationId)
    .executeTakeFirst();
  const organization = await db
    .selectFrom("organizations")
    .select("onboarded_at")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return {
    sourceCreatedAt: numberOrNull(first?.created ?? null),
    firstBootstrapAt: numberOrNull(first?.bootstrap ?? null),
    firstEventAt: numberOrNull(first?.event ?? null),
    completedAt: numberOrNull(organization?.onboarded_at ?? null),
  };
}

/** The first completion stands. */
async function completeOnboarding(
  db: Db,
  { organizationId, actor, now }: Asked<"completeOnboarding">,
): Promise<void> {
  const completed = await db
    .updateTable("organizations")
    .set({ onboarded_at: now })
    .where("organization_id", "=", organizationId)
    .where("onboarded_at", "is", null)
    .returning("organization_id")
    .executeTakeFirst();
  if (!completed) return;
  await writeAudit(db, {
    organizationId,
    now,
    actor,
    action: "onboarding.completed",
    target: organizationId,
  });
}

type Verbs =
  | "organizationsOf"
  | "organizations"
  | "createOrganization"
  | "roleOf"
  | "onboarding"
  | "completeOnboarding";

export const organizationVerbs = (db: Db): Pick<Catalog, Verbs> => ({
  organizationsOf: (user) => organizationsOf(db, user),
  organizations: (page) => organizations(db, page),
  createOrganization: (made) => db.transaction().execute((trx) => createOrganization(trx, made)),
  roleOf: (asked) => roleOf(db, asked),
  onboarding: (asked) => onboarding(db, asked),
  completeOnboarding: (done) => db.transaction().execute((trx) => completeOnboarding(trx, done)),
});
