/**
 * An answer is the same whether days have settled, none has, or some have and events came late: the same questions, as a
 * dashboard asks them, held to the oracle in each of these states. STATS_SEED runs a failure again.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readQuery } from "../../src/stats/query.ts";
import { areEventsChanging } from "../../src/stats/rollups/drop.ts";
import { readSettled } from "../../src/stats/rollups/freshness.ts";
import { tableFor } from "../../src/stats/rollups/query-sql.ts";
import { createAsker } from "../../src/stats/run-query.ts";
import { settleRound } from "../../src/workers/rollups.ts";
import { until } from "../faults/child.ts";
import { PATIENCE_MS } from "../warehouse/store.ts";
import type { ExampleEvent } from "./examples.ts";
import { dashboardQuestionOf, eventsOf, PLACES, questionOf, randomFrom } from "./generated.ts";
import { EVENTS, type Filled, poseTo, SEED } from "./generated-share.ts";
import type { OracleQuestion } from "./oracle.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const QUESTIONS = process.env.TEST_LONG === "1" ? 1_200 : 36;
/** Fewer of them, since each of their days is settled some times. */
const OWN_PLACES = PLACES.filter((_, index) => index % 6 === 0);
const HOUR_MS = 3_600_000;

interface Source extends Filled {
  events: ExampleEvent[];
  late: ExampleEvent[];
}

let stats: StatsWorld;
const sources: Source[] = [];
let now = Date.UTC(2026, 10, 22);

before(async () => {
  stats = await openStatsWorld({ LOG_LEVEL: process.env.STATS_LOG ?? "silent" });
  for (const [index, place] of OWN_PLACES.entries()) {
    const { sourceId } = await stats.world.createSource();
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

const settle = async () => {
  // what was touched a moment ago is left alone
  now += HOUR_MS;
  let settled = 0;
  for (let more = 1; more > 0; settled += more)
    more = await settleRound(stats.client, now, { sourceEvents: 1 });
  return settled;
};

const isOfSettled = async (
  { sourceId }: Filled,
  question: OracleQuestion,
): Promise<"visits" | "hits" | null> => {
  const { query, starts } = readQuery({ sourceId, ...question } as never, now);
  const side = { period: query.scope.range, starts, names: starts, groups: null };
  const table = tableFor(query, side);
  const ask = createAsker(() => ({ state: () => "up", client: () => stats.client }))({
    organizationId: "org",
    signal: new AbortController().signal,
  });
  return table && (await readSettled(ask, sourceId, side.period)) ? table : null;
};

/** @returns how many were answered out of which table */
async function poseAll(state: string, questions = QUESTIONS): Promise<Map<string, number>> {
  const tables = new Map<string, number>();
  for (let number = 0; number < questions; number++) {
    const index = number % OWN_PLACES.length;
    const random = randomFrom(SEED * 17 + number);
    const make = number % 5 === 4 ? questionOf : dashboardQuestionOf;
    const question = make(random, OWN_PLACES[index]!, number);
    const source = sources[index]!;
    await poseTo(stats.world, source, question, `STATS_SEED=${SEED}, ${state}, question ${number}`);
    const table = (await isOfSettled(source, question)) ?? "events";
    tables.set(table, (tables.get(table) ?? 0) + 1);
  }
  return tables;
}

/** Questions about single events are few: they are counted over all states. */
let ofHits = 0;
const isMostly = (tables: Map<string, number>, share: number) => {
  ofHits += tables.get("hits") ?? 0;
  assert.ok((tables.get("visits") ?? 0) > QUESTIONS * share, JSON.stringify([...tables]));
};

test("Where nothing has settled, answers are derived of events.", async () => {
  assert.deepEqual([...(await poseAll("nothing settled", QUESTIONS / 4)).keys()], ["events"]);
});

test("Where all has settled, they are read out of what was derived, and the same.", async () => {
  assert.ok((await settle()) > 2 * OWN_PLACES.length);
  isMostly(await poseAll("all settled"), 0.35);
  assert.equal(await settle(), 0, "what has settled settles once");
});

test("Events that come late, or are imported, count at once, and in full.", async () => {
  for (const source of sources) {
    // the one half is told by when it was received, the other changes what was there before
    const half = source.late.length / 2;
    await stats.insert(source.sourceId, source.late.slice(0, half), now);
    source.events.push(...source.late.slice(0, half));
  }
  isMostly(await poseAll("received since"), 0.35);
  for (const source of sources) {
    const half = source.late.length / 2;
    await stats.insert(source.sourceId, source.late.slice(half));
    source.events.push(...source.late.slice(half));
  }
  // of so few questions chance may leave half of what is usual
  isMostly(await poseAll("late events"), 0.05);
});

test("And when their days have settled again.", async () => {
  assert.ok((await settle()) > OWN_PLACES.length);
  isMostly(await poseAll("settled again"), 0.35);
});

test("Events that were deleted count no more, at once, and when their days have settled again.", async () => {
  const gone = ["v0", "v1", "v2"];
  await stats.client.command({
    query: `ALTER TABLE events DELETE WHERE anonymousId IN (${gone.map((one) => `'${one}'`)})`,
  });
  await until("they are gone", PATIENCE_MS, async () => !(await areEventsChanging(stats.client)));
  for (const source of sources)
    source.events = source.events.filter(({ visitor }) => !gone.includes(visitor));
  await poseAll("deleted", QUESTIONS / 4);
  assert.ok((await settle()) > OWN_PLACES.length);
  isMostly(await poseAll("deleted, and settled again"), 0.35);
  assert.ok(ofHits > 0, "some questions were about single events");
});
