/**
 * Sends the operator an alert when a source changes its status: it starts failing, goes quiet, or receives events again.
 * The ledger keeps the last status of each source, so that only one of several nodes sends an alert and a restart loses none.
 */
import { postJson } from "../core/post-json.ts";
import { signatureOf } from "../core/signature.ts";
import { DAY_MS, HOUR_MS, SECOND_MS, startOfHour, toIsoTime } from "../core/time.ts";
import { healthOf } from "../debug/health.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AttemptCount, PendingAlert, SourceRecord, WatchedSource } from "../ledger/records.ts";
import { getAlertStatus } from "./status.ts";

/** Sources that are read at once. */
const ALERT_SOURCE_BATCH_SIZE = 500;
/** Alerts that are sent at once. */
const ALERT_SEND_BATCH_SIZE = 20;
/** Waits between the tries to send an alert. After the last try the alert is dropped. */
const ALERT_RETRY_MS = [60_000, 300_000, 900_000, 3_600_000, 10_800_000];

interface AlertWebhook {
  url: string;
  secret: string;
}

interface AlertDeps {
  ledger: Pick<
    Ledger,
    | "attemptCounts"
    | "recentAttemptCounts"
    | "source"
    | "watchedSources"
    | "recordAlertStatus"
    | "claimAlerts"
    | "finishAlert"
  >;
  webhook: AlertWebhook;
  /** Hours without anything accepted until a source is quiet; 0: never. */
  quietHours: number;
  /** The address of a source's debug view. */
  debugUrl(sourceId: string): string;
  clock(): number;
  newId(prefix: string): string;
  log: { warn(fields: object, message: string): void };
}

/** Records a status that has changed since the last check, and queues its alert. */
async function checkSource(
  { ledger, quietHours, newId }: AlertDeps,
  source: WatchedSource,
  counts: readonly AttemptCount[],
  now: number,
): Promise<void> {
  const { sourceId, status: was } = source;
  const detected = getAlertStatus({ source, counts, now, quietHours });
  if (detected === was) return;
  // The first check of a source sends no alert, because the source may have been quiet for a long time. If the source is
  // failing or violates its plan, the next check reports it.
  const isFirst = was === null;
  const status = isFirst && detected !== "quiet" ? "receiving" : detected;
  await ledger.recordAlertStatus({ sourceId, was, status, alertId: isFirst ? null : newId("alr"), now });
}

async function checkSources(deps: AlertDeps, now: number): Promise<void> {
  const recent = await deps.ledger.recentAttemptCounts({ sinceHour: startOfHour(now - HOUR_MS) });
  const countsBySource = Map.groupBy(recent, ({ sourceId }) => sourceId);
  const limit = ALERT_SOURCE_BATCH_SIZE;
  let after = "";
  for (;;) {
    const sources = await deps.ledger.watchedSources({ after, limit });
    for (const source of sources)
      await checkSource(deps, source, countsBySource.get(source.sourceId) ?? [], now);
    const last = sources.at(-1);
    if (!last || sources.length < limit) return;
    after = last.sourceId;
  }
}

/** The body of the webhook (docs/operate/alerts.md). */
async function buildPayload(deps: AlertDeps, alert: PendingAlert, source: SourceRecord): Promise<object> {
  const { alertId, sourceId, status, was, since } = alert;
  const now = deps.clock();
  const counts = await deps.ledger.attemptCounts({ sourceId, sinceHour: startOfHour(now - 7 * DAY_MS) });
  const { organizationId, name, slug } = source;
  return {
    alertId,
    type: `source.${status}`,
    since: toIsoTime(since),
    previousStatus: was,
    source: { sourceId, organizationId, name, slug },
    health: healthOf(source, counts, now),
    debugUrl: deps.debugUrl(sourceId),
  };
}

/** @throws Error when the webhook did not answer 2xx in time */
async function postAlert({ url, secret }: AlertWebhook, payload: object, now: number): Promise<void> {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(now / SECOND_MS));
  await postJson(url, body, {
    "headwater-timestamp": timestamp,
    // the time lets the receiver reject a replayed alert
    "headwater-signature": signatureOf(secret, `${timestamp}.${body}`),
  });
}

async function sendAlert(deps: AlertDeps, alert: PendingAlert): Promise<void> {
  const { ledger, webhook, clock, log } = deps;
  const { alertId, sourceId, tries } = alert;
  try {
    const source = await ledger.source({ sourceId, now: clock() });
    if (source) await postAlert(webhook, await buildPayload(deps, alert, source), clock());
  } catch (error) {
    // the webhook's address may be a secret, so it is not logged
    const reason = error instanceof Error ? error.message : String(error);
    const isLast = tries > ALERT_RETRY_MS.length;
    const outcome = isLast ? "it will not be retried" : "it will be retried";
    log.warn({ alertId, sourceId, tries, reason }, `an alert could not be sent; ${outcome}`);
    if (!isLast) return;
  }
  await ledger.finishAlert({ sourceId, alertId });
}

/** @returns one round: checks all sources, then sends the alerts that are due. Run it every minute on every node. */
export function createAlerts(deps: AlertDeps): (at: { now: number }) => Promise<void> {
  return async ({ now }) => {
    await checkSources(deps, now);
    const due = await deps.ledger.claimAlerts({
      now,
      limit: ALERT_SEND_BATCH_SIZE,
      retryMs: ALERT_RETRY_MS,
    });
    await Promise.all(due.map((alert) => sendAlert(deps, alert)));
  };
}
