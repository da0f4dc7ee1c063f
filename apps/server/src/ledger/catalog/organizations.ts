/** Workspaces and their onboarding. */
import type { Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OnboardingTimes } from "../catalog.ts";
import type { OrganizationRecord, PageOf } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, isAfterCursor, toPage } from "./database.ts";

/** Creates a workspace and its owner. @returns false when it exists: two nodes may start on one empty ledger */
export async function insertOrganization(
  db: CatalogDb,
  made: { organizationId: string; name: string; userId: string; now: number },
): Promise<boolean> {
  const inserted = await db
    .insertInto("organizations")
    .values({
      organizationId: made.organizationId,
      name: made.name,
      onboardedAt: null,
      createdAt: made.now,
    })
    .onConflict((conflict) => conflict.column("organizationId").doNothing())
    .returning("organizationId")
    .executeTakeFirst();
  if (!inserted) return false;
  await db
    .insertInto("members")
    .values({
      organizationId: made.organizationId,
      userId: made.userId,
      name: null,
      role: "owner",
      createdAt: made.now,
    })
    .execute();
  return true;
}

async function isAtWorkspaceLimit(db: CatalogDb, userId: string): Promise<boolean> {
  const owned = await db
    .selectFrom("members")
    .select("organizationId")
    .where("userId", "=", userId)
    .where("role", "=", "owner")
    .limit(SERVER_LIMITS.maxWorkspacesPerUser)
    .execute();
  return owned.length >= SERVER_LIMITS.maxWorkspacesPerUser;
}

export async function createOrganization(
  db: CatalogDb,
  made: Argument<"createOrganization">,
): Promise<"created" | "limit_reached"> {
  const { organizationId, name, actor, now, owner = actor.userId } = made;
  if (await isAtWorkspaceLimit(db, owner)) return "limit_reached";
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

/** The counts are correlated subqueries, so workspaces without members or sources are listed too. */
export async function organizations(
  db: CatalogDb,
  page: Argument<"organizations">,
): Promise<PageOf<OrganizationRecord>> {
  const rows = await db
    .selectFrom("organizations")
    .select((eb) => [
      "organizationId",
      "name",
      "createdAt",
      eb
        .selectFrom("members")
        .whereRef("members.organizationId", "=", "organizations.organizationId")
        .select((count) => count.fn.countAll<number>().as("members"))
        .as("members"),
      eb
        .selectFrom("sources")
        .whereRef("sources.organizationId", "=", "organizations.organizationId")
        .where("sources.deletedAt", "is", null)
        .select((count) => count.fn.countAll<number>().as("sources"))
        .as("sources"),
    ])
    .where(isAfterCursor(page, "createdAt", "organizationId"))
    .orderBy("createdAt", "desc")
    .orderBy("organizationId", "desc")
    .limit(page.limit + 1)
    .execute();
  const found = rows.map((row) => ({ ...row, members: row.members ?? 0, sources: row.sources ?? 0 }));
  return toPage(found, page, ({ organizationId }) => organizationId);
}

export const organizationsOf = (db: CatalogDb, { userId }: Argument<"organizationsOf">) =>
  db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.organizationId", "members.organizationId")
    .select(["organizations.organizationId as organizationId", "organizations.name", "members.role"])
    .where("members.userId", "=", userId)
    .orderBy("organizations.createdAt", "desc")
    .orderBy("organizations.organizationId", "desc")
    .execute();

export async function roleOf(
  db: CatalogDb,
  { userId, organizationId }: Argument<"roleOf">,
): Promise<Role | null> {
  const row = await db
    .selectFrom("members")
    .select("role")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** A completed step stays completed, so deleted sources count. */
export async function onboarding(
  db: CatalogDb,
  { organizationId }: Argument<"onboarding">,
): Promise<OnboardingTimes> {
  const first = await db
    .selectFrom("sources")
    .leftJoin("sourceActivity", "sourceActivity.sourceId", "sources.sourceId")
    .select((eb) => [
      eb.fn.min("sources.createdAt").as("created"),
      eb.fn.min("sourceActivity.firstBootstrapAt").as("bootstrap"),
      eb.fn.min("sourceActivity.firstEventAt").as("event"),
    ])
    .where("sources.organizationId", "=", organizationId)
    .executeTakeFirst();
  const organization = await db
    .selectFrom("organizations")
    .select("onboardedAt")
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return {
    sourceCreatedAt: first?.created ?? null,
    firstBootstrapAt: first?.bootstrap ?? null,
    firstEventAt: first?.event ?? null,
    completedAt: organization?.onboardedAt ?? null,
  };
}

/** A second completion changes nothing. */
export async function completeOnboarding(
  db: CatalogDb,
  { organizationId, actor, now }: Argument<"completeOnboarding">,
): Promise<void> {
  const completed = await db
    .updateTable("organizations")
    .set({ onboardedAt: now })
    .where("organizationId", "=", organizationId)
    .where("onboardedAt", "is", null)
    .returning("organizationId")
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
