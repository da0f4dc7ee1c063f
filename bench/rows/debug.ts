/** Measures what debug recording costs ingest: recording on against off, with one busy source and with 200 ordinary ones. */
import { setTimeout as wait } from "node:timers/promises";
import { type OpenLoopResult, offer, ok } from "../plan.ts";
import {
  type BenchContext,
  type BenchSection,
  describeFailures,
  describeTarget,
  figure,
  median,
  percent,
  type ResultTable,
  spread,
} from "../section.ts";
import { BASE_SETTINGS, type Headwater, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { type ClosedLoopResult, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";

const MAX_COST = 0.05;
const SOURCES = 200;
const RATE = 2_000;
const MAX_CONNECTIONS = 2_000;
/** Attempts that wait to be recorded are written within this time; their CPU time counts. */
const FLUSH_MS = 1_500;

interface OnOff<T> {
  on: T;
  off: T;
}

async function startPair(settings: Record<string, string>, sources: number): Promise<OnOff<Headwater>> {
  const options = { sources, visits: sources === 1 ? 240 : sources * 2 };
  return {
    on: await startHeadwater({ ...options, settings: { ...settings, DEBUG_RECORDING: "on" } }),
    off: await startHeadwater({ ...options, settings: { ...settings, DEBUG_RECORDING: "off" } }),
  };
}

async function stopPair({ on, off }: OnOff<Headwater>): Promise<void> {
  await on.stop();
  await off.stop();
}

/** Measures both servers in each round, and changes their order from round to round. */
async function alternate<T>(
  pair: OnOff<Headwater>,
  rounds: number,
  measure: (server: Headwater, name: "on" | "off") => Promise<T>,
): Promise<OnOff<T>[]> {
  const found: OnOff<T>[] = [];
  for (let round = 0; round < rounds; round++) {
    const early = round % 2 === 0 ? await measure(pair.on, "on") : null;
    const off = await measure(pair.off, "off");
    found.push({ on: early ?? (await measure(pair.on, "on")), off });
  }
  return found;
}

async function oneSource(
  size: 1 | 10,
  pair: OnOff<Headwater>,
  { options, say }: BenchContext,
): Promise<OnOff<ClosedLoopResult>[]> {
  const files = { on: templateFile(size, pair.on), off: templateFile(size, pair.off) };
  for (const name of ["on", "off"] as const)
    await closedLoop(pair[name].url, files[name], options.quick ? 1 : 3);
  return alternate(pair, options.rounds, async (server, name) => {
    const loop = await closedLoop(server.url, files[name], options.seconds);
    say(`  one source, ${size} per batch, ${name}: ${Math.round(loop.requestsPerSecond)} req/s`);
    return loop;
  });
}

interface ManySourcesRun {
  offered: OpenLoopResult;
  cpuPerThousand: number;
}

function manySources(
  size: 1 | 10,
  rate: number,
  pair: OnOff<Headwater>,
  { options, say }: BenchContext,
): Promise<OnOff<ManySourcesRun>[]> {
  const files = { on: templateFile(size, pair.on), off: templateFile(size, pair.off) };
  return alternate(pair, options.rounds, async (server, name) => {
    const cpu = server.cpuSeconds();
    const requests = await server.metric("headwater_ingest_requests_total");
    const plan = {
      warmupSeconds: 1,
      seconds: options.seconds,
      connections: 64,
      maxConnections: MAX_CONNECTIONS,
    };
    const [offered] = await offer(server.url, { ...plan, streams: [{ name, rate, templates: files[name] }] });
    await wait(FLUSH_MS);
    const served = (await server.metric("headwater_ingest_requests_total")) - requests;
    const one = {
      offered: offered!,
      cpuPerThousand: ((server.cpuSeconds() - cpu) * 1_000) / served,
    };
    say(
      `  ${SOURCES} sources, ${size} per batch, ${name}: ${figure(one.cpuPerThousand)} CPU s per 1,000, p99 ${figure(one.offered.all.p99)} ms`,
    );
    return one;
  });
}

function oneSourceRow(size: number, pairs: readonly OnOff<ClosedLoopResult>[]): string[] {
  const costs = pairs.map(({ on, off }) => 1 - on.requestsPerSecond / off.requestsPerSecond);
  return [
    String(size),
    spread(pairs.map(({ off }) => off.requestsPerSecond)),
    spread(pairs.map(({ on }) => on.requestsPerSecond)),
    spread(costs, percent),
    describeFailures(pairs.flatMap(({ on, off }) => [on, off])),
    describeTarget(median(costs) <= MAX_COST, `≤ ${percent(MAX_COST)}`),
  ];
}

function manyRow(size: number, pairs: readonly OnOff<ManySourcesRun>[]): string[] {
  const both = (read: (one: ManySourcesRun) => number) =>
    `${spread(pairs.map(({ off }) => read(off)))} → ${spread(pairs.map(({ on }) => read(on)))}`;
  const costs = pairs.map(({ on, off }) => on.cpuPerThousand / off.cpuPerThousand - 1);
  return [
    String(size),
    both(({ offered }) => offered.offered),
    both(({ cpuPerThousand }) => cpuPerThousand),
    spread(costs, percent),
    both(({ offered }) => offered.all.p50),
    both(({ offered }) => offered.all.p99),
    both(({ offered }) => offered.all.count - ok(offered).count + offered.broken + offered.unanswered),
    describeTarget(median(costs) <= MAX_COST, `≤ ${percent(MAX_COST)}`),
  ];
}

export async function debugRecording(context: BenchContext): Promise<BenchSection> {
  const one = await startPair(RAISED_LIMITS, 1);
  const oneRows = [
    oneSourceRow(1, await oneSource(1, one, context)),
    oneSourceRow(10, await oneSource(10, one, context)),
  ];
  await stopPair(one);
  const many = await startPair(BASE_SETTINGS, SOURCES);
  const found = await manySources(1, RATE, many, context);
  await stopPair(many);
  const tables: ResultTable[] = [
    {
      columns: ["events per batch, one source", "off req/s", "on req/s", "cost", "failed", "target"],
      rows: oneRows,
    },
    {
      columns: [
        `events per batch, ${SOURCES} sources`,
        "offered req/s, off → on",
        "CPU s per 1,000 req",
        "cost in CPU",
        "p50 ms",
        "p99 ms",
        "not 200",
        "target",
      ],
      rows: [manyRow(1, found)],
    },
  ];
  return {
    title: "Debug recording on against off",
    date: new Date().toISOString(),
    settings: { ...many.on.settings, DEBUG_RECORDING: "on, off" },
    tables,
    notes: [
      `Recording keeps 5 successes a second of each source, after the first 50, and 200 of all sources. One source: a closed loop with raised limits. ${SOURCES} sources: an open loop of ${RATE / SOURCES} requests per second each with the default limits.`,
    ],
    data: { one: oneRows, many: found },
  };
}
