/** Writes a month of generated visits to a warehouse and builds its rollups; the stats and console parts measure on it. */
import { setTimeout as wait } from "node:timers/promises";
import type { WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { runRollupRound } from "../../apps/server/src/workers/rollups.ts";
import { generateVisits } from "../../apps/server/tools/seed/traffic.ts";
import { openWarehouseSink } from "../../apps/server/tools/seed/warehouse-sink.ts";

export const EVENTS = 10_000_000;
export const QUICK_EVENTS = 200_000;
export const DAYS = 30;
export const DAY_MS = 86_400_000;
export const UNTIL = Date.UTC(2026, 10, 21);
const SITE = "https://shop.example";
/** The settings with which the service starts the embedded warehouse. */
export const ENGINE = { memoryBytes: 1_073_741_824, threads: 2 };
/** The timeout of a statement that writes the month. */
export const COMMAND_MS = 600_000;
const POLL_MS = 1_000;

export const range = [new Date(UNTIL - DAYS * DAY_MS).toISOString(), new Date(UNTIL).toISOString()] as const;

export async function fill(client: WarehouseClient, sourceId: string, events: number): Promise<void> {
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID()}`;
  const sink = await openWarehouseSink({ client, sourceId, site: SITE, newId });
  for (const visit of generateVisits({ seed: 1, events, days: DAYS, until: UNTIL, site: SITE }))
    await sink.add(visit);
  await sink.finish();
}

export async function buildRollups(client: WarehouseClient): Promise<void> {
  while ((await runRollupRound(client, UNTIL + DAY_MS, { minSourceEvents: 1 })) > 0);
}

/** Waits until ClickHouse has merged the parts, which keeps both processors busy for minutes after so many inserts. */
export async function waitForMerges(client: WarehouseClient): Promise<void> {
  const query = "SELECT count() FROM system.merges";
  for (let isBusy = true; isBusy; ) {
    await wait(POLL_MS);
    const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[number]>();
    isBusy = Number(row?.[0]) > 0;
  }
}
