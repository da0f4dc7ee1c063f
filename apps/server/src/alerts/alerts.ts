/**
 * Tells the operator when a source starts failing, goes quiet, or receives again. As what each source was seen last is in
 * the ledger, so that of several nodes one tells, and what could not be told is told after a restart.
 */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { AttemptCount, PendingAlert, SourceRecord, WatchedSource } from "../core/records.ts";
import { DAY_MS, HOUR_MS, startOfHour, toIsoTime } from "../core/time.ts";
import type { AlertLedger, AttemptLedger, Catalog } from "../ledger/ledger.ts";
import { type HealthStatus, statusOf } from "./status.ts";
import { post, type Webhook } from "./webhook.ts";

export interface AlertDeps {
  ledger: AlertLedger & Pick<AttemptLedger, "attemptCounts"> & Pick<Catalog, "source">;
  webhook: Webhook;
  quietHours: number;
  healthStatus: HealthStatus;
  /** As the debug view has it. */
  healthOf(source: SourceRecord, counts: readonly AttemptCount[], now: number): object;
  /** Where the debug view of a source is. */
  debugUrl(sourceId: string): string;
  clock(): number;
  newId(prefix: string): string;
  log: { warn(fields: object, message: string): void };
}

/** @returns what is to be called every minute, on every node */
export function createAlerts(deps: AlertDeps): (at: { now: number }) => Promise<void> {
  const { ledger, newId } = deps;

  /** The first sight of a source tells nobody: it may have been quiet for long. That it fails is told a minute later. */
  const see = async (source: WatchedSource, counts: readonly AttemptCount[], now: number) => {
    const { sourceId, status: was } = source;
    const seen = statusOf(source, counts, now, deps.quietHours, deps.healthStatus);
    if (seen === was) return;
    const isFirst = was === null;
    const status = isFirst && seen === "failing" ? "receiving" : seen;
    await ledger.recordAlertStatus({ sourceId, was, status, alertId: isFirst ? null : newId("alr"), now });
  };

  const look = async (now: number) => {
    const recent = await ledger.recentAttemptCounts({ sinceHour: startOfHour(now - HOUR_MS) });
    const bySource = Map.groupBy(recent, ({ sourceId }) => sourceId);
    const limit = SERVER_LIMITS.alertSources;
    let sources: WatchedSource[] = [];
    let after = "";
    do {
      sources = await ledger.watchedSources({ after, limit });
      for (const source of sources) await see(source, bySource.get(source.sourceId) ?? [], now);
      after = sources.at(-1)?.sourceId ?? after;
    } while (sources.length === limit);
  };

  const payloadOf = async ({ alertId, sourceId, status, was, since }: PendingAlert, source: SourceRecord) => {
    const now = deps.clock();
    const counts = await ledger.attemptCounts({ sourceId, sinceHour: startOfHour(now - 7 * DAY_MS) });
    const { organizationId, name, slug } = source;
    return {
      alertId,
      type: `source.${status}`,
      since: toIsoTime(since),
      previousStatus: was,
      source: { sourceId, organizationId, name, slug },
      health: deps.healthOf(source, counts, now),
      debugUrl: deps.debugUrl(sourceId),
    };
  };

  const tell = async (alert: PendingAlert) => {
    const { alertId, sourceId, tries } = alert;
    try {
      const source = await ledger.source({ sourceId, now: deps.clock() });
      if (source) await post(deps.webhook, await payloadOf(alert, source), deps.clock());
    } catch (error) {
      // without the address, which may be a secret
      const fields = { alertId, sourceId, tries, reason: (error as Error).message };
      const isLast = tries > SERVER_LIMITS.alertRetryMs.length;
      deps.log.warn(
        fields,
        isLast ? "an alert could not be sent and is given up" : "an alert could not be sent",
      );
      if (!isLast) return;
    }
    await ledger.finishAlert({ sourceId, alertId });
  };

  return async ({ now }) => {
    await look(now);
    const due = await ledger.claimAlerts({
      now,
      limit: SERVER_LIMITS.alertsAtOnce,
      retryMs: SERVER_LIMITS.alertRetryMs,
    });
    await Promise.all(due.map(tell));
  };
}
