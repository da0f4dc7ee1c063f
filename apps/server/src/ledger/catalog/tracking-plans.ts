/** The tracking plan of each source, and its earlier versions (docs/api/tracking-plan.md). */
import type { PlannedEvent, TrackingPlan } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { NO_PLAN, type PlanRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { lockSource } from "./sources.ts";

/** @param version null: the current one */
export async function trackingPlan(
  db: CatalogDb,
  { sourceId, version }: Argument<"trackingPlan">,
): Promise<PlanRecord | null> {
  const row = await db
    .selectFrom("trackingPlans")
    .select(["version", "plan", "userId", "tokenId", "createdAt"])
    .where("sourceId", "=", sourceId)
    .$if(version !== null, (query) => query.where("version", "=", version))
    .$if(version === null, (query) => query.where("isCurrent", "=", 1))
    .executeTakeFirst();
  return row ? { ...row, plan: JSON.parse(row.plan) } : null;
}

export const trackingPlanVersions = (
  db: CatalogDb,
  { sourceId }: Argument<"trackingPlanVersions">,
): Promise<Omit<PlanRecord, "plan">[]> =>
  db
    .selectFrom("trackingPlans")
    .select(["version", "userId", "tokenId", "createdAt"])
    .where("sourceId", "=", sourceId)
    .orderBy("version", "desc")
    .limit(LIMITS.maxPlanVersions)
    .execute();

/** Names that an audit entry lists of each kind. */
const MAX_AUDITED_NAMES = 100;

/** The part of a change that an audit entry shows: the plan itself can have 256 KiB, and is kept as a version. */
function auditedChange(before: TrackingPlan, after: TrackingPlan) {
  const text = (event: PlannedEvent | undefined) => JSON.stringify(event);
  const names = [...new Set([...Object.keys(before.events), ...Object.keys(after.events)])].filter(
    (name) => text(before.events[name]) !== text(after.events[name]),
  );
  const isIn = (plan: TrackingPlan) => (name: string) => Object.hasOwn(plan.events, name);
  return {
    added: names.filter((name) => !isIn(before)(name)).slice(0, MAX_AUDITED_NAMES),
    removed: names.filter((name) => !isIn(after)(name)).slice(0, MAX_AUDITED_NAMES),
    changed: names.filter((name) => isIn(before)(name) && isIn(after)(name)).slice(0, MAX_AUDITED_NAMES),
  };
}

/** Ingest finds the version with the source, so it must not find two. */
async function addVersion(db: CatalogDb, sourceId: string, record: PlanRecord): Promise<void> {
  await db.updateTable("trackingPlans").set({ isCurrent: 0 }).where("sourceId", "=", sourceId).execute();
  await db
    .insertInto("trackingPlans")
    .values({ ...record, sourceId, plan: JSON.stringify(record.plan), isCurrent: 1 })
    .execute();
  await db
    .deleteFrom("trackingPlans")
    .where("sourceId", "=", sourceId)
    .where("version", "<=", record.version - LIMITS.maxPlanVersions)
    .execute();
}

export async function saveTrackingPlan(
  db: CatalogDb,
  { sourceId, plan, baseVersion, actor, now }: Argument<"saveTrackingPlan">,
): Promise<PlanRecord | "unknown" | "changed"> {
  // PostgreSQL tells the other nodes that the source has changed, because its row is written
  const source = await lockSource(db, { sourceId, now });
  if (!source) return "unknown";
  const before = await trackingPlan(db, { sourceId, version: null });
  const version = before?.version ?? 0;
  if (baseVersion !== null && baseVersion !== version) return "changed";
  const oldPlan = before?.plan ?? NO_PLAN;
  if (before && JSON.stringify(oldPlan) === JSON.stringify(plan)) return before;
  const { userId, tokenId } = actor;
  const saved: PlanRecord = { version: version + 1, plan, userId, tokenId, createdAt: now };
  await addVersion(db, sourceId, saved);
  const summary = ({ mode, unknownEvents }: TrackingPlan, planVersion: number) => ({
    planVersion,
    mode,
    unknownEvents,
  });
  await writeAudit(db, {
    organizationId: source.organizationId,
    now,
    actor,
    action: "source.plan_saved",
    target: sourceId,
    before: summary(oldPlan, version),
    after: { ...summary(plan, saved.version), ...auditedChange(oldPlan, plan) },
  });
  return saved;
}
