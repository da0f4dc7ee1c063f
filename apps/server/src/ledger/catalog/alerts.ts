/** The alert status of each source, and the alerts that must be sent. A node claims an alert before it sends it. */
import type { PendingAlert, WatchedSource } from "../records.ts";
import type { Argument, CatalogDb } from "./database.ts";

export const watchedSources = (
  db: CatalogDb,
  { after, limit }: Argument<"watchedSources">,
): Promise<WatchedSource[]> =>
  db
    .selectFrom("sources")
    .innerJoin("sourceActivity", "sourceActivity.sourceId", "sources.sourceId")
    .leftJoin("sourceAlerts", "sourceAlerts.sourceId", "sources.sourceId")
    .select([
      "sources.sourceId",
      "sourceActivity.lastBootstrapAt",
      "sourceActivity.lastEventAt",
      "sourceAlerts.status",
      "sourceAlerts.since",
    ])
    .where("sources.deletedAt", "is", null)
    .where("sources.isActive", "=", 1)
    .where("sources.sourceId", ">", after)
    .orderBy("sources.sourceId")
    .limit(limit)
    .execute();

export async function recordAlertStatus(
  db: CatalogDb,
  { sourceId, was, status, alertId, now }: Argument<"recordAlertStatus">,
): Promise<boolean> {
  if (was === null) {
    const first = { sourceId, status, since: now, was: null, alertId: null, tries: 0, nextTryAt: 0 };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("sourceAlerts")
      .values(first)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable("sourceAlerts")
    .set({ was, status, since: now, alertId, tries: 0, nextTryAt: now })
    .where("sourceId", "=", sourceId)
    .where("status", "=", was)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function claimAlerts(
  db: CatalogDb,
  { now, limit, retryMs }: Argument<"claimAlerts">,
): Promise<PendingAlert[]> {
  const due = await db
    .selectFrom("sourceAlerts")
    .selectAll()
    .where("alertId", "is not", null)
    .where("nextTryAt", "<=", now)
    .orderBy("nextTryAt")
    .limit(limit)
    .execute();
  const claimed: PendingAlert[] = [];
  for (const { sourceId, alertId, status, was, since, tries } of due) {
    if (alertId === null || was === null) continue;
    const { numUpdatedRows } = await db
      .updateTable("sourceAlerts")
      .set({ tries: tries + 1, nextTryAt: now + (retryMs[tries] ?? 0) })
      .where("sourceId", "=", sourceId)
      .where("alertId", "=", alertId)
      // false when another node has claimed it since
      .where("tries", "=", tries)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) claimed.push({ alertId, sourceId, status, was, since, tries: tries + 1 });
  }
  return claimed;
}

export async function finishAlert(
  db: CatalogDb,
  { sourceId, alertId }: Argument<"finishAlert">,
): Promise<void> {
  await db
    .updateTable("sourceAlerts")
    .set({ alertId: null })
    .where("sourceId", "=", sourceId)
    .where("alertId", "=", alertId)
    .execute();
}
