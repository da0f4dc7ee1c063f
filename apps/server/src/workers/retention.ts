/**
 * Events past their source's `retentionDays` leave the warehouse. What is past them is told by whole days (UTC), so that
 * parts are written anew once a day; a new value holds for old events too, from the next look on.
 */
import type { WarehouseClient } from "../clickhouse/client.ts";
import { deleteEvents, isDeleting, literal } from "../clickhouse/deletion.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { DAY_MS } from "../core/time.ts";
import type { ErasureLedger } from "../ledger/ledger.ts";

export interface ExpiryDeps {
  ledger: Pick<ErasureLedger, "retentions">;
  warehouse: Pick<Warehouse, "client">;
}

const PREFIX = "expiry-";
/** Sources in one statement. */
const AT_ONCE = 200;

type Retention = Awaited<ReturnType<ErasureLedger["retentions"]>>[number];

const conditionOf = ({ sourceId, retentionDays }: Retention, now: number): string => {
  const before = (Math.floor(now / DAY_MS) - retentionDays) * DAY_MS;
  return `(sourceId = ${literal(sourceId)} AND occurredAt < fromUnixTimestamp64Milli(${before}, 'UTC'))`;
};

/** Those that the warehouse holds anything of that is past its time. */
async function past(client: WarehouseClient, retentions: Retention[], now: number): Promise<Retention[]> {
  const conditions = retentions.map((one) => conditionOf(one, now));
  const query = `SELECT DISTINCT sourceId FROM events WHERE ${conditions.join(" OR ")}`;
  const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{ sourceId: string }>();
  const found = new Set(rows.map(({ sourceId }) => sourceId));
  return retentions.filter(({ sourceId }) => found.has(sourceId));
}

/** @returns what is to be called every minute; several nodes that look at once do no harm */
export function createExpiry({ ledger, warehouse }: ExpiryDeps): (at: { now: number }) => Promise<void> {
  let nextAt = 0;
  return async ({ now }) => {
    const client = warehouse.client();
    if (!client || now < nextAt) return;
    const all = await ledger.retentions();
    if (all.length > 0 && (await isDeleting(client, PREFIX))) return;
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const expired = await past(client, all.slice(at, at + AT_ONCE), now);
      const condition = expired.map((one) => conditionOf(one, now)).join(" OR ");
      if (expired.length > 0) await deleteEvents(client, [{ name: `${PREFIX}${now}-${at}`, condition }]);
    }
    nextAt = now + SERVER_LIMITS.retentionCheckMs;
  };
}
