/**
 * Compares each source with its last recorded statuses, and records what has changed. Health is checked every minute, event names
 * and delivery once a day.
 */
import { DAY_MS, dayOf, HOUR_MS, startOfHour } from "../core/time.ts";
import { type DailyDelivery, lastSettledDay } from "../delivery/daily.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AlertTopic, AttemptCount, WatchedSource } from "../ledger/records.ts";
import { dayText } from "../ledger/warehouse-report.ts";
import { getAlertStatus } from "./status.ts";
import { findStoppedEvents, followStoppedEvents } from "./stopped-events.ts";
import { readDelivery, readStopped, writeDelivery, writeStopped } from "./topics.ts";

/** Sources that are read at once. */
const ALERT_SOURCE_BATCH_SIZE = 500;
/** A day with fewer events says nothing of delivery. */
const MIN_DELIVERY_EVENTS = 100;
/** Page views that must have lost events, so that one broken browser wakes nobody. */
const MIN_LOSING = 5;
/** Statements of earlier days that are sent after the service was stopped. */
const MAX_STATEMENT_DAYS = 31;

export interface CheckDeps {
  ledger: Pick<
    Ledger,
    "recentAttemptCounts" | "source" | "watchedSources" | "recordAlertStatus" | "eventCatalog"
  >;
  delivery: DailyDelivery;
  /** Hours without anything accepted until a source is quiet; 0: never. */
  quietHours: number;
  /** The delivery is low when fewer percent of a day's events arrived; 0: never. */
  deliveryPercent: number;
  /** Whether there is a webhook. */
  sendsAlerts: boolean;
  sendsStatements: boolean;
  newId(prefix: string): string;
  log: { warn(fields: object, message: string): void };
}

interface CheckedSource {
  readonly source: WatchedSource;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Records the new status of a topic. @param isTold whether an alert is sent */
function record(
  { ledger, newId, sendsAlerts }: CheckDeps,
  { source, now }: CheckedSource,
  { topic, status, isTold }: { topic: AlertTopic; status: string; isTold: boolean },
) {
  const was = source.alerts[topic]?.status ?? null;
  const alertId = isTold && sendsAlerts ? newId("alr") : null;
  return ledger.recordAlertStatus({ sourceId: source.sourceId, topic, was, status, alertId, now });
}

async function checkHealth(
  deps: CheckDeps,
  check: CheckedSource,
  counts: readonly AttemptCount[],
): Promise<void> {
  const { source, now } = check;
  const was = source.alerts.health?.status ?? null;
  const detected = getAlertStatus({ source, counts, now, quietHours: deps.quietHours });
  if (detected === was) return;
  // The first check of a source sends no alert, because the source may have been quiet for a long time. If the source is
  // failing or violates its plan, the next check reports it.
  const isFirst = was === null;
  const status = isFirst && detected !== "quiet" ? "receiving" : detected;
  await record(deps, check, { topic: "health", status, isTold: !isFirst });
}

async function checkEvents(deps: CheckDeps, check: CheckedSource, isDaily: boolean): Promise<void> {
  const { source, now } = check;
  const { status, since = 0 } = source.alerts.events ?? {};
  const stopped = readStopped(status);
  if (stopped.length === 0 && !isDaily) return;
  const events = await deps.ledger.eventCatalog({ sourceId: source.sourceId });
  const { resumed, absent } = followStoppedEvents(events, { stopped, since, now });
  const found = isDaily ? findStoppedEvents(events, lastWholeDay(now)) : [];
  const next = writeStopped([...absent, ...found]);
  if (next === writeStopped(stopped)) return;
  const isTold = resumed.length > 0 || found.some((name) => !stopped.includes(name));
  await record(deps, check, { topic: "events", status: next, isTold });
}

async function checkDelivery(deps: CheckDeps, check: CheckedSource): Promise<void> {
  const { ledger, delivery, deliveryPercent } = deps;
  const { source, now, signal } = check;
  const day = lastSettledDay(now);
  const was = readDelivery(source.alerts.delivery?.status);
  if (deliveryPercent === 0 || !delivery.isHere() || was?.day === dayText(day)) return;
  // nothing came on that day or later
  if ((source.lastEventAt ?? 0) < day * DAY_MS) return;
  const found = await ledger.source({ sourceId: source.sourceId, now });
  if (!found) return;
  const asked = { source: found, day, now, signal };
  const [account] = (await delivery.readStatement(asked)).days;
  if (!account) return;
  const lost = account.missing + Object.values(account.dropped).reduce((sum, events) => sum + events, 0);
  const { accepted } = account;
  if (accepted + lost < MIN_DELIVERY_EVENTS) return;
  const isLow = accepted * 100 < (accepted + lost) * deliveryPercent;
  if (isLow === (was?.isLow ?? false)) return;
  if (isLow && (await delivery.countLosing(asked)) < MIN_LOSING) return;
  const status = writeDelivery({ isLow, day: dayText(day), accepted, lost });
  await record(deps, check, { topic: "delivery", status, isTold: true });
}

/** Queues the statement of the day after the last one, when that day is settled and the last statement was sent. */
async function queueStatement(deps: CheckDeps, check: CheckedSource): Promise<void> {
  const { statement: last } = check.source.alerts;
  if (!deps.sendsAlerts || !deps.sendsStatements || !deps.delivery.isHere() || last?.isPending) return;
  const settled = lastSettledDay(check.now);
  const next = last ? dayOf(Date.parse(last.status)) + 1 : settled;
  if (next > settled) return;
  const status = dayText(Math.max(next, settled - MAX_STATEMENT_DAYS + 1));
  await record(deps, check, { topic: "statement", status, isTold: true });
}

/** The daily checks begin at 01:00 UTC: then all nodes have stored what they have learned of the day before. */
const lastWholeDay = (now: number): number => dayOf(now - HOUR_MS) - 1;

/** @returns a round: checks all sources. Run it every minute on every node. */
export function createChecks(deps: CheckDeps): (at: { now: number; signal: AbortSignal }) => Promise<void> {
  /** The day of the last daily checks, the hour in which they were tried last, and the sources whose delivery is still unknown. */
  let checkedDay = -1;
  let triedHour = -1;
  let unknown: ReadonlySet<string> = new Set();

  return async ({ now, signal }) => {
    const [day, hour] = [lastWholeDay(now), startOfHour(now)];
    const [isNewDay, isNewHour] = [day !== checkedDay, hour !== triedHour];
    const failures = new Map<string, unknown>();
    const recent = await deps.ledger.recentAttemptCounts({ sinceHour: startOfHour(now - HOUR_MS) });
    const countsBySource = Map.groupBy(recent, ({ sourceId }) => sourceId);
    const limit = ALERT_SOURCE_BATCH_SIZE;
    for (let after = ""; ; ) {
      const sources = await deps.ledger.watchedSources({ after, limit });
      for (const source of sources) {
        const { sourceId } = source;
        const check = { source, now, signal };
        await checkHealth(deps, check, countsBySource.get(sourceId) ?? []);
        await checkEvents(deps, check, isNewDay);
        if (isNewDay || (isNewHour && unknown.has(sourceId)))
          await checkDelivery(deps, check).catch((error: unknown) => failures.set(sourceId, error));
        await queueStatement(deps, check);
      }
      const last = sources.at(-1);
      if (!last || sources.length < limit) break;
      after = last.sourceId;
    }
    if (isNewDay || isNewHour) unknown = new Set(failures.keys());
    [checkedDay, triedHour] = [day, hour];
    const [err] = failures.values();
    if (err !== undefined)
      deps.log.warn(
        { err, sources: failures.size },
        "the delivery of sources could not be checked; it is tried again in an hour",
      );
  };
}
