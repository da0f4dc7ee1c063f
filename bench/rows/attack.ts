/** Attacks, one after the other, while a quiet source sends 100 events per second. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AttackTarget } from "../attack/attackers.ts";
import type { QuietAnswer } from "../attack/quiet.ts";
import type { OpenVisit } from "../bodies.ts";
import { run } from "../children.ts";
import { createHistogram, type Percentiles } from "../histogram.ts";
import { cpuSecondsOf, cpuSecondsWithChildren, type ResidentMemory, residentMib } from "../machine.ts";
import type { AttackName } from "../options.ts";
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
import { startRefusing, templateFile } from "./compare.ts";
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
const ATTACKER = fileURLToPath(new URL("../attack/attacker.ts", import.meta.url));

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

/** Starts a script that runs until its stdin ends. */
function startScript(script: string, ...argv: string[]) {
  const child = spawn(process.execPath, [script, ...argv], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  return {
    pid: child.pid as number,
    lines: createInterface(child.stdout),
    end: () => child.stdin.end(),
    ended,
  };
}

/** Starts the quiet source. @returns a function that ends it and returns its answers */
async function startQuiet(url: string, { sourceId, publicKey }: BenchSource, idleUrl: string) {
  const { lines, end } = startScript(QUIET, url, sourceId, publicKey, idleUrl);
  await once(lines, "line");
  return async (): Promise<QuietAnswer[]> => {
    const last = once(lines, "line");
    end();
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
  cpu: CpuSeconds;
  /** Seconds after the end until the memory was normal; null: not within a minute. */
  calmAfterSeconds: number | null;
  restMib: number;
}

/** CPU seconds, of all threads. */
interface CpuSeconds {
  service: number;
  warehouse: number;
  attacker: number | null;
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

interface AttackOutcome {
  outcome: string;
  attackerCpuSeconds: number | null;
}
type RunAttack = (seconds: number) => Promise<AttackOutcome>;

const overload =
  ({ visits, capacity }: Prepared, server: Headwater): RunAttack =>
  async (seconds) => {
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
    const outcome = `${figure(found?.offered ?? 0)} req/s offered; ${outcomes.join(", ")}`;
    return { outcome, attackerCpuSeconds: null };
  };

const attackWith =
  (name: AttackName, { url, sourceId, publicKey }: AttackTarget): RunAttack =>
  async (seconds) => {
    const { pid, lines, end, ended } = startScript(ATTACKER, name, url, sourceId, publicKey);
    const last = once(lines, "line");
    await wait(seconds * 1_000);
    const attackerCpuSeconds = cpuSecondsOf(pid);
    end();
    const [outcome] = await last;
    await ended;
    return { outcome: String(outcome), attackerCpuSeconds };
  };

const TITLES: Record<AttackName, string> = {
  none: "none",
  pipelining: "pipelining",
  "slow-readers": "120 slow readers",
  "slow-bodies": "slow bodies from 10 addresses",
  stats: "60 heavy stats queries",
  exports: "four slow exports",
  overload: "5× overload",
};

async function attackInTurn(prepared: Prepared, server: Headwater, { options, say }: BenchContext) {
  const seconds = options.quick ? options.seconds : options.seconds * 2;
  const { pid, url } = server;
  const attacks: Record<AttackName, RunAttack> = {
    none: async () => {
      await wait(seconds * 1_000);
      return { outcome: "", attackerCpuSeconds: null };
    },
    pipelining: attackWith("pipelining", { url, ...prepared.attacked }),
    "slow-readers": attackWith("slow-readers", { url, ...prepared.attacked }),
    "slow-bodies": attackWith("slow-bodies", { url, ...prepared.attacked }),
    stats: attackWith("stats", { url, ...prepared.attacked }),
    exports: attackWith("exports", { url, ...prepared.attacked }),
    overload: overload(prepared, server),
  };
  await wait(CALM_SECONDS * (options.quick ? 100 : 1_000));
  const normalMib = residentMib(pid).service + NORMAL_MIB;
  const phases: Phase[] = [];
  for (const name of options.attacks) {
    const startedAt = Date.now();
    const [ownBefore, allBefore] = [cpuSecondsOf(pid), cpuSecondsWithChildren(pid)];
    const { outcome, attackerCpuSeconds } = await attacks[name](seconds);
    const endedAt = Date.now();
    const service = cpuSecondsOf(pid) - ownBefore;
    const warehouse = cpuSecondsWithChildren(pid) - allBefore - service;
    const mib = residentMib(pid).service;
    const calm = await waitForCalm(pid, normalMib);
    const cpu = { service, warehouse, attacker: attackerCpuSeconds };
    phases.push({ name: TITLES[name], startedAt, endedAt, outcome, cpu, ...calm });
    say(`  ${TITLES[name]}: ${figure(mib)} MiB, then ${figure(calm.restMib)}; ${outcome}`);
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
  idle: Percentiles;
  memory: ResidentMemory;
}

function figuresOf(
  phase: Phase,
  answers: readonly QuietAnswer[],
  samples: readonly MemorySample[],
): AttackFigures {
  const during = answers.filter(({ sentAt }) => sentAt >= phase.startedAt && sentAt < phase.endedAt);
  const events = during.filter(({ kind }) => kind === "event");
  const inTime = samples.filter(({ at }) => at >= phase.startedAt && at <= phase.endedAt + SAMPLE_MS);
  return {
    phase,
    quiet: spreadOf(events),
    refused: events.map(({ outcome }) => outcome).filter((outcome) => outcome !== "accepted"),
    health: spreadOf(during.filter(({ kind }) => kind === "health")),
    idle: spreadOf(during.filter(({ kind }) => kind === "idle")),
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
      "quiet events",
      "refused",
      "p50 ms",
      "p99 ms",
      "/healthz p99 ms",
      "idle server p99 ms",
      "service MiB, peak",
      "warehouse MiB, peak",
      "normal again after s",
      "attacker's requests",
      `target: 0 refused, p99 < ${MAX_QUIET_P99_MS} ms, ≤ ${MAX_SERVICE_MIB} MiB, normal within 60 s`,
    ],
    rows: found.map(({ phase, quiet, refused, health, idle, memory }) => [
      phase.name,
      String(quiet.count),
      refused.length === 0 ? "0" : `${refused.length} (${[...new Set(refused)].join(", ")})`,
      figure(quiet.p50),
      figure(quiet.p99),
      figure(health.p99),
      figure(idle.p99),
      figure(memory.service),
      figure(memory.warehouse),
      phase.calmAfterSeconds === null
        ? `not within 60 (${figure(phase.restMib)} MiB)`
        : figure(phase.calmAfterSeconds),
      phase.outcome || "-",
      refused.length === 0 &&
      quiet.p99 < MAX_QUIET_P99_MS &&
      memory.service <= MAX_SERVICE_MIB &&
      phase.calmAfterSeconds !== null
        ? "met"
        : "not met",
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
  server: Headwater,
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
  const { dataDir, quiet } = prepared;
  const server = await startHeadwater({ settings: SETTINGS, dataDir, sources: 0, visits: 0 });
  await waitForWarehouse(server);
  const idle = await startRefusing(null);
  const stopQuiet = await startQuiet(server.url, quiet, idle.url);
  const memory = sampleMemory(server.pid);
  const { phases, normalMib } = await attackInTurn(prepared, server, context);
  const answers = await stopQuiet();
  memory.stop();
  await idle.stop();
  const accepted = answers.flatMap(({ eventId, outcome }) =>
    eventId !== null && outcome === "accepted" ? [eventId] : [],
  );
  const stored = await countStored(server, quiet.sourceId, accepted);
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
      "Default limits. The clients share the service's two cores. The quiet source asks /healthz and an idle server 20 times a second: what the idle server takes longer, the machine takes and not the service.",
      `The overload comes from ${SOURCES} sources and 500 addresses. With more sources, 100 events per second would be more than the fair share of one.`,
      `Memory is normal when the service has at most ${NORMAL_MIB} MiB more than before the attacks (${figure(normalMib)} MiB). The embedded warehouse may use ${MEMORY_BYTES / 1_048_576} MiB besides.`,
    ],
    data: { figures: found, stored },
  };
}
