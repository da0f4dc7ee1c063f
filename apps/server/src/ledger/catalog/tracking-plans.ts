/** The tracking plan of each source, and its earlier versions (docs/api/tracking-plan.md). */
import type { PlannedEvent, TrackingPlan } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { parseExactJson } from "../../core/exact-json.ts";
import type { PlanRecord } from "../records.ts";
import { NO_PLAN } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import type { CatalogDb } from "./database.ts";
import { lockSource } from "./sources.ts";

/** A version of the source's tracking plan; null: the current one. @returns null when there is no such version */
async function trackingPlan(
  db: CatalogDb,
  { sourceId, version }: { sourceId: string; version: number | null },
): Promise<PlanRecord | null> {
  const row = await db
    .selectFrom("trackingPlans")
    .select(["version", "plan", "userId", "tokenId", "createdAt"])
    .where("sourceId", "=", sourceId)
    .$if(version !== null, (query) => query.where("version", "=", version))
    .$if(version === null, (query) => query.where("isCurrent", "=", 1))
    .executeTakeFirst();
  return row ? { ...row, plan: parseExactJson(row.plan) } : null;
}

/** The versions that are kept, the newest first. */
const trackingPlanVersions = (
  db: CatalogDb,
  { sourceId }: { sourceId: string },
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

/**
 * Stores the plan as a new version, unless it equals the current one. @returns `changed` when `baseVersion` is not null and not the
 * current version
 */
async function saveTrackingPlan(
  db: CatalogDb,
  saved: AuditedChange & { sourceId: string; plan: TrackingPlan; baseVersion: number | null },
): Promise<PlanRecord | "unknown" | "changed"> {
  const { sourceId, plan, baseVersion, actor, now } = saved;
  // PostgreSQL tells the other nodes that the source has changed, because its row is written
  const source = await lockSource(db, { sourceId, now });
  if (!source) return "unknown";
  const before = await trackingPlan(db, { sourceId, version: null });
  const version = before?.version ?? 0;
  if (baseVersion !== null && baseVersion !== version) return "changed";
  const oldPlan = before?.plan ?? NO_PLAN;
  if (before && JSON.stringify(oldPlan) === JSON.stringify(plan)) return before;
  const { userId, tokenId } = actor;
  const added: PlanRecord = { version: version + 1, plan, userId, tokenId, createdAt: now };
  await addVersion(db, sourceId, added);
  const summary = ({ mode, unknownEvents }: TrackingPlan, planVersion: number) => ({
    planVersion,
    mode,
    unknownEvents,
  });
  await writeAudit(db, saved, {
    organizationId: source.organizationId,
    action: "source.plan_saved",
    target: sourceId,
    before: summary(oldPlan, version),
    after: { ...summary(plan, added.version), ...auditedChange(oldPlan, plan) },
  });
  return added;
}

export const trackingPlanReads = { trackingPlan, trackingPlanVersions };
export const trackingPlanWrites = { saveTrackingPlan };
