/** Measures whether a ledger with many keys is slower than an empty one. Each round measures every size on both engines. */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { ledgerPath } from "../../apps/server/src/ledger/sqlite/database.ts";
import { type Cluster, query, startCluster } from "../../apps/server/test/postgres/cluster.ts";
import { run } from "../children.ts";
import { cpuSecondsWithChildren } from "../machine.ts";
import {
  type BenchContext,
  type BenchSection,
  describeFailures,
  describeTarget,
  figure,
  median,
  spread,
} from "../section.ts";
import { type Headwater, newFolder, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { type ClosedLoopResult, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";
import { fillPostgres } from "./growth-fill.ts";

const FILL = fileURLToPath(new URL("../fill.ts", import.meta.url));
const EVENTS = 10;
const SIZES = [0, 10_000_000, 50_000_000];
const QUICK_SIZES = [0, 100_000, 500_000];
/** After a start the maintenance, once a minute, loads the filters of the keys; 50 million keys take about 20 s. */
const FILTER_LOAD_MS = 120_000;
/** The share of the rate without keys that is required. */
const MIN_SHARE = 0.8;
/** As docs/operate/postgresql.md recommends: memory for the index of the newest generation, and infrequent checkpoints. */
const SERVER = {
  fsync: "on",
  full_page_writes: "on",
  wal_level: "minimal",
  max_wal_senders: "0",
  shared_buffers: "2GB",
  max_wal_size: "16GB",
  wal_compression: "lz4",
};

/** Bytes on disk by table, indexes included. */
type Sizes = Map<string, number>;

interface GrowthLedger {
  ledger: "SQLite" | "PostgreSQL";
  keys: number;
  server: Headwater;
  sizes(): Promise<Sizes>;
  /** CPU seconds of the server and, with PostgreSQL, of its processes. */
  cpuSeconds(): number;
  loops: ClosedLoopResult[];
  /** CPU milliseconds per event in each round; less affected by other work on the machine than the rate. */
  cpu: number[];
}

const formatKeys = (keys: number) => (keys === 0 ? "0" : `${figure(keys / 1_000_000)} million`);
const rate = (loop: ClosedLoopResult) => loop.requestsPerSecond * EVENTS;

/** Sums the tables of all generations and slots into one. */
function sumByKind(rows: readonly { name: string; bytes: number }[]): Sizes {
  const sizes: Sizes = new Map();
  for (const { name, bytes } of rows) {
    const kind = name.startsWith("event_keys") ? "event_keys" : name;
    sizes.set(kind, (sizes.get(kind) ?? 0) + bytes);
  }
  return sizes;
}

function sqliteSizes(file: string): Sizes {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare(
      "select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema using (name) group by tbl_name",
    )
    .all();
  database.close();
  return sumByKind(rows as unknown as { name: string; bytes: number }[]);
}

async function postgresSizes(url: string): Promise<Sizes> {
  const rows = await query<{ name: string; bytes: number }>(
    url,
    "select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  return sumByKind(rows);
}

async function openSqlite(keys: number): Promise<GrowthLedger> {
  const dataDir = newFolder();
  await run({ command: process.execPath, args: [FILL, dataDir, String(keys)], core: null, environment: {} });
  const server = await startHeadwater({ settings: RAISED_LIMITS, dataDir });
  const sizes = async () => sqliteSizes(ledgerPath(dataDir));
  return { ledger: "SQLite", keys, server, sizes, cpuSeconds: server.cpuSeconds, loops: [], cpu: [] };
}

async function openPostgres(cluster: Cluster, keys: number): Promise<GrowthLedger> {
  const name = `growth_${keys}`;
  await query(cluster.url(), `create database ${name}`);
  const url = cluster.url(name);
  const server = await startHeadwater({ settings: { ...RAISED_LIMITS, DATABASE_URL: url } });
  const client = new pg.Client(url);
  await client.connect();
  await fillPostgres(client, keys, Date.now());
  await client.end();
  const cpuSeconds = () => server.cpuSeconds() + cpuSecondsWithChildren(cluster.pid());
  const sizes = () => postgresSizes(url);
  return { ledger: "PostgreSQL", keys, server, sizes, cpuSeconds, loops: [], cpu: [] };
}

async function timed<T>(say: BenchContext["say"], what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  say(`  ${what}: ready after ${figure((performance.now() - startedAt) / 1_000)} s`);
  return result;
}

/** @param seconds the length of the run */
async function measure(
  tested: GrowthLedger,
  seconds: number,
): Promise<{ loop: ClosedLoopResult; cpu: number }> {
  const { server, cpuSeconds } = tested;
  const before = cpuSeconds();
  const loop = await closedLoop(server.url, templateFile(EVENTS, server), seconds);
  return { loop, cpu: ((cpuSeconds() - before) * 1_000) / (loop.requests * EVENTS) };
}

function rowOf(tested: GrowthLedger, all: readonly GrowthLedger[]): string[] {
  const { ledger, keys, loops, cpu } = tested;
  const base = all.find((one) => one.ledger === ledger && one.keys === 0)!;
  // per round, because the speed of the machine varies from round to round
  const shares = loops.map((loop, round) => rate(loop) / rate(base.loops[round]!));
  const isLast = keys === Math.max(...all.map((one) => one.keys));
  return [
    ledger,
    formatKeys(keys),
    spread(loops.map(rate)),
    spread(loops.map((loop) => loop.p99)),
    spread(shares),
    spread(cpu, (each) => each.toFixed(3)),
    describeFailures(loops),
    isLast ? describeTarget(median(shares) >= MIN_SHARE, "≥ 0.8 of the rate without keys") : "-",
  ];
}

/** Bytes by which each table grew per event of the bench's traffic. */
function bytesRows(tested: GrowthLedger, before: Sizes, after: Sizes, accepted: number): string[][] {
  return [...after]
    .map(([name, bytes]) => ({ name, each: (bytes - (before.get(name) ?? 0)) / accepted }))
    .filter(({ each }) => each >= 1)
    .sort((one, other) => other.each - one.each)
    .map(({ name, each }) => [tested.ledger, name, figure(each)]);
}

export async function growth({ options, say }: BenchContext): Promise<BenchSection> {
  const cluster = await startCluster(SERVER);
  const allTested: GrowthLedger[] = [];
  for (const keys of options.quick ? QUICK_SIZES : SIZES) {
    allTested.push(await timed(say, `SQLite, ${formatKeys(keys)} keys`, () => openSqlite(keys)));
    allTested.push(
      await timed(say, `PostgreSQL, ${formatKeys(keys)} keys`, () => openPostgres(cluster, keys)),
    );
  }
  if (!options.quick) await pause(FILTER_LOAD_MS);
  const empty = allTested.filter(({ keys }) => keys === 0);
  const before = await Promise.all(empty.map(({ sizes }) => sizes()));
  for (let round = 0; round <= options.rounds; round++) {
    // the order alternates, so that no ledger always follows the same other one
    for (const tested of round % 2 ? allTested : allTested.toReversed()) {
      const { ledger, keys } = tested;
      const { loop, cpu } = await measure(tested, round === 0 ? 3 : options.seconds);
      // the first round is the warm-up
      if (round === 0) continue;
      tested.loops.push(loop);
      tested.cpu.push(cpu);
      say(
        `  ${ledger}, ${formatKeys(keys)} keys · round ${round}: ${figure(rate(loop))} events/s, p99 ${figure(loop.p99)} ms, CPU ${cpu.toFixed(3)} ms per event`,
      );
    }
  }
  const bytes: string[][] = [];
  for (const [index, tested] of empty.entries()) {
    const { accepted } = await tested.server.acknowledged();
    bytes.push(...bytesRows(tested, before[index]!, await tested.sizes(), accepted));
  }
  const largest = allTested.slice(-2);
  for (const { ledger, keys, sizes } of largest)
    bytes.push([
      ledger,
      `event_keys, ${formatKeys(keys)} keys`,
      figure((await sizes()).get("event_keys")! / keys),
    ]);
  for (const { server } of allTested) await server.stop();
  await cluster.stop();
  return {
    title: "Growth: 10 events per batch, with many keys in the deduplication window",
    date: new Date().toISOString(),
    settings: { ...RAISED_LIMITS, ...SERVER },
    tables: [
      {
        columns: [
          "ledger",
          "keys",
          "events/s",
          "p99 ms",
          "share of the rate without keys",
          "CPU ms per event",
          "failed",
          "target",
        ],
        rows: allTested.map((tested) => rowOf(tested, allTested)),
      },
      { columns: ["ledger", "table", "bytes on disk per event"], rows: bytes },
    ],
    notes: [
      `The database generates random keys, spread over all live generations. Measured two minutes after the last start, when the filters of the keys are loaded. ${options.rounds} rounds of ${options.seconds} s each; shares are computed per round.`,
      "Bytes per event: what the traffic added to the empty ledger, indexes included.",
    ],
    data: Object.fromEntries(
      allTested.map(({ ledger, keys, loops, cpu }) => [`${ledger} ${keys}`, { loops, cpu }]),
    ),
  };
}
