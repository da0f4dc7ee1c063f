/**
 * Tells the operator by a signed webhook what has changed at a source: its health, the events and the share of events that arrive;
 * and sends its daily statement. The ledger keeps the last status of each topic, so that only one of several nodes sends an alert and
 * a restart loses none.
 */
import { postJson } from "../core/post-json.ts";
import { signatureOf } from "../core/signature.ts";
import { DAY_MS, SECOND_MS, startOfHour, toIsoTime } from "../core/time.ts";
import { healthOf } from "../debug/health.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AlertTopic, PendingAlert, SourceRecord } from "../ledger/records.ts";
import { type CheckDeps, createChecks } from "./checks.ts";
import { describeDelivery, describeEvents } from "./topics.ts";

/** Alerts, and statements, that are sent at once. */
const ALERT_SEND_BATCH_SIZE = 20;
/** Waits between the tries to send an alert. After the last try the alert is dropped. */
const ALERT_RETRY_MS = [60_000, 300_000, 900_000, 3_600_000, 10_800_000];

interface AlertWebhook {
  url: string;
  secret: string;
}

interface AlertDeps extends Omit<CheckDeps, "sendsAlerts"> {
  ledger: CheckDeps["ledger"] & Pick<Ledger, "attemptCounts" | "claimAlerts" | "finishAlert">;
  /** null: alerts are only listed. */
  webhook: AlertWebhook | null;
  /** The address of a source's debug view. */
  debugUrl(sourceId: string): string;
  /** The address of a source's delivery page. */
  deliveryUrl(sourceId: string): string;
  clock(): number;
}

interface AlertSending {
  readonly alert: PendingAlert;
  readonly source: SourceRecord;
  readonly signal: AbortSignal;
}

async function describeHealth(deps: AlertDeps, { alert, source }: AlertSending): Promise<object> {
  const { sourceId, status, was } = alert;
  const now = deps.clock();
  const counts = await deps.ledger.attemptCounts({ sourceId, sinceHour: startOfHour(now - 7 * DAY_MS) });
  return {
    type: `source.${status}`,
    previousStatus: was,
    health: healthOf(source, counts, now),
    debugUrl: deps.debugUrl(sourceId),
  };
}

async function describeStatement(deps: AlertDeps, { alert, source, signal }: AlertSending): Promise<object> {
  const day = Date.parse(alert.status) / DAY_MS;
  const statement = await deps.delivery.readStatement({ source, day, now: deps.clock(), signal });
  return { type: "source.statement", statement, deliveryUrl: deps.deliveryUrl(source.sourceId) };
}

/** What the webhook says of each topic. */
const DESCRIPTIONS: Readonly<
  Record<AlertTopic, (deps: AlertDeps, sending: AlertSending) => object | Promise<object>>
> = {
  health: describeHealth,
  events: (deps, { alert, source }) => ({
    ...describeEvents(alert),
    debugUrl: deps.debugUrl(source.sourceId),
  }),
  delivery: (deps, { alert, source }) => ({
    ...describeDelivery(alert),
    deliveryUrl: deps.deliveryUrl(source.sourceId),
  }),
  statement: describeStatement,
};

/** The body of the webhook (docs/operate/alerts.md). */
async function buildPayload(deps: AlertDeps, sending: AlertSending): Promise<object> {
  const { alertId, topic, since } = sending.alert;
  const { sourceId, organizationId, name, slug } = sending.source;
  const { type, ...described } = { type: "", ...(await DESCRIPTIONS[topic](deps, sending)) };
  return {
    alertId,
    type,
    since: toIsoTime(since),
    source: { sourceId, organizationId, name, slug },
    ...described,
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

async function sendAlert(
  deps: AlertDeps,
  webhook: AlertWebhook,
  { alert, signal }: Omit<AlertSending, "source">,
): Promise<void> {
  const { ledger, clock, log } = deps;
  const { alertId, sourceId, tries } = alert;
  try {
    const source = await ledger.source({ sourceId, now: clock() });
    if (source) await postAlert(webhook, await buildPayload(deps, { alert, source, signal }), clock());
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
export function createAlerts(deps: AlertDeps): (at: { now: number; signal: AbortSignal }) => Promise<void> {
  const { webhook, ledger } = deps;
  const check = createChecks({ ...deps, sendsAlerts: webhook !== null });
  if (!webhook) return check;
  const sendDue = async (topics: readonly AlertTopic[], now: number, signal: AbortSignal) => {
    const asked = { now, limit: ALERT_SEND_BATCH_SIZE, retryMs: ALERT_RETRY_MS, topics };
    const due = await ledger.claimAlerts(asked);
    await Promise.all(due.map((alert) => sendAlert(deps, webhook, { alert, signal })));
  };
  return async ({ now, signal }) => {
    await check({ now, signal });
    await sendDue(["health", "events", "delivery"], now, signal);
    // only a node with the warehouse can compute them
    if (deps.delivery.isHere()) await sendDue(["statement"], now, signal);
  };
}
