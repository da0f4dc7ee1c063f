/**
 * Generated queries, each answered by the real warehouse over HTTP and by the oracle. A failure prints its seed and number;
 * STATS_SEED repeats it. Sends 100 queries; with TEST_LONG=1 5,000, which differ from run to run, or STATS_QUERIES.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatsRow } from "@headwater/contract";
import type { World } from "../support/world.ts";
import type { ExampleEvent } from "./examples.ts";
import {
  DIMENSIONS,
  eventsOf,
  funnelQueryOf,
  GOALS,
  goalQueryOf,
  LEAVES,
  METRICS,
  PLACES,
  queryOf,
  randomFrom,
  rollingQueryOf,
  touchQueryOf,
} from "./generated.ts";
import {
  answerOf,
  CONTENT_GROUPS,
  excludedBotsOf,
  funnelOf,
  goalRowsOf,
  type OracleFigures,
  type OracleFunnel,
  type OracleQuery,
  type OracleRow,
  otherOf,
  totalOf,
} from "./oracle.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const isLong = process.env.TEST_LONG === "1";
const QUERIES = Number(process.env.STATS_QUERIES ?? (isLong ? 5_000 : 100));
const FUNNELS = Number(process.env.STATS_FUNNELS ?? (isLong ? 300 : 100));
/** So many queries have most pairs of a dimension and a metric. */
const ENOUGH_QUERIES = 500;
export const SEED = Number(process.env.STATS_SEED ?? (isLong ? Date.now() & 0x7fffffff : 20_261_129));
export const EVENTS = 160;
const AT_ONCE = 3;
/** No divisor of the numbers of places, dimensions and metrics. */
const KIND_EVERY = 7;

let stats: StatsWorld;
const sources: FilledSource[] = [];

async function open(openWorld: typeof openStatsWorld): Promise<void> {
  stats = await openWorld({ LOG_LEVEL: process.env.STATS_LOG ?? "silent" });
  for (const [index, place] of PLACES.entries()) {
    const { sourceId } = await stats.world.createSource({ goals: GOALS, contentGroups: CONTENT_GROUPS });
    const events = eventsOf(randomFrom(SEED + index), place, EVENTS);
    await stats.insert(sourceId, events.slice(0, EVENTS / 2));
    await stats.insert(sourceId, events.slice(EVENTS / 2));
    sources.push({ sourceId, events });
  }
}

/** The oracle adds in another order, so the last digits of a sum may differ. */
function isSame(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
}
/** Without the last digits of numbers. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === "number" ? Number(one.toPrecision(12)) : one,
  );
const areSame = (one: (number | null)[] | null, other: (number | null)[] | null) =>
  one === null || other === null ? one === other : one.every((value, at) => isSame(value, other[at] ?? null));

function requireSame(got: StatsRow[], expected: OracleRow[], where: string): void {
  const differs = got.some(({ dimensions, metrics, comparison }, at) => {
    const wanted = expected[at];
    return (
      wanted === undefined ||
      JSON.stringify(dimensions) !== JSON.stringify(wanted.dimensions) ||
      !areSame(metrics, wanted.metrics) ||
      !areSame(comparison, wanted.comparison)
    );
  });
  if (differs || got.length !== expected.length) assert.deepEqual(got, expected, where);
}

function requireSameFigures(got: OracleFigures | null, expected: OracleFigures | null, where: string): void {
  const isEqual =
    areSame(got?.metrics ?? null, expected?.metrics ?? null) &&
    areSame(got?.comparison ?? null, expected?.comparison ?? null);
  if (!isEqual) assert.deepEqual(got, expected, where);
}

export interface FilledSource {
  readonly sourceId: string;
  /** What the warehouse holds of it. */
  readonly events: readonly ExampleEvent[];
}

/** @param name printed with a wrong answer */
export async function runAndCompare(
  world: World,
  { sourceId, events }: FilledSource,
  query: OracleQuery,
  name: string,
): Promise<void> {
  const where = `${name}: ${JSON.stringify(query)}`;
  const body = { sourceId, ...query };
  const reply = await world.ask("/api/stats/query", { method: "POST", body });
  assert.equal(reply.status, 200, `${where}\n${JSON.stringify(reply.body)}`);
  assert.deepEqual(reply.body.excluded, { bots: excludedBotsOf(events, query, GOALS) }, where);
  const isByGoal = query.dimensions.includes("goal");
  const rows = isByGoal ? goalRowsOf(events, query, GOALS) : answerOf(events, query, GOALS);
  const { limit, offset } = query.pagination ?? { limit: rows.length, offset: 0 };
  requireSame(reply.body.results, rows.slice(offset, offset + limit), where);
  const page = rows.slice(offset, offset + limit);
  if (query.include.total) {
    requireSameFigures(reply.body.total, totalOf(events, query, GOALS), `total of ${where}`);
    const other = offset === 0 && page.length === rows.length ? null : otherOf(events, query, GOALS, page);
    requireSameFigures(reply.body.other, other, `other of ${where}`);
  }
  assert.equal(reply.body.nextOffset, rows.length > offset + limit ? offset + limit : null, where);
}

async function runOne(number: number): Promise<OracleQuery> {
  const index = number % PLACES.length;
  const write = [goalQueryOf, touchQueryOf, rollingQueryOf][number % KIND_EVERY] ?? queryOf;
  const query = write(randomFrom(SEED * 31 + number), PLACES[index]!, number);
  await runAndCompare(stats.world, sources[index]!, query, `STATS_SEED=${SEED}, query ${number}`);
  return query;
}

/** @param name printed with a wrong answer */
export async function runAndCompareFunnel(
  world: World,
  { sourceId, events }: FilledSource,
  query: OracleFunnel,
  name: string,
): Promise<void> {
  const where = `${name}: ${JSON.stringify(query)}`;
  const body = { sourceId, ...query };
  const reply = await world.ask("/api/stats/funnel", { method: "POST", body });
  assert.equal(reply.status, 200, `${where}\n${JSON.stringify(reply.body)}`);
  const { steps, segments } = reply.body;
  assert.deepEqual(rounded({ steps, segments }), rounded(funnelOf(events, query, GOALS)), where);
}

async function runFunnel(number: number): Promise<OracleFunnel> {
  const index = number % PLACES.length;
  const query = funnelQueryOf(randomFrom(SEED * 37 + number), PLACES[index]!, number);
  await runAndCompareFunnel(stats.world, sources[index]!, query, `STATS_SEED=${SEED}, funnel ${number}`);
  return query;
}

/** @returns the queries */
async function runQueries<Query>(count: number, run: (number: number) => Promise<Query>): Promise<Query[]> {
  const asked: Query[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) asked.push(await run(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return asked;
}

/** @param openWorld opens the service and its warehouse */
export function compareSome(count: number, openWorld: typeof openStatsWorld): void {
  before(() => open(openWorld));
  after(() => stats[Symbol.asyncDispose]());

  test(`${count} queries: the warehouse and the oracle give the same answers.`, async (t) => {
    await runQueries(count, runOne);
    t.diagnostic(`seed ${SEED}`);
  });
}

/** Sends all queries, and requires that they have enough pairs. */
export function compareAll(): void {
  before(() => open(openStatsWorld));
  after(() => stats[Symbol.asyncDispose]());

  test(`${QUERIES} queries: the warehouse and the oracle give the same answers.`, async (t) => {
    const asked = await runQueries(QUERIES, runOne);
    const pairs = new Set(
      asked.flatMap(({ metrics, dimensions }) =>
        dimensions.flatMap((one) => metrics.map((metric) => `${one} ${metric}`)),
      ),
    );
    const filters = JSON.stringify(asked.map((one) => one.filters));
    const leaves = new Set(filters.match(/"dimension":.*?"operator":"\w+"/g));
    t.diagnostic(
      `seed ${SEED}: ${asked.length} queries, ${pairs.size} pairs of dimension and metric, ${leaves.size} of dimension and operator`,
    );
    if (QUERIES < ENOUGH_QUERIES) return;
    assert.ok(pairs.size > 0.5 * DIMENSIONS.length * METRICS.length, `${pairs.size} pairs`);
    assert.ok(leaves.size > 0.6 * LEAVES.length, `${leaves.size} leaves`);
  });
}

/** Sends generated funnels. */
export function compareFunnels(): void {
  test(`${FUNNELS} funnels: the warehouse and the oracle give the same steps, times and segments.`, async (t) => {
    await runQueries(FUNNELS, runFunnel);
    t.diagnostic(`seed ${SEED}`);
  });
}
