/**
 * An answer is the same whether no day has a rollup, all days have a current one, or events came after the builds. The same
 * queries of a dashboard are compared with the oracle in each of these states. STATS_SEED repeats a failure.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { metricsQuestion } from "../../src/stats/metrics-question.ts";
import type { ReadFrom } from "../../src/stats/plan.ts";
import { readQuery } from "../../src/stats/query.ts";
import { hasRunningMutations } from "../../src/stats/rollups/drop.ts";
import { readCoverage } from "../../src/stats/rollups/freshness.ts";
import { runOn } from "../../src/stats/sql/run-on.ts";
import { runRollupRound } from "../../src/workers/rollups.ts";
import { until } from "../support/until.ts";
import type { ExampleEvent } from "./examples.ts";
import { dashboardQueryOf, eventsOf, GOALS, PLACES, queryOf, randomFrom } from "./generated.ts";
import { EVENTS, type FilledSource, runAndCompare, runAndCompareFunnel, SEED } from "./generated-queries.ts";
import type { OracleFunnel, OracleQuery } from "./oracle.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const QUERIES = process.env.TEST_LONG === "1" ? 1_200 : 20;
/** Some of the places only: each of their days is built several times. */
const OWN_PLACES = PLACES.filter((_, index) => index % 6 === 0);
const HOUR_MS = 3_600_000;

interface SourceWithLateEvents extends FilledSource {
  events: ExampleEvent[];
  late: ExampleEvent[];
}

let stats: StatsWorld;
const sources: SourceWithLateEvents[] = [];
let now = Date.UTC(2026, 10, 22);

before(async () => {
  stats = await openStatsWorld({ LOG_LEVEL: process.env.STATS_LOG ?? "silent" });
  for (const [index, place] of OWN_PLACES.entries()) {
    const { sourceId } = await stats.world.createSource({ goals: GOALS });
    const random = randomFrom(SEED + index);
    const all = eventsOf(random, place, EVENTS);
    const [day] = [...Map.groupBy(all, ({ at }) => at.slice(0, 10))].toSorted(
      (a, b) => b[1].length - a[1].length,
    )[0]!;
    const late = all.filter(({ at }) => at.startsWith(day) && random() < 0.3);
    const events = all.filter((event) => !late.includes(event));
    await stats.insert(sourceId, events);
    sources.push({ sourceId, events, late });
  }
});
after(() => stats[Symbol.asyncDispose]());

const buildAll = async () => {
  // days that were built a moment ago are not built again
  now += HOUR_MS;
  let built = 0;
  for (let more = 1; more > 0; built += more)
    more = await runRollupRound(stats.client, now, { minSourceEvents: 1, eventsPerStatement: 30 });
  return built;
};

const rollupReadBy = async ({ sourceId }: FilledSource, query: OracleQuery): Promise<ReadFrom | null> => {
  // which goals there are is not important here
  const goal = query.dimensions.includes("goal") ? { each: [] } : null;
  const { query: parsed } = readQuery({ sourceId, ...query } as never, goal, now);
  const { from, period } = metricsQuestion(parsed);
  const run = runOn(stats.client, new AbortController().signal);
  return from !== "events" && (await readCoverage(run, sourceId, period)).coverage ? from : null;
};

/** @returns how many queries read which table */
async function compareAll(state: string, queries = QUERIES): Promise<Map<string, number>> {
  const tables = new Map<string, number>();
  for (let number = 0; number < queries; number++) {
    const index = number % OWN_PLACES.length;
    const random = randomFrom(SEED * 17 + number);
    const make = number % 5 === 4 ? queryOf : dashboardQueryOf;
    const query = make(random, OWN_PLACES[index]!, number);
    const source = sources[index]!;
    await runAndCompare(stats.world, source, query, `STATS_SEED=${SEED}, ${state}, query ${number}`);
    const table = (await rollupReadBy(source, query)) ?? "events";
    tables.set(table, (tables.get(table) ?? 0) + 1);
  }
  await compareRolling(state);
  await compareEnds(state);
  await compareJoined(state);
  return tables;
}

/** Queries of entrances and exits that rollups can answer, of ranges that end within sessions. */
async function compareEnds(state: string): Promise<void> {
  const index = state.length % OWN_PLACES.length;
  const [{ day }, source] = [OWN_PLACES[index]!, sources[index]!];
  for (const [number, hours] of [6, 12, 18, 48].entries()) {
    const end = new Date(Date.parse(day) + hours * HOUR_MS);
    const query: OracleQuery = {
      dateRange: [`${day}T00:00:00.000Z`, end.toISOString()],
      timezone: "UTC",
      metrics: ["entrances", "exits", "exitRate", "visitors"],
      dimensions: number % 2 === 0 ? ["page"] : ["channel", "page"],
      filters: number === 2 ? [{ dimension: "device", operator: "is_not", value: "desktop" }] : [],
      include: { bots: false, comparison: number === 1, total: false },
      pagination: { limit: 50, offset: 0 },
    };
    await runAndCompare(stats.world, source, query, `${state}, entrances of ${hours} hours`);
    const table = await rollupReadBy(source, query);
    assert.ok(table === null || table === "bothRollups", `${table}`);
    readsOfEnds += table === null ? 0 : 1;
  }
}

/** Goals and funnels by dimensions of sessions, which are joined with rollups of the sessions. */
async function compareJoined(state: string): Promise<void> {
  const index = state.length % OWN_PLACES.length;
  const [{ zone, day }, source] = [OWN_PLACES[index]!, sources[index]!];
  const common = {
    dateRange: [day, new Date(Date.parse(day) + 3 * 24 * HOUR_MS).toISOString().slice(0, 10)],
    timezone: zone,
    filters: [{ dimension: "device", operator: "is_not", value: "desktop" }],
  } satisfies Partial<OracleQuery>;
  for (const dimensions of [
    ["goal", "channel"],
    ["time:day", "goal", "country"],
    ["entryPage", "goal"],
  ]) {
    const query: OracleQuery = {
      ...common,
      metrics: ["conversions", "conversionRate", "visitors"],
      dimensions,
      include: { bots: false, comparison: true, total: false },
      pagination: { limit: 50, offset: 0 },
    };
    await runAndCompare(stats.world, source, query, `${state}, goals`);
    const table = await rollupReadBy(source, query);
    assert.ok(table === null || table === "eventsAndSessions", `${table}`);
    readsOfJoined += table === null ? 0 : 1;
  }
  for (const dimension of ["channel", "exitPage"]) {
    const include = { bots: false, times: true };
    const funnel: OracleFunnel = { ...common, steps: [{ page: "*" }, { event: "buy" }], dimension, include };
    await runAndCompareFunnel(stats.world, source, funnel, `${state}, funnel`);
  }
}

/** Queries of rolling metrics that each of the tables can answer. */
async function compareRolling(state: string): Promise<void> {
  const index = state.length % OWN_PLACES.length;
  const { zone, day } = OWN_PLACES[index]!;
  for (const dimensions of [["country", "time:day"], ["time:week"], ["page", "time:month"], ["channel"]]) {
    const query: OracleQuery = {
      dateRange: [day, new Date(Date.parse(day) + 9 * 24 * HOUR_MS).toISOString().slice(0, 10)],
      timezone: zone,
      metrics: ["visitors", "visitors7Days", "visitors28Days"],
      dimensions,
      filters: [{ dimension: "device", operator: "is_not", value: "desktop" }],
      include: { bots: false, comparison: true, total: true },
      pagination: { limit: 9, offset: 0 },
    };
    await runAndCompare(stats.world, sources[index]!, query, `${state}, rolling metrics`);
  }
}

/** About half of the queries read them. With few queries, chance may leave a fifth. */
const USUAL_SHARE = process.env.TEST_LONG === "1" ? 0.35 : 0.2;

/** Queries that read `eventRollups` are few, so they are counted over all states. */
let readsOfEventRollups = 0;
let readsOfEnds = 0;
let readsOfJoined = 0;
const requireRollups = (tables: Map<string, number>, share: number) => {
  readsOfEventRollups += tables.get("eventRollups") ?? 0;
  assert.ok((tables.get("sessionRollups") ?? 0) > QUERIES * share, JSON.stringify([...tables]));
};

test("Without rollups all answers are derived from events.", async () => {
  assert.deepEqual([...(await compareAll("no rollups", QUERIES / 4)).keys()], ["events"]);
});

test("With a rollup of each day the answers come from rollups, and are the same.", async () => {
  assert.ok((await buildAll()) > 2 * OWN_PLACES.length);
  requireRollups(await compareAll("all built"), USUAL_SHARE);
  assert.equal(await buildAll(), 0, "a current day is not built again");
});

test("Events that are received late, or imported, count at once.", async () => {
  for (const source of sources) {
    // the time at which they were received shows one half as new; the other half changes what was there before
    const half = source.late.length / 2;
    await stats.insert(source.sourceId, source.late.slice(0, half), now);
    source.events.push(...source.late.slice(0, half));
  }
  requireRollups(await compareAll("received since"), USUAL_SHARE);
  for (const source of sources) {
    const half = source.late.length / 2;
    await stats.insert(source.sourceId, source.late.slice(half));
    source.events.push(...source.late.slice(half));
  }
  // with so few queries, chance may leave half of the usual share
  requireRollups(await compareAll("late events"), 0.05);
});

test("Late events count after their days are built again.", async () => {
  assert.ok((await buildAll()) > OWN_PLACES.length);
  requireRollups(await compareAll("built again"), USUAL_SHARE);
});

test("Deleted events stop counting at once, and after their days are built again.", async () => {
  const gone = ["v0", "v1", "v2"];
  await stats.client.command({
    query: `ALTER TABLE events DELETE WHERE anonymousId IN (${gone.map((one) => `'${one}'`)})`,
  });
  await until("the events are deleted", async () => !(await hasRunningMutations(stats.client)));
  for (const source of sources)
    source.events = source.events.filter(({ visitor }) => !gone.includes(visitor));
  await compareAll("deleted", QUERIES / 4);
  assert.ok((await buildAll()) > OWN_PLACES.length);
  requireRollups(await compareAll("deleted and built again"), USUAL_SHARE);
  assert.ok(readsOfEventRollups > 0, "some queries read eventRollups");
  assert.ok(readsOfEnds > 0, "some entrances are read from rollups");
  assert.ok(readsOfJoined > 0, "some goals are joined with rollups");
});
