/** The alert statuses of each source, by topic, and the alerts that must be sent. A node claims an alert before it sends it. */
import type { AlertState, AlertTopic, PendingAlert, TopicStatus, WatchedSource } from "../records.ts";
import { type CatalogDb, nextTryAt } from "./database.ts";

/** Active sources that have received something, in the order of their ids, after the given id. */
async function watchedSources(
  db: CatalogDb,
  { after, limit }: { after: string; limit: number },
): Promise<WatchedSource[]> {
  const sources = await db
    .selectFrom("sources")
    .innerJoin("sourceActivity", "sourceActivity.sourceId", "sources.sourceId")
    .select(["sources.sourceId", "sourceActivity.lastBootstrapAt", "sourceActivity.lastEventAt"])
    .where("sources.deletedAt", "is", null)
    .where("sources.isActive", "=", 1)
    .where("sources.sourceId", ">", after)
    .orderBy("sources.sourceId")
    .limit(limit)
    .execute();
  const last = sources.at(-1);
  if (!last) return [];
  const states = await db
    .selectFrom("sourceAlerts")
    .select(["sourceId", "topic", "status", "since", "alertId"])
    .where("sourceId", ">", after)
    .where("sourceId", "<=", last.sourceId)
    .execute();
  const bySource = Map.groupBy(states, ({ sourceId }) => sourceId);
  return sources.map((source) => {
    const alerts: Partial<Record<AlertTopic, AlertState>> = {};
    for (const { topic, status, since, alertId } of bySource.get(source.sourceId) ?? [])
      alerts[topic] = { status, since, isPending: alertId !== null };
    return { ...source, alerts };
  });
}

/** The last status of each topic of a source. */
const sourceAlerts = (db: CatalogDb, { sourceId }: { sourceId: string }): Promise<TopicStatus[]> =>
  db
    .selectFrom("sourceAlerts")
    .select(["topic", "status", "since"])
    .where("sourceId", "=", sourceId)
    .orderBy("since", "desc")
    .execute();

interface AlertStatusChange {
  sourceId: string;
  topic: AlertTopic;
  /** null: the topic had no status yet. */
  was: string | null;
  status: string;
  /** null: this change needs no alert. */
  alertId: string | null;
  now: number;
}

/**
 * Changes the status of a source's topic from `was` to `status`, and queues an alert. An alert of this topic that is still unsent
 * is replaced.
 * @returns false when the status was not `was` any more: another node was faster
 */
async function recordAlertStatus(db: CatalogDb, change: AlertStatusChange): Promise<boolean> {
  const { sourceId, topic, was, status, alertId, now } = change;
  const values = { was, status, since: now, alertId, tries: 0, nextTryAt: now };
  if (was === null) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("sourceAlerts")
      .values({ sourceId, topic, ...values })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable("sourceAlerts")
    .set(values)
    .where("sourceId", "=", sourceId)
    .where("topic", "=", topic)
    .where("status", "=", was)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

interface AlertClaim {
  now: number;
  limit: number;
  retryMs: readonly number[];
  /** Which alerts this node can send. */
  topics: readonly AlertTopic[];
}

/** Claims alerts that are due. Each is due again after `retryMs[number of earlier tries]`. */
async function claimAlerts(
  db: CatalogDb,
  { now, limit, retryMs, topics }: AlertClaim,
): Promise<PendingAlert[]> {
  const due = db
    .selectFrom("sourceAlerts")
    .select("alertId")
    .where("alertId", "is not", null)
    .where("topic", "in", topics)
    .where("nextTryAt", "<=", now)
    .orderBy("nextTryAt")
    .limit(limit);
  const claimed = await db
    .updateTable("sourceAlerts")
    .set((eb) => ({ tries: eb("tries", "+", 1), nextTryAt: nextTryAt(now, retryMs) }))
    .where("alertId", "in", due)
    // false when another node has claimed it since
    .where("nextTryAt", "<=", now)
    .returning(["alertId", "sourceId", "topic", "status", "was", "since", "tries"])
    .execute();
  return claimed.flatMap(({ alertId, ...alert }) => (alertId === null ? [] : [{ ...alert, alertId }]));
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

export const alertReads = { watchedSources, sourceAlerts };
export const alertWrites = { recordAlertStatus, claimAlerts, finishAlert };
