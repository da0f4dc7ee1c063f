/** The alert status of each source, and the alerts that must be sent. A node claims an alert before it sends it. */
import type { AlertStatus, PendingAlert, WatchedSource } from "../records.ts";
import { type CatalogDb, nextTryAt } from "./database.ts";

/** Active sources that have received something, in the order of their ids, after the given id. */
const watchedSources = (
  db: CatalogDb,
  { after, limit }: { after: string; limit: number },
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

interface AlertStatusChange {
  sourceId: string;
  /** null: the source had no status yet. */
  was: AlertStatus | null;
  status: AlertStatus;
  /** null: this change needs no alert. */
  alertId: string | null;
  now: number;
}

/**
 * Changes a source's status from `was` to `status`, and queues an alert. An alert of this source that is still unsent is replaced.
 * @returns false when the status was not `was` any more: another node was faster
 */
async function recordAlertStatus(db: CatalogDb, change: AlertStatusChange): Promise<boolean> {
  const { sourceId, was, status, alertId, now } = change;
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

/** Claims alerts that are due. Each is due again after `retryMs[number of earlier tries]`. */
async function claimAlerts(
  db: CatalogDb,
  { now, limit, retryMs }: { now: number; limit: number; retryMs: readonly number[] },
): Promise<PendingAlert[]> {
  const due = db
    .selectFrom("sourceAlerts")
    .select("sourceId")
    .where("alertId", "is not", null)
    .where("nextTryAt", "<=", now)
    .orderBy("nextTryAt")
    .limit(limit);
  const claimed = await db
    .updateTable("sourceAlerts")
    .set((eb) => ({ tries: eb("tries", "+", 1), nextTryAt: nextTryAt(now, retryMs) }))
    .where("sourceId", "in", due)
    // false when another node has claimed it since
    .where("nextTryAt", "<=", now)
    .returning(["alertId", "sourceId", "status", "was", "since", "tries"])
    .execute();
  return claimed.flatMap(({ alertId, was, ...alert }) =>
    alertId === null || was === null ? [] : [{ ...alert, alertId, was }],
  );
}

/** Removes an alert that was sent or will not be retried. */
async function finishAlert(
  db: CatalogDb,
  { sourceId, alertId }: { sourceId: string; alertId: string },
): Promise<void> {
  await db
    .updateTable("sourceAlerts")
    .set({ alertId: null })
    .where("sourceId", "=", sourceId)
    .where("alertId", "=", alertId)
    .execute();
}

export const alertReads = { watchedSources };
export const alertWrites = { recordAlertStatus, claimAlerts, finishAlert };
