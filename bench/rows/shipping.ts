/** Measures how fast a backlog is shipped from the outbox to the embedded warehouse, and the CPU and memory that both processes use. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { cpuSecondsWithChildren, type ResidentMemory, residentMib, stolenSeconds } from "../machine.ts";
import { type BenchContext, type BenchSection, describeTarget, figure, median, spread } from "../section.ts";
import { BASE_SETTINGS, newFolder, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { MEMORY_BYTES, sendEvents, waitForWarehouse, waitUntilShipped, watchMemory } from "./warehouse.ts";

const EVENTS = 1_000_000;
const QUICK_EVENTS = 100_000;
const MIN_RATE = 50_000;
const WITH_WAREHOUSE = { ...BASE_SETTINGS, WAREHOUSE: "embedded" } as const;

interface ShippingResult {
  events: number;
  seconds: number;
  /** CPU microseconds per event, both processes together. */
  cpuMicroseconds: number;
  /** The highest memory of each process. */
  peak: ResidentMemory;
  /** The memory of each process some seconds after the last event. */
  after: ResidentMemory;
  stolenSeconds: number;
}

/** Fills the outbox through ingest, so that commits have the size that they have under load. */
async function fill(dataDir: string, events: number): Promise<number> {
  const server = await startHeadwater({ settings: RAISED_LIMITS, dataDir });
  const accepted = await sendEvents(server, events);
  await server.stop();
  return accepted;
}

async function ship(dataDir: string, events: number, restMs: number): Promise<ShippingResult> {
  const server = await startHeadwater({
    settings: WITH_WAREHOUSE,
    dataDir,
    sources: 0,
    visits: 0,
    command: true,
  });
  const endMemory = watchMemory(server.pid);
  await waitForWarehouse(server);
  const stolen = stolenSeconds();
  const cpu = cpuSecondsWithChildren(server.pid);
  const startedAt = performance.now();
  const before = await server.metric("headwater_shipped_events_total");
  await waitUntilShipped(server, events);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = cpuSecondsWithChildren(server.pid) - cpu;
  const peak = endMemory();
  await wait(restMs);
  const after = residentMib(server.pid);
  await server.stop();
  const count = events - before;
  return {
    events: count,
    seconds,
    cpuMicroseconds: (cpuSeconds * 1_000_000) / count,
    peak,
    after,
    stolenSeconds: stolenSeconds() - stolen,
  };
}

/** @throws Error when the warehouse does not hold each event exactly once */
async function checkWarehouse(dataDir: string, events: number): Promise<void> {
  const engine = await startEmbedded({
    folder: join(dataDir, "warehouse"),
    memoryBytes: MEMORY_BYTES,
    threads: 2,
  });
  const client = connect(engine.endpoint);
  const query =
    "SELECT toFloat64(count()) AS rows, toFloat64(uniqExact(analyticsEventId)) AS ids FROM events";
  const answer = await client.query({ query, format: "JSONEachRow" });
  const [held] = await answer.json<{ rows: number; ids: number }>();
  await client.close();
  engine.end();
  await engine.ended;
  if (held?.rows !== events || held.ids !== events)
    throw new Error(`${events} events were shipped, but the warehouse holds ${JSON.stringify(held)}`);
}

export async function shipping({ options, say }: BenchContext): Promise<BenchSection> {
  const filled = newFolder();
  const events = await fill(filled, options.quick ? QUICK_EVENTS : EVENTS);
  say(`  the outbox has ${figure(events)} events`);
  const found: ShippingResult[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const dataDir = newFolder();
    cpSync(filled, dataDir, { recursive: true });
    const one = await ship(dataDir, events, options.quick ? 1_000 : 10_000);
    await checkWarehouse(dataDir, events);
    rmSync(dataDir, { recursive: true, force: true });
    found.push(one);
    say(
      `  round ${round + 1}: ${figure(one.events / one.seconds)} events/s, ${figure(one.cpuMicroseconds)} µs of CPU per event, peak memory ${figure(one.peak.service)} and ${figure(one.peak.warehouse)} MiB`,
    );
  }
  const rates = found.map((one) => one.events / one.seconds);
  return {
    title: "Shipping: a backlog from the outbox to the embedded warehouse",
    date: new Date().toISOString(),
    settings: WITH_WAREHOUSE,
    tables: [
      {
        columns: [
          "events",
          "events/s",
          "CPU µs per event, both processes",
          "service MiB, peak",
          "warehouse MiB, peak",
          "service MiB, after",
          "warehouse MiB, after",
          "target",
        ],
        rows: [
          [
            figure(events),
            spread(rates),
            spread(found.map(({ cpuMicroseconds }) => cpuMicroseconds)),
            spread(found.map(({ peak }) => peak.service)),
            spread(found.map(({ peak }) => peak.warehouse)),
            spread(found.map(({ after }) => after.service)),
            spread(found.map(({ after }) => after.warehouse)),
            describeTarget(median(rates) >= MIN_RATE, `≥ ${figure(MIN_RATE)} events/s`),
          ],
        ],
      },
    ],
    notes: [
      "The time counts from when the warehouse is up until the outbox is empty. The shipper looks each event up first, because it is older than the start.",
      `Steal time: ${figure(found.reduce((sum, one) => sum + one.stolenSeconds, 0))} CPU seconds.`,
    ],
    data: found,
  };
}
