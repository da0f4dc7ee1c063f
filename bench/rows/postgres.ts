/** Compares the ledger on PostgreSQL with the SQLite ledger and with plain inserts into PostgreSQL; each round measures all of them. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { type Cluster, query, startCluster } from "../../apps/server/test/postgres/cluster.ts";
import {
  type BenchContext,
  type BenchSection,
  describeFailures,
  describeTarget,
  figure,
  median,
  spread,
} from "../section.ts";
import { type Headwater, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { type ClosedLoopResult, CONNECTIONS, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";

const EVENTS = 10;
const TARGETS = { eventsPerSecond: 8_000, p99: 150 };
/** The keys in one commit under the load of 64 connections. */
const RAW_KEYS = 160;
/** Commits that run at the same time. */
const RAW_AT_ONCE = 4;
const COLUMNS = ["ledger", "events/s", "share of one node", "p50 ms", "p99 ms", "failed", "target"];

/** Runs the closed loop against several nodes at once; the connections are divided between them. */
async function loopOver(nodes: readonly Headwater[], seconds: number): Promise<ClosedLoopResult> {
  const connections = CONNECTIONS / nodes.length;
  const loops = await Promise.all(
    nodes.map((node) => closedLoop(node.url, templateFile(EVENTS, node), seconds, connections)),
  );
  const sum = (read: (loop: ClosedLoopResult) => number) =>
    loops.reduce((total, loop) => total + read(loop), 0);
  const worst = (read: (loop: ClosedLoopResult) => number) => Math.max(...loops.map(read));
  return {
    requestsPerSecond: sum((loop) => loop.requestsPerSecond),
    requests: sum((loop) => loop.requests),
    refused: sum((loop) => loop.refused),
    broken: sum((loop) => loop.broken),
    p50: worst((loop) => loop.p50),
    p90: worst((loop) => loop.p90),
    p99: worst((loop) => loop.p99),
    max: worst((loop) => loop.max),
  };
}

/** Keys per second that PostgreSQL stores with plain inserts. */
async function rawInserts(pool: pg.Pool, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let stored = 0;
  const one = async () => {
    while (performance.now() < end) {
      const keys = Array.from({ length: RAW_KEYS }, () => randomBytes(16).toString("hex")).sort();
      const text = "insert into raw_keys select 1, unnest($1::uuid[]) on conflict do nothing returning key";
      stored += (await pool.query({ name: "raw", text, values: [`{${keys.join()}}`] })).rowCount ?? 0;
    }
  };
  await Promise.all(Array.from({ length: RAW_AT_ONCE }, one));
  return stored / seconds;
}

async function openRaw(cluster: Cluster): Promise<pg.Pool> {
  await query(cluster.url(), "create table raw_keys (source bigint, key uuid, primary key (source, key))");
  return new pg.Pool({ connectionString: cluster.url(), max: RAW_AT_ONCE });
}

/** Computed per round, because the speed of the machine varies from round to round. */
const shares = (loops: readonly ClosedLoopResult[], one: readonly ClosedLoopResult[]) =>
  loops.map((loop, round) => loop.requestsPerSecond / one[round]!.requestsPerSecond);

function rowOf(
  name: string,
  loops: readonly ClosedLoopResult[],
  one: readonly ClosedLoopResult[],
  target: string,
): string[] {
  const rates = loops.map((loop) => loop.requestsPerSecond * EVENTS);
  const times = (read: (loop: ClosedLoopResult) => number) => spread(loops.map(read));
  return [
    name,
    spread(rates),
    spread(shares(loops, one)),
    times((loop) => loop.p50),
    times((loop) => loop.p99),
    describeFailures(loops),
    target,
  ];
}

const rate = (loops: readonly ClosedLoopResult[]) =>
  median(loops.map((loop) => loop.requestsPerSecond * EVENTS));

export async function postgres({ options, say }: BenchContext): Promise<BenchSection> {
  const cluster = await startCluster({ fsync: "on", full_page_writes: "on" });
  await query(cluster.url(), "create database headwater");
  const settings = { ...RAISED_LIMITS, DATABASE_URL: cluster.url("headwater") };
  const embedded = await startHeadwater({ settings: RAISED_LIMITS });
  const nodes = [await startHeadwater({ settings }), await startHeadwater({ settings })];
  const raw = await openRaw(cluster);
  const sets = {
    SQLite: [embedded],
    "PostgreSQL, one node": nodes.slice(0, 1),
    "PostgreSQL, two nodes": nodes,
  };
  const found = new Map<string, ClosedLoopResult[]>(Object.keys(sets).map((name) => [name, []]));
  const rawRates: number[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    // the order alternates, so that no ledger always follows the same other one
    const order = Object.entries(sets);
    for (const [name, set] of round % 2 ? order : order.reverse()) {
      const loop = await loopOver(set, round === 0 ? 2 : options.seconds);
      // the first round is the warm-up
      if (round === 0) continue;
      found.get(name)!.push(loop);
      say(
        `  ${name} · round ${round}: ${figure(loop.requestsPerSecond * EVENTS)} events/s, p99 ${figure(loop.p99)} ms`,
      );
    }
    if (round > 0) rawRates.push(await rawInserts(raw, options.seconds));
  }
  await raw.end();
  for (const server of [embedded, ...nodes]) await server.stop();
  await cluster.stop();

  const [one, two] = [found.get("PostgreSQL, one node")!, found.get("PostgreSQL, two nodes")!];
  const targets: Record<string, string> = {
    "PostgreSQL, one node": [
      describeTarget(rate(one) >= TARGETS.eventsPerSecond, "≥ 8,000 events/s"),
      describeTarget(median(one.map((loop) => loop.p99)) < TARGETS.p99, "p99 < 150 ms"),
    ].join("; "),
    "PostgreSQL, two nodes": describeTarget(median(shares(two, one)) >= 0.9, "within 10 % of one, or faster"),
  };
  const rows = [...found].map(([name, loops]) => rowOf(name, loops, one, targets[name] ?? "-"));
  return {
    title: "The ledger on PostgreSQL: 10 events per batch",
    date: new Date().toISOString(),
    settings: { ...RAISED_LIMITS, DATABASE_URL: "(a server that the bench starts, with fsync on)" },
    tables: [
      {
        columns: COLUMNS,
        rows: [...rows, [`plain INSERT of ${RAW_KEYS} keys`, spread(rawRates), "-", "-", "-", "0", "-"]],
      },
    ],
    notes: [
      `${CONNECTIONS} connections, ${options.rounds} rounds of ${options.seconds} s each. PostgreSQL, the nodes and the load share the machine.`,
    ],
    data: { ...Object.fromEntries(found), rawRates },
  };
}
