/** Measures how much shipping slows ingest down, how fast a backlog drains beside ingest, and how much a long query and a large export slow inserts down. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { blockOf } from "../../apps/server/src/shipping/block.ts";
import { store } from "../../apps/server/src/shipping/store.ts";
import { type ResidentMemory, residentMib } from "../machine.ts";
import { type OpenLoopResult, offer } from "../plan.ts";
import {
  type BenchContext,
  type BenchSection,
  describeTarget,
  figure,
  median,
  type ResultTable,
  spread,
} from "../section.ts";
import { type Headwater, newFolder, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { CONNECTIONS, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";
import { MEMORY_BYTES, sendEvents, waitForWarehouse, waitUntilShipped, watchMemory } from "./warehouse.ts";

const MAX_CONNECTIONS = 2_000;
const P99_RATIO = 1.5;
const DRAIN_RATIO = 2;
/** The load of a drain has begun by then. */
const DRAIN_WARMUP_MS = 2_000;
const SHIPPING = { ...RAISED_LIMITS, WAREHOUSE: "embedded" };

const EXPORTED_EVENTS = 1_250_000;
const QUICK_EXPORTED_EVENTS = 50_000;
const EXPORT_BYTES = 2_000_000_000;
/** The export is cut off after this time; on a slow machine it is then smaller than EXPORT_BYTES. */
const EXPORT_MS = 240_000;
const QUERY_SECONDS = 30;
const QUICK_QUERY_SECONDS = 5;
const INSERT_EVENTS = 1_000;
const INSERT_EVERY_MS = 250;
const INSERT_MS = 500;
const GROWTH_MIB = 200;

interface ShippingRound {
  offered: OpenLoopResult;
  /** Events in the outbox when the load ended. */
  waiting: number;
  /** Seconds until the outbox was empty. */
  drainSeconds: number;
}

async function load(server: Headwater, rate: number, seconds: number): Promise<OpenLoopResult> {
  const plan = { warmupSeconds: 1, seconds, connections: CONNECTIONS, maxConnections: MAX_CONNECTIONS };
  const streams = [{ name: "half", rate, templates: templateFile(10, server) }];
  const [offered] = await offer(server.url, { ...plan, streams });
  return offered!;
}

async function underLoad(server: Headwater, rate: number, seconds: number): Promise<ShippingRound> {
  const offered = await load(server, rate, seconds);
  const { accepted } = await server.acknowledged();
  const waiting = accepted - (await server.metric("headwater_shipped_events_total"));
  const startedAt = performance.now();
  if (server.settings.WAREHOUSE !== "off") await waitUntilShipped(server, accepted);
  return { offered, waiting, drainSeconds: (performance.now() - startedAt) / 1_000 };
}

async function peakOf(server: Headwater, { options, peak }: BenchContext): Promise<number> {
  const templates = templateFile(10, server);
  await closedLoop(server.url, templates, options.quick ? 1 : 3);
  return (
    peak.requestsPerSecond ?? (await closedLoop(server.url, templates, options.seconds)).requestsPerSecond
  );
}

interface DrainRates {
  /** Events per second by which the backlog grows while nothing is shipped. */
  accepted: number;
  /** Events per second. */
  shipped: number;
}

/** Counts what a server accepts and ships in this time. */
async function countRates(server: Headwater, milliseconds: number): Promise<DrainRates> {
  const count = async () => ({
    accepted: (await server.acknowledged()).accepted,
    shipped: await server.metric("headwater_shipped_events_total"),
    at: performance.now(),
  });
  const before = await count();
  await wait(milliseconds);
  const after = await count();
  if ((await server.metric("headwater_outbox_events")) === 0) throw new Error("the backlog was too small");
  const perSecond = (from: number, to: number) => ((to - from) * 1_000) / (after.at - before.at);
  return {
    accepted: perSecond(before.accepted, after.accepted),
    shipped: perSecond(before.shipped, after.shipped),
  };
}

/** Starts a service whose ledger has a backlog, with a warehouse and with ingest at that rate. */
async function drain(dataDir: string, rate: number, { options, say }: BenchContext): Promise<DrainRates> {
  const server = await startHeadwater({ settings: SHIPPING, dataDir });
  await waitForWarehouse(server);
  const ended = load(server, rate, options.seconds);
  await wait(DRAIN_WARMUP_MS);
  const rates = await countRates(server, (options.seconds - 1) * 1_000);
  await ended;
  await server.stop();
  say(`  a backlog: ${figure(rates.shipped)} events/s shipped while ${figure(rates.accepted)} were accepted`);
  return rates;
}

const drainTable = ({ accepted, shipped }: DrainRates): ResultTable => ({
  columns: [
    "accepted events/s",
    "shipped events/s",
    "backlog shrinks by events/s",
    "shipped ÷ accepted",
    "target",
  ],
  rows: [
    [
      figure(accepted),
      figure(shipped),
      figure(shipped - accepted),
      figure(shipped / accepted),
      describeTarget(shipped >= DRAIN_RATIO * accepted, `shipped ≥ ${DRAIN_RATIO} × accepted`),
    ],
  ],
});

/** Ingest at half the peak rate, alternating between a server without a warehouse and one that ships. Then one ships what the other has accepted. */
async function ingestBeside(context: BenchContext): Promise<{ tables: ResultTable[]; data: unknown }> {
  const { options, say } = context;
  const dataDir = newFolder();
  const quiet = await startHeadwater({ settings: RAISED_LIMITS, dataDir });
  const rate = Math.round((await peakOf(quiet, context)) / 2);
  const busy = await startHeadwater({ settings: SHIPPING });
  await waitForWarehouse(busy);
  const [alone, beside]: [ShippingRound[], ShippingRound[]] = [[], []];
  for (let round = 0; round < options.rounds; round++) {
    alone.push(await underLoad(quiet, rate, options.seconds));
    beside.push(await underLoad(busy, rate, options.seconds));
    const [one, other] = [alone.at(-1)!, beside.at(-1)!];
    say(
      `  round ${round + 1}: p99 ${figure(one.offered.all.p99)} ms without and ${figure(other.offered.all.p99)} ms with shipping; ${figure(other.waiting)} events waiting, shipped after ${figure(other.drainSeconds)} s`,
    );
  }
  await quiet.stop();
  await busy.stop();
  const drained = await drain(dataDir, rate, context);
  const ratio = median(beside.map(({ offered }, round) => offered.all.p99 / alone[round]!.offered.all.p99));
  const rowOf = (name: string, rounds: readonly ShippingRound[], query: string) => [
    name,
    figure(rate),
    spread(rounds.map(({ offered }) => offered.events)),
    spread(rounds.map(({ offered }) => offered.all.p50)),
    spread(rounds.map(({ offered }) => offered.all.p99)),
    spread(rounds.map(({ waiting }) => waiting)),
    spread(rounds.map(({ drainSeconds }) => drainSeconds)),
    query,
  ];
  const columns = ["ingest", "scheduled req/s", "events/s accepted", "p50 ms", "p99 ms"];
  const table = {
    columns: [...columns, "events waiting at the end", "shipped after s", "target"],
    rows: [
      rowOf("alone", alone, "-").with(5, "-").with(6, "-"),
      rowOf(
        "with shipping",
        beside,
        describeTarget(ratio <= P99_RATIO, `p99 ≤ ${P99_RATIO} × alone, measured ${figure(ratio)} ×`),
      ),
    ],
  };
  return { tables: [table, drainTable(drained)], data: { rate, alone, beside, drained } };
}

let inserted = 0;
function createBlock() {
  const lines = Array.from({ length: INSERT_EVENTS }, () => {
    inserted += 1;
    const key = createHash("sha256").update(`beside ${inserted}`).digest("hex").slice(0, 32);
    const at = new Date().toISOString();
    const ids = {
      analyticsEventId: `evt_${key}`,
      eventId: key,
      type: "track",
      name: "beside",
      occurredAt: at,
    };
    return JSON.stringify({
      ...ids,
      timestamp: at,
      sessionId: "s",
      anonymousId: "v",
      sourceId: "src_b",
      receivedAt: at,
    });
  });
  return blockOf(`beside-${inserted}`, lines.join("\n"));
}

/** Inserts a block at intervals until the signal is aborted. @returns the milliseconds of each insert */
async function insertUntilAborted(client: WarehouseClient, stopped: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!stopped.aborted) {
    const block = createBlock();
    const startedAt = performance.now();
    await store(client, block, "new", new AbortController().signal);
    times.push(performance.now() - startedAt);
    await wait(INSERT_EVERY_MS);
  }
  return times;
}

async function exportFrom(server: Headwater): Promise<number> {
  const { days } = (await server.acknowledged()) as unknown as { days: { sourceId: string }[] };
  const answer = await server.ask(`/api/export/events?sourceId=${days[0]!.sourceId}`);
  if (!answer.ok || answer.body === null) throw new Error(`the export failed with status ${answer.status}`);
  const end = performance.now() + EXPORT_MS;
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.length;
    if (bytes >= EXPORT_BYTES || performance.now() > end) break;
  }
  return bytes;
}

async function runLongQuery(client: WarehouseClient, seconds: number): Promise<void> {
  const query = "SELECT count() FROM numbers(1e13) WHERE NOT ignore(sipHash64(number))";
  await client
    .command({ query, clickhouse_settings: { max_execution_time: seconds } })
    .catch((error: Error) => {
      if ((error as { type?: string }).type !== "TIMEOUT_EXCEEDED") throw error;
    });
}

const minus = (one: ResidentMemory, other: ResidentMemory): ResidentMemory => ({
  service: one.service - other.service,
  warehouse: one.warehouse - other.warehouse,
});

async function measureInserts(server: Headwater, client: WarehouseClient, querySeconds: number) {
  const pids = [server.pid, process.pid];
  const before = pids.map(residentMib);
  const rest = { service: before[0]!.service, warehouse: before[1]!.warehouse };
  const service = watchMemory(server.pid);
  const engine = watchMemory(process.pid);
  const stopping = new AbortController();
  const inserting = insertUntilAborted(client, stopping.signal);
  const startedAt = performance.now();
  const query = runLongQuery(client, querySeconds).then(() => (performance.now() - startedAt) / 1_000);
  const bytes = await exportFrom(server);
  const exportSeconds = (performance.now() - startedAt) / 1_000;
  const queryTook = await query;
  stopping.abort();
  const inserts = (await inserting).sort((one, other) => one - other);
  const growth = minus({ service: service().service, warehouse: engine().warehouse }, rest);
  return { bytes, exportSeconds, queryTook, inserts, rest, growth };
}

/** The bench itself starts the embedded warehouse, so that it can query it beside the service. */
async function insertBeside({ options, say }: BenchContext): Promise<{ table: ResultTable; data: unknown }> {
  const folder = join(newFolder(), "warehouse");
  const engine = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: 2 });
  const { username, password, database } = engine.endpoint;
  const address = Object.assign(new URL(`${engine.endpoint.url}/${database}`), { username, password });
  const server = await startHeadwater({
    settings: { ...RAISED_LIMITS, WAREHOUSE: "", CLICKHOUSE_URL: address.href },
  });
  const client = connect(engine.endpoint, 120_000);
  await waitForWarehouse(server);
  const events = await sendEvents(server, options.quick ? QUICK_EXPORTED_EVENTS : EXPORTED_EVENTS);
  await waitUntilShipped(server, events);
  say(`  ${figure(events)} events in the warehouse`);
  const found = await measureInserts(server, client, options.quick ? QUICK_QUERY_SECONDS : QUERY_SECONDS);
  await client.close();
  await server.stop();
  engine.end();
  await engine.ended;
  const slowest = found.inserts.at(-1) ?? Number.NaN;
  const growth = found.growth.service + found.growth.warehouse;
  const row = [
    figure(found.queryTook),
    figure(found.bytes / 1e6),
    figure(found.exportSeconds),
    figure(found.inserts.length),
    figure(median(found.inserts)),
    figure(slowest),
    `${figure(found.rest.service)} + ${figure(found.growth.service)}`,
    `${figure(found.rest.warehouse)} + ${figure(found.growth.warehouse)}`,
    `${describeTarget(slowest < INSERT_MS, `insert < ${INSERT_MS} ms`)}; ${describeTarget(growth < GROWTH_MIB, `memory grows by < ${GROWTH_MIB} MiB`)}`,
  ];
  const columns = ["query s", "export MB", "export s", "inserts", "insert ms, median", "insert ms, slowest"];
  return {
    table: { columns: [...columns, "service MiB", "warehouse MiB", "target"], rows: [row] },
    data: found,
  };
}

export async function beside(context: BenchContext): Promise<BenchSection> {
  const ingest = await ingestBeside(context);
  const inserts = await insertBeside(context);
  return {
    title: "Ingest and inserts while the warehouse is busy",
    date: new Date().toISOString(),
    settings: SHIPPING,
    tables: [...ingest.tables, inserts.table],
    notes: [
      "First table: the open loop at half the peak rate, 10 events per batch, alternating between a service without a warehouse and one with it.",
      "Second table: the backlog of the service without a warehouse is shipped, while ingest goes on at the same rate.",
      `Third table: a query until its time limit, an export, and inserts of ${INSERT_EVENTS} events every ${INSERT_EVERY_MS} ms. Memory: at rest before, plus the highest growth.`,
    ],
    data: { ingest: ingest.data, inserts: inserts.data },
  };
}
