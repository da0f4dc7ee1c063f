/** The operations on the tracking plan of a source (docs/api/tracking-plan.md). */
import { type Issue, LIMITS, type PlanVersion, type TrackingPlan } from "@headwater/contract";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { canSeeUser } from "../core/users.ts";
import type { CatalogHandler } from "../http/handler.ts";
import type { PlanRecord } from "../ledger/records.ts";
import { NO_PLAN } from "../ledger/records.ts";
import { requireCompilable } from "../plan/compile-plan.ts";
import { proposePlan as propose } from "../plan/propose-plan.ts";
import { checkSchema } from "../plan/schema-rules.ts";

function renderVersion<R extends Omit<PlanRecord, "plan">>(
  viewer: Parameters<typeof canSeeUser>[0],
  record: R,
) {
  const author = canSeeUser(viewer, record.userId) ? {} : { userId: null, tokenId: null };
  return { ...record, ...author, createdAt: toIsoTime(record.createdAt) };
}

const EMPTY: PlanVersion = { version: 0, createdAt: null, userId: null, tokenId: null, plan: NO_PLAN };

export const getPlan: CatalogHandler<"getPlan"> = async (call, { catalog }) => {
  const { sourceId } = call.source;
  const { version = null } = call.query;
  const record = await catalog.trackingPlan({ sourceId, version });
  if (!record && version !== null) throw new Refusal("plan_version_not_found");
  return { body: record ? renderVersion(call, record) : EMPTY };
};

export const listPlanVersions: CatalogHandler<"listPlanVersions"> = async (call, { catalog }) => {
  const { sourceId } = call.source;
  const versions = await catalog.trackingPlanVersions({ sourceId });
  return { body: { versions: versions.map((version) => renderVersion(call, version)) } };
};

export const proposePlan: CatalogHandler<"proposePlan"> = async ({ source: { sourceId } }, { catalog }) => {
  const current = await catalog.trackingPlan({ sourceId, version: null });
  const seen = await catalog.eventCatalog({ sourceId });
  const plan = current?.plan ?? { ...NO_PLAN, mode: "warn" };
  return { body: { version: current?.version ?? 0, ...propose(plan, seen) } };
};

const nameIssues = (name: string): Issue[] =>
  name !== "" && name.length <= LIMITS.maxEventNameLength
    ? []
    : [
        issueAt(
          ["plan", "events", name],
          `The name of a planned event has 1 to ${LIMITS.maxEventNameLength} characters`,
        ),
      ];

/** Other requests run between two schemas: each takes up to some milliseconds. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** @throws Refusal 422 with all issues */
async function requireValid(plan: TrackingPlan): Promise<void> {
  const issues: Issue[] = [];
  let planCost = 0;
  for (const [name, { schema }] of Object.entries(plan.events)) {
    const checked = checkSchema(schema, ["plan", "events", name, "schema"]);
    issues.push(...nameIssues(name), ...checked.issues);
    if (checked.issues.length === 0) planCost += checked.cost;
    if (planCost > LIMITS.maxPlanCost) {
      const message = `plan.events costs more than ${LIMITS.maxPlanCost} checks. Describe fewer events or properties`;
      issues.push(issueAt(["plan", "events"], message));
      break;
    }
    if (issues.length >= LIMITS.maxIssues) break;
    await pause();
  }
  requireNoIssues(issues.slice(0, LIMITS.maxIssues));
  await requireCompilable(plan, pause);
}

/** Members that are not given are null, so that equal plans have equal texts. */
const normalized = ({ mode, unknownEvents, events }: TrackingPlan): TrackingPlan => ({
  mode,
  unknownEvents,
  events: Object.fromEntries(
    Object.entries(events).map(([name, { mode: own = null, schema }]) => [name, { mode: own, schema }]),
  ),
});

export const savePlan: CatalogHandler<"savePlan"> = async (call, { catalog }) => {
  const { source, actor, body, now } = call;
  const { plan, baseVersion = null } = body;
  await requireValid(plan);
  const change = { sourceId: source.sourceId, plan: normalized(plan), baseVersion, actor, now };
  const saved = await catalog.saveTrackingPlan(change);
  if (saved === "unknown") throw new Refusal("source_not_found");
  if (saved === "changed") throw new Refusal("plan_changed");
  return { body: renderVersion(call, saved) };
};
