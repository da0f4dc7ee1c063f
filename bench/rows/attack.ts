/** Attacks, one after the other, while a quiet source sends 100 events per second. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  type Attacker,
  type AttackTarget,
  heavyQueries,
  pipelining,
  slowBodies,
  slowExports,
  slowReaders,
} from "../attack/attackers.ts";
import type { QuietAnswer } from "../attack/quiet.ts";
import type { OpenVisit } from "../bodies.ts";
import { run } from "../children.ts";
import { createHistogram, type Percentiles } from "../histogram.ts";
import { type ResidentMemory, residentMib } from "../machine.ts";
import { offer } from "../plan.ts";
import {
  type BenchContext,
  type BenchSection,
  describeTarget,
  figure,
  type ResultTable,
} from "../section.ts";
import { COMMAND, type Headwater, newFolder, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";
import { MEMORY_BYTES, waitForWarehouse } from "./warehouse.ts";

const SETTINGS = { WAREHOUSE: "embedded", TRUST_PROXY: "1" };
/** A quiet source is one below its fair share: the peak, divided by the sources that send. */
const SOURCES = 4;
const VISITS = 400;
const EVENTS = 500_000;
const QUICK_EVENTS = 20_000;
const TIMES = 5;
const OPEN_AT_START = 2_000;
const MAX_CONNECTIONS = 8_000;
const SAMPLE_MS = 250;
const REST_MS = 60_000;
const CALM_SECONDS = 10;
const MAX_QUIET_P99_MS = 250;
const MAX_SERVICE_MIB = 700;
/** Memory is back to normal when it is at most this much above that before the attacks. */
const NORMAL_MIB = 100;
const QUIET = fileURLToPath(new URL("../attack/quiet.ts", import.meta.url));

interface Prepared {
  dataDir: string;
  visits: OpenVisit[];
  quiet: BenchSource;
  attacked: BenchSource;
  /** Requests per second that the service answers in a closed loop. */
  capacity: number;
}

interface BenchSource {
  sourceId: string;
  publicKey: string;
}

async function listSources(server: Headwater): Promise<BenchSource[]> {
  const answer = await server.ask("/api/tracking-sources?organizationId=org_default");
  return ((await answer.json()) as { sources: BenchSource[] }).sources;
}

/** Creates the sources with raised limits, measures the peak, and writes events of a month to the warehouse. */
async function prepare({ options, say }: BenchContext): Promise<Prepared> {
  const dataDir = newFolder();
  const server = await startHeadwater({
    settings: RAISED_LIMITS,
    dataDir,
    sources: SOURCES + 1,
    visits: VISITS,
  });
  const [{ publicKey: quietKey }, { publicKey: attackedKey }] = server.visits as [OpenVisit, OpenVisit];
  const visits = server.visits.filter(({ publicKey }) => publicKey !== quietKey);
  const templates = templateFile(10, { ...server, visits });
  await closedLoop(server.url, templates, options.quick ? 1 : 3);
  const { requestsPerSecond: capacity } = await closedLoop(server.url, templates, options.quick ? 1 : 5);
  const sources = await listSources(server);
  const sourceOf = (key: string) => {
    const source = sources.find(({ publicKey }) => publicKey === key);
    if (!source) throw new Error("a source of the bench is not listed");
    return source;
  };
  await server.stop();
  const events = String(options.quick ? QUICK_EVENTS : EVENTS);
  const attacked = sourceOf(attackedKey);
  await run({
    command: process.execPath,
    args: [
      COMMAND,
      "seed",
      "--to-warehouse",
      "--source",
      attacked.sourceId,
      "--events",
      events,
      "--days",
      "30",
    ],
    core: null,
    environment: { DATA_DIR: dataDir, WAREHOUSE: "embedded" },
  });
  say(`  peak ${figure(capacity)} requests/s; ${events} events in the warehouse`);
  return { dataDir, visits, quiet: sourceOf(quietKey), attacked, capacity };
}

/** Starts the quiet source. @returns a function that ends it and returns its answers */
async function startQuiet(url: string, { sourceId, publicKey }: BenchSource) {
  const child = spawn(process.execPath, [QUIET, url, sourceId, publicKey], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  await once(lines, "line");
  return async (): Promise<QuietAnswer[]> => {
    const last = once(lines, "line");
    child.stdin.end();
    return JSON.parse(String((await last)[0])) as QuietAnswer[];
  };
}

interface MemorySample extends ResidentMemory {
  /** Milliseconds since the epoch. */
  at: number;
}
interface Phase {
  name: string;
  startedAt: number;
  endedAt: number;
  outcome: string;
  /** Seconds after the end until the memory was normal; null: not within a minute. */
  calmAfterSeconds: number | null;
  restMib: number;
}

function sampleMemory(pid: number) {
  const samples: MemorySample[] = [];
  const timer = setInterval(() => samples.push({ at: Date.now(), ...residentMib(pid) }), SAMPLE_MS);
  return { samples, stop: () => clearInterval(timer) };
}

/** Waits until the memory of the service is normal, at most a minute. */
async function waitForCalm(pid: number, normalMib: number) {
  const endedAt = Date.now();
  while (residentMib(pid).service > normalMib && Date.now() - endedAt < REST_MS) await wait(SAMPLE_MS);
  const restMib = residentMib(pid).service;
  return { calmAfterSeconds: restMib <= normalMib ? (Date.now() - endedAt) / 1_000 : null, restMib };
}

const overload =
  ({ visits, capacity }: Prepared, seconds: number): Attacker =>
  async ({ server }) => {
    const streams = [
      {
        name: "overload",
        rate: Math.round(capacity * TIMES),
        templates: templateFile(10, { ...server, visits }),
      },
    ];
    const [found] = await offer(server.url, {
      warmupSeconds: 0,
      seconds,
      connections: OPEN_AT_START,
      maxConnections: MAX_CONNECTIONS,
      streams,
    });
    const outcomes = Object.entries(found?.byOutcome ?? {}).map(
      ([outcome, { count }]) => `${count} × ${outcome}`,
    );
    return `${figure(found?.offered ?? 0)} req/s offered; ${outcomes.join(", ")}`;
  };

async function attackInTurn(prepared: Prepared, target: AttackTarget, context: BenchContext) {
  const { seconds: unit, quick } = context.options;
  const seconds = quick ? unit : unit * 2;
  const { pid } = target.server;
  await wait(CALM_SECONDS * (quick ? 100 : 1_000));
  const normalMib = residentMib(pid).service + NORMAL_MIB;
  const phases: Phase[] = [];
  const attacks: [string, Attacker][] = [
    ["none", (_, stopped) => once(stopped, "abort").then(() => "")],
    ["pipelining", pipelining],
    ["120 slow readers", slowReaders],
    ["slow bodies from 10 addresses", slowBodies],
    ["60 heavy stats queries", heavyQueries],
    ["four slow exports", slowExports],
    ["5× overload", overload(prepared, seconds)],
  ];
  for (const [name, attack] of attacks) {
    const startedAt = Date.now();
    const outcome = await attack(target, AbortSignal.timeout(seconds * 1_000));
    const endedAt = Date.now();
    const mib = residentMib(pid).service;
    const calm = await waitForCalm(pid, normalMib);
    phases.push({ name, startedAt, endedAt, outcome, ...calm });
    context.say(`  ${name}: ${figure(mib)} MiB, then ${figure(calm.restMib)}; ${outcome}`);
  }
  return { phases, normalMib };
}

function spreadOf(answers: readonly QuietAnswer[]): Percentiles {
  const histogram = createHistogram();
  for (const { tookMs } of answers) histogram.add(tookMs);
  return histogram.spread();
}

interface AttackFigures {
  phase: Phase;
  quiet: Percentiles;
  refused: string[];
  health: Percentiles;
  memory: ResidentMemory;
}

function figuresOf(
  phase: Phase,
  answers: readonly QuietAnswer[],
  samples: readonly MemorySample[],
): AttackFigures {
  const during = answers.filter(({ sentAt }) => sentAt >= phase.startedAt && sentAt < phase.endedAt);
  const events = during.filter(({ eventId }) => eventId !== null);
  const health = during.filter(({ eventId }) => eventId === null);
  const inTime = samples.filter(({ at }) => at >= phase.startedAt && at <= phase.endedAt + SAMPLE_MS);
  return {
    phase,
    quiet: spreadOf(events),
    refused: events.map(({ outcome }) => outcome).filter((outcome) => outcome !== "accepted"),
    health: spreadOf(health),
    memory: {
      service: Math.max(...inTime.map(({ service }) => service)),
      warehouse: Math.max(...inTime.map(({ warehouse }) => warehouse)),
    },
  };
}

function attackTable(found: readonly AttackFigures[]): ResultTable {
  return {
    columns: [
      "attack",
      "s",
      "quiet events",
      "refused",
      "p50 ms",
      "p99 ms",
      "max ms",
      "/healthz p99 ms",
      "service MiB, peak",
      "warehouse MiB, peak",
      "normal again after s",
      "attacker's requests",
      "target",
    ],
    rows: found.map(({ phase, quiet, refused, health, memory }) => [
      phase.name,
      figure((phase.endedAt - phase.startedAt) / 1_000),
      String(quiet.count),
      refused.length === 0 ? "0" : `${refused.length} (${[...new Set(refused)].join(", ")})`,
      figure(quiet.p50),
      figure(quiet.p99),
      figure(quiet.max),
      figure(health.p99),
      figure(memory.service),
      figure(memory.warehouse),
      phase.calmAfterSeconds === null
        ? `not within 60 (${figure(phase.restMib)} MiB)`
        : figure(phase.calmAfterSeconds),
      phase.outcome || "-",
      describeTarget(
        refused.length === 0 &&
          quiet.p99 < MAX_QUIET_P99_MS &&
          memory.service <= MAX_SERVICE_MIB &&
          phase.calmAfterSeconds !== null,
        `0 refused, p99 < ${MAX_QUIET_P99_MS} ms, ≤ ${MAX_SERVICE_MIB} MiB, normal within 60 s`,
      ),
    ]),
  };
}

interface StoredCount {
  acknowledged: number;
  missing: number;
  doubled: number;
}

/** Counts how often each acknowledged event is in the export of the quiet source. */
async function countStored(
  { server }: AttackTarget,
  sourceId: string,
  ids: readonly string[],
): Promise<StoredCount> {
  const end = Date.now() + REST_MS;
  while ((await server.metric("headwater_outbox_events")) > 0 && Date.now() < end) await wait(SAMPLE_MS);
  const response = await server.ask(`/api/export/events?sourceId=${sourceId}&format=ndjson`);
  if (!response.ok) throw new Error(`the export failed with status ${response.status}`);
  const times = new Map<string, number>();
  for (const line of (await response.text()).split("\n").filter(Boolean)) {
    const { eventId } = JSON.parse(line) as { eventId: string };
    times.set(eventId, (times.get(eventId) ?? 0) + 1);
  }
  return {
    acknowledged: ids.length,
    missing: ids.filter((id) => !times.has(id)).length,
    doubled: ids.filter((id) => (times.get(id) ?? 0) > 1).length,
  };
}

export async function attack(context: BenchContext): Promise<BenchSection> {
  const prepared = await prepare(context);
  const { dataDir, quiet, attacked } = prepared;
  const server = await startHeadwater({ settings: SETTINGS, dataDir, sources: 0, visits: 0 });
  const target = { server, ...attacked };
  await waitForWarehouse(server);
  const stopQuiet = await startQuiet(server.url, quiet);
  const memory = sampleMemory(server.pid);
  const { phases, normalMib } = await attackInTurn(prepared, target, context);
  const answers = await stopQuiet();
  memory.stop();
  const accepted = answers.flatMap(({ eventId, outcome }) =>
    eventId !== null && outcome === "accepted" ? [eventId] : [],
  );
  const stored = await countStored(target, quiet.sourceId, accepted);
  await server.stop();
  const found = phases.map((phase) => figuresOf(phase, answers, memory.samples));
  return {
    title: "Attacks beside a quiet source of 100 events per second",
    date: new Date().toISOString(),
    settings: SETTINGS,
    tables: [
      attackTable(found),
      {
        columns: ["quiet source: acknowledged", "not in the export", "more than once", "target"],
        rows: [
          [
            String(stored.acknowledged),
            String(stored.missing),
            String(stored.doubled),
            describeTarget(stored.missing + stored.doubled === 0, "each exactly once"),
          ],
        ],
      },
    ],
    notes: [
      "Default limits. The service is not pinned; the clients share its two cores. The quiet source is a process of its own that sends single events from ten addresses and asks /healthz four times a second.",
      `The overload comes from ${SOURCES} sources and 500 addresses. With more sources, 100 events per second would be more than the fair share of one.`,
      `Memory is normal when the service has at most ${NORMAL_MIB} MiB more than before the attacks (${figure(normalMib)} MiB). The embedded warehouse may use ${MEMORY_BYTES / 1_048_576} MiB besides.`,
    ],
    data: { figures: found, stored },
  };
}
