/**
 * Deletes events that are older than their source's `retentionDays` from the warehouse, or without a warehouse, events
 * older than RETENTION_DAYS from the outbox. Retention counts whole UTC days, so that parts are rewritten once a day.
 */
import type { WarehouseClient } from "../clickhouse/client.ts";
import { deleteEvents, isDeleting, literal } from "../clickhouse/deletion.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { DAY_MS, dayOf } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { SourceRetention } from "../ledger/records.ts";

/** How often expired events are looked for. What is expired changes at midnight UTC. */
const RETENTION_CHECK_MS = 3_600_000;

interface RetentionDeps {
  ledger: Pick<Ledger, "retentions" | "expireOutbox" | "expireShippedDays">;
  warehouse: Pick<Warehouse, "client" | "state">;
  /** Days that the outbox keeps events when there is no warehouse. */
  outboxDays: number;
}

const PREFIX = "expiry-";
const SOURCES_PER_STATEMENT = 200;
/** Slices of 4,000 outbox rows: more rows than can be accepted in a minute. */
const MAX_OUTBOX_SLICES = 1_000;

/** The first day that is kept, in days since the epoch. */
const firstKeptDay = ({ retentionDays }: SourceRetention, now: number) => dayOf(now) - retentionDays;

const conditionOf = (retention: SourceRetention, now: number): string => {
  const { sourceId } = retention;
  const before = firstKeptDay(retention, now) * DAY_MS;
  return `(sourceId = ${literal(sourceId)} AND occurredAt < fromUnixTimestamp64Milli(${before}, 'UTC'))`;
};

/** The sources that have expired events in the warehouse. */
async function findExpired(
  client: WarehouseClient,
  retentions: SourceRetention[],
  now: number,
): Promise<SourceRetention[]> {
  const conditions = retentions.map((retention) => conditionOf(retention, now));
  const query = `SELECT DISTINCT sourceId FROM events WHERE ${conditions.join(" OR ")}`;
  const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{ sourceId: string }>();
  const found = new Set(rows.map(({ sourceId }) => sourceId));
  return retentions.filter(({ sourceId }) => found.has(sourceId));
}

async function expireOutbox({ ledger, outboxDays }: RetentionDeps, now: number): Promise<void> {
  const before = now - outboxDays * DAY_MS;
  for (let slice = 0; slice < MAX_OUTBOX_SLICES && (await ledger.expireOutbox({ before })); ) slice++;
}

/** @returns one round, to be run every minute. It checks the warehouse once an hour. Several nodes may run it at once. */
export function createRetention(deps: RetentionDeps): (at: { now: number }) => Promise<void> {
  const { ledger, warehouse } = deps;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async ({ now }) => {
    if (warehouse.state() === "off") return expireOutbox(deps, now);
    const client = warehouse.client();
    if (!client || Math.abs(now - checkedAt) < RETENTION_CHECK_MS) return;
    const all = await ledger.retentions();
    if (all.length > 0 && (await isDeleting(client, PREFIX))) return;
    for (let at = 0; at < all.length; at += SOURCES_PER_STATEMENT) {
      const expired = await findExpired(client, all.slice(at, at + SOURCES_PER_STATEMENT), now);
      if (expired.length === 0) continue;
      // first, so that the comparison never takes expired events for missing ones
      await ledger.expireShippedDays(
        expired.map((retention) => ({
          sourceId: retention.sourceId,
          before: firstKeptDay(retention, now),
        })),
      );
      const condition = expired.map((retention) => conditionOf(retention, now)).join(" OR ");
      await deleteEvents(client, [{ name: `${PREFIX}${now}-${at}`, condition }]);
    }
    checkedAt = now;
  };
}
