/** Workspaces, their onboarding and their usage. */
import type { Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { OrganizationRecord, PageOf, PageRequest, UsageRow } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, onPage, toPage } from "./database.ts";

/** Creates a workspace and its owner. @returns false when it exists: two nodes may start on one empty ledger */
export async function insertOrganization(
  db: CatalogDb,
  made: { organizationId: string; name: string; userId: string; now: number },
): Promise<boolean> {
  const { organizationId, name, userId, now: createdAt } = made;
  const inserted = await db
    .insertInto("organizations")
    .values({ organizationId, name, onboardedAt: null, createdAt })
    .onConflict((conflict) => conflict.column("organizationId").doNothing())
    .returning("organizationId")
    .executeTakeFirst();
  if (!inserted) return false;
  await db
    .insertInto("members")
    .values({ organizationId, userId, name: null, role: "owner", createdAt })
    .execute();
  return true;
}

/** The actor becomes the owner, unless `owner` names another user. */
async function createOrganization(
  db: CatalogDb,
  made: AuditedChange & { organizationId: string; name: string; owner?: string | undefined },
): Promise<"created" | "limit_reached"> {
  const { organizationId, name, actor, now, owner = actor.userId } = made;
  const owned = db
    .selectFrom("members")
    .select("organizationId")
    .where("userId", "=", owner)
    .where("role", "=", "owner");
  if (await hasRows(owned, SERVER_LIMITS.maxWorkspacesPerUser)) return "limit_reached";
  if (!(await insertOrganization(db, { organizationId, name, userId: owner, now })))
    throw new Error(`the workspace ${organizationId} exists`);
  const entry = { organizationId, action: "organization.created", target: organizationId };
  await writeAudit(db, made, { ...entry, after: { name, owner } });
  return "created";
}

/**
 * Every workspace of the service. Only for the command line: no request may list other users' workspaces. The counts are
 * correlated subqueries, so workspaces without members or sources are listed too.
 */
async function organizations(db: CatalogDb, page: PageRequest): Promise<PageOf<OrganizationRecord>> {
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
    .$call(onPage(page, "createdAt", "organizationId"))
    .execute();
  const found = rows.map((row) => ({ ...row, members: row.members ?? 0, sources: row.sources ?? 0 }));
  return toPage(found, page, ({ organizationId }) => organizationId);
}

export const organizationsOf = (
  db: CatalogDb,
  { userId }: { userId: string },
): Promise<{ organizationId: string; name: string; role: Role }[]> =>
  db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.organizationId", "members.organizationId")
    .select(["organizations.organizationId as organizationId", "organizations.name", "members.role"])
    .where("members.userId", "=", userId)
    .orderBy("organizations.createdAt", "desc")
    .orderBy("organizations.organizationId", "desc")
    .execute();

/** @returns null when the user is not a member, or the workspace does not exist */
export async function roleOf(
  db: CatalogDb,
  { userId, organizationId }: { userId: string; organizationId: string },
): Promise<Role | null> {
  const row = await db
    .selectFrom("members")
    .select("role")
    .where("organizationId", "=", organizationId)
    .where("userId", "=", userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** The steps of the onboarding, each with the time at which it was completed: deleted sources count. */
async function onboarding(db: CatalogDb, { organizationId }: { organizationId: string }) {
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
async function completeOnboarding(
  db: CatalogDb,
  done: AuditedChange & { organizationId: string },
): Promise<void> {
  const { organizationId, now } = done;
  const completed = await db
    .updateTable("organizations")
    .set({ onboardedAt: now })
    .where("organizationId", "=", organizationId)
    .where("onboardedAt", "is", null)
    .returning("organizationId")
    .executeTakeFirst();
  if (!completed) return;
  await writeAudit(db, done, { organizationId, action: "onboarding.completed", target: organizationId });
}

/**
 * Accepted events and bootstraps per source and day, deleted sources included. `from` and `to` are UTC days (YYYY-MM-DD), both
 * inclusive.
 */
const usage = (
  db: CatalogDb,
  { organizationId, from, to }: { organizationId: string; from: string; to: string },
): Promise<UsageRow[]> =>
  db
    .selectFrom("usage")
    .innerJoin("sources", "sources.sourceId", "usage.sourceId")
    .select(["usage.sourceId", "usage.day", "usage.accepted", "usage.bootstraps", "usage.bytes"])
    .where("sources.organizationId", "=", organizationId)
    .where("usage.day", ">=", from)
    .where("usage.day", "<=", to)
    .orderBy("usage.day")
    .orderBy("usage.sourceId")
    .execute();

export const organizationReads = { organizations, organizationsOf, roleOf, onboarding, usage };
export const organizationWrites = { createOrganization, completeOnboarding };
