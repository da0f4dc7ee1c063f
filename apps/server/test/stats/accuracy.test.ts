/** Estimates: they are near the exact figures, exact answers do not depend on how they are read, and what is never estimated. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatsAccuracyChoice, StatsAnswer, StatsPathsAnswer, StatsQueryBody } from "@headwater/contract";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { answerPaths } from "../../src/stats/paths.ts";
import { READ_BUDGET } from "../../src/stats/plan.ts";
import { answerQuery } from "../../src/stats/query.ts";
import { createQueryRunner } from "../../src/stats/run-query.ts";
import type { RunQuery } from "../../src/stats/sql/run-on.ts";
import { runRollupRound } from "../../src/workers/rollups.ts";
import type { ExampleEvent } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";
import { trafficStatement } from "./traffic.ts";

const dateRange: [string, string] = ["2026-11-10", "2026-11-14"];
const DEFAULT_BUDGET = structuredClone(READ_BUDGET);

const GOALS = [
  { name: "Viewed", path: "/1*" },
  { name: "Did", event: "event_2" },
  { name: "Pro", event: "event_3", conditions: [{ property: "plan", operator: "is", value: "pro" }] },
];

let stats: StatsWorld;
let sourceId = "";

before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource({ goals: GOALS })).sourceId;
  await stats.client.command({
    query: trafficStatement({ sourceId, firstDay: Date.UTC(2026, 10, 10), days: 4, sessions: 20_000 }),
  });
  while ((await runRollupRound(stats.client, Date.UTC(2026, 10, 20), { minSourceEvents: 1 })) > 0);
});
after(async () => {
  Object.assign(READ_BUDGET, structuredClone(DEFAULT_BUDGET));
  await stats[Symbol.asyncDispose]();
});

/** Lets a `fast` answer read up to `events` events. */
function readAtMost(
  events: number,
  { maxEventsAtOnce, maxRowsOfParts }: Partial<typeof DEFAULT_BUDGET> = DEFAULT_BUDGET,
) {
  const perSecond = events * 8;
  READ_BUDGET.eventsPerSecond = {
    sessionRollups: perSecond,
    eventRollups: perSecond,
    bothRollups: perSecond,
    eventsAndSessions: perSecond,
    events: perSecond,
  };
  READ_BUDGET.maxEventsAtOnce = maxEventsAtOnce ?? DEFAULT_BUDGET.maxEventsAtOnce;
  READ_BUDGET.maxRowsOfParts = maxRowsOfParts ?? DEFAULT_BUDGET.maxRowsOfParts;
}

type Asked = Omit<StatsQueryBody, "sourceId" | "dateRange" | "accuracy">;
async function ask<Answer = StatsAnswer>(
  asked: object,
  accuracy: StatsAccuracyChoice | undefined,
  route = "query",
): Promise<Answer> {
  const body = { sourceId, dateRange, ...asked, ...(accuracy && { accuracy }) };
  const reply = await stats.world.ask(`/api/stats/${route}`, { method: "POST", body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Answer;
}

const METRICS: Asked["metrics"][] = [
  ["visitors", "pageviews", "events"],
  ["sessions", "bounceRate", "sessionDuration"],
  ["visitors", "sessions", "viewsPerSession", "timeOnPage"],
];
const DIMENSIONS: (Asked["dimensions"] & {})[] = [
  [],
  ["time:day"],
  ["page"],
  ["event"],
  ["referrer"],
  ["country"],
  ["device", "country"],
  ["property:plan"],
];
const is = (dimension: "page" | "referrer" | "device" | "country" | "channel", value: string) => [
  { dimension, operator: "is" as const, value },
];
const FILTERS = [
  [],
  is("page", "/0"),
  is("referrer", "site-0"),
  is("device", "mobile"),
  is("country", "C3"),
  is("channel", "Direct"),
];
const GOAL_QUESTIONS = FILTERS.map(
  (filters): Asked => ({
    metrics: ["conversions", "conversionRate", "visitors"],
    dimensions: ["goal"],
    filters,
  }),
);
/** Questions that need the first visits of visitors. */
const FIRST_VISIT_QUESTIONS: Asked[] = [
  { metrics: ["newVisitors", "returningVisitors", "visitors"] },
  { metrics: ["visitors", "newVisitors"], dimensions: ["channel", "firstChannel"] },
  { metrics: ["sessions", "pageviews"], dimensions: ["visitorType"] },
  {
    metrics: ["sessions", "pageviews"],
    dimensions: ["time:day"],
    filters: [{ dimension: "visitorType", operator: "is", value: "returning" }],
  },
];
const isLong = process.env.TEST_LONG === "1";
/** With TEST_LONG=1 all combinations. Every eleventh one has each metric, dimension and filter. */
const QUESTIONS = [
  ...METRICS.flatMap((metrics) =>
    DIMENSIONS.flatMap((dimensions) =>
      FILTERS.map((filters): Asked => ({ metrics, dimensions, filters, pagination: { limit: 10 } })),
    ),
  ).filter((_, index) => isLong || index % 11 === 0),
  ...GOAL_QUESTIONS,
  ...FIRST_VISIT_QUESTIONS,
  { metrics: ["visitors28Days", "visitors7Days"], dimensions: ["country"] } satisfies Asked,
  { metrics: ["visitors", "visitors7Days", "dauPerWau"], dimensions: ["time:day"] } satisfies Asked,
];

/** Figures of fewer visitors or sessions are not compared. Others may differ by this share. */
const MANY = 2_000;
const NEAR = 0.2;
const isNear = (estimate: number, exact: number) => Math.abs(estimate - exact) <= NEAR * exact;

test("The figures of many visitors are estimated near the exact ones.", async () => {
  readAtMost(20_000);
  let compared = 0;
  for (const question of QUESTIONS) {
    const estimate = await ask(question, "fast");
    const { results, accuracy } = await ask({ ...question, pagination: { limit: 1_000 } }, "exact");
    assert.deepEqual(accuracy, { exact: true });
    assert.equal(estimate.accuracy.exact, false);
    const exact = new Map(results.map((row) => [JSON.stringify(row.dimensions), row.metrics]));
    for (const { dimensions, metrics } of estimate.results) {
      const counted = exact.get(JSON.stringify(dimensions)) ?? [];
      if ((counted[0] ?? 0) < MANY) continue;
      compared += 1;
      for (const [index, value] of metrics.entries())
        assert.ok(
          isNear(value ?? 0, counted[index] ?? 0),
          `${JSON.stringify(question)}: ${value} for ${counted[index]}`,
        );
    }
  }
  assert.ok(compared > QUESTIONS.length / 2, `${compared} rows of ${QUESTIONS.length} questions`);
});

/** Questions that no rollup answers. */
const OF_EVENTS: Asked[] = [
  { metrics: ["sessions", "bounceRate", "engagedSessions"], dimensions: ["page"] },
  { metrics: ["sessions", "timeOnPage"], dimensions: ["page", "referrer"], filters: is("device", "mobile") },
  { metrics: ["events", "sessions"], dimensions: ["property:plan", "country", "time:day"] },
  { metrics: ["conversions", "viewsPerSession"], dimensions: ["referrer"], goal: { event: "event_2" } },
  { metrics: ["visitors", "sessions"], dimensions: ["page"] },
];
test("An exact answer is the same, in one piece or read in parts of visitors or sessions, or when parts have too many groups.", async () => {
  const asked = isLong ? QUESTIONS : QUESTIONS.filter((_, index) => index % 2 === 0);
  for (const question of [...asked, ...OF_EVENTS, ...FIRST_VISIT_QUESTIONS]) {
    readAtMost(1e9);
    const whole = await ask(question, "exact");
    readAtMost(1e9, { maxEventsAtOnce: 20_000 });
    const divided = await ask(question, "exact");
    assert.deepEqual(rounded(divided), rounded(whole), JSON.stringify(question));
    readAtMost(1e9, { maxEventsAtOnce: 20_000, maxRowsOfParts: 3 });
    assert.deepEqual(rounded(await ask(question, "exact")), rounded(whole), JSON.stringify(question));
  }
});

const NOW = Date.UTC(2026, 10, 20);
const bodyOf = (accuracy: StatsAccuracyChoice = "exact") => ({ sourceId, dateRange, accuracy });
const answerOf = async (run: RunQuery, asked: Asked, accuracy?: StatsAccuracyChoice) =>
  answerQuery(run, { ...asked, ...bodyOf(accuracy) }, null, NOW);

/**
 * A runner whose statements may use so much memory.
 * @param needsTooMuch whether a statement fails as ClickHouse fails it
 */
function limitedRunner(memoryBytes: number, needsTooMuch = (_query: string) => false) {
  let statements = 0;
  const query: WarehouseClient["query"] = async (options) => {
    statements += 1;
    if (needsTooMuch(options.query))
      throw Object.assign(new Error("Query memory limit exceeded"), { code: "241" });
    return stats.client.query(options);
  };
  const client = Object.assign(Object.create(stats.client), { query });
  const runner = createQueryRunner({ state: () => "up", client: () => client }, { memoryBytes });
  const run = runner({ organizationId: "org_1", signal: new AbortController().signal });
  return { run, statements: () => statements };
}

/** Answers a question exactly, with so much memory for each statement. */
async function askWith(memoryBytes: number, asked: Asked) {
  const { run, statements } = limitedRunner(memoryBytes);
  const answer = await answerOf(run, asked);
  return { answer, statements: statements() };
}

const OF_ROLLUPS_AND_EVENTS: Asked[] = [
  { metrics: ["visitors"], dimensions: ["country"] },
  { metrics: ["sessions"], dimensions: ["page"] },
];
test("The less memory a statement may use, the more parts an exact answer is read in.", async (t) => {
  t.after(() => (READ_BUDGET.bytesPerEvent = DEFAULT_BUDGET.bytesPerEvent));
  readAtMost(1e9);
  const most = SERVER_LIMITS.maxStatsMemoryBytes;
  READ_BUDGET.bytesPerEvent = most / 100_000;
  for (const question of OF_ROLLUPS_AND_EVENTS) {
    const whole = await askWith(8 * most, question);
    const divided = await askWith(most / 4, question);
    assert.deepEqual(divided.answer.results, whole.answer.results);
    assert.ok(
      divided.statements >= whole.statements + 3,
      `${divided.statements} and ${whole.statements} statements`,
    );
  }
});

test("A statement of an exact answer is about no more events when it may use more memory: its time is limited, too.", async () => {
  readAtMost(1e9, { maxEventsAtOnce: 8_000 });
  for (const question of OF_ROLLUPS_AND_EVENTS) {
    const few = await askWith(SERVER_LIMITS.maxStatsMemoryBytes, question);
    const many = await askWith(64 * SERVER_LIMITS.maxStatsMemoryBytes, question);
    assert.deepEqual(many, few);
    assert.ok(few.statements > 5, `${few.statements} statements`);
  }
});

const HEAVY: Asked[] = [
  { metrics: ["visitors", "pageviews"], dimensions: ["page"] },
  { metrics: ["visitors", "sessions"], dimensions: ["referrer"], filters: is("page", "/0") },
  { metrics: ["sessions"], dimensions: ["page"], filters: is("country", "C3") },
  { metrics: ["scrollDepth"], dimensions: ["property:plan"] },
];
const isOfGroups = (query: string) => /groupHash|fromPage/.test(query);
test("An exact answer whose statement needs too much memory is read in more parts, until none does.", async () => {
  readAtMost(1e9);
  const most = SERVER_LIMITS.maxStatsMemoryBytes;
  const readers = [
    ...HEAVY.map(
      (asked) => async (run: RunQuery, accuracy?: StatsAccuracyChoice) => answerOf(run, asked, accuracy),
    ),
    async (run: RunQuery, accuracy?: StatsAccuracyChoice) => answerPaths(run, bodyOf(accuracy), NOW),
  ];
  for (const [index, read] of readers.entries()) {
    const whole = limitedRunner(most);
    const answer = await read(whole.run);
    for (const failing of index === 0 ? [1, 2] : [1]) {
      let failed = 0;
      const limited = limitedRunner(most, (query) => isOfGroups(query) && failed++ < failing);
      assert.deepEqual(await read(limited.run), answer);
      const more = limited.statements() - whole.statements();
      assert.ok(more >= 8 ** failing, `${more} more statements after ${failing} failed`);
    }
    let failed = 0;
    const auto = limitedRunner(most, (query) => isOfGroups(query) && failed++ < 1);
    assert.equal((await read(auto.run, "auto")).accuracy?.exact, false, "it is estimated instead");
    const never = limitedRunner(most, isOfGroups);
    await assert.rejects(
      read(never.run),
      (error) => error instanceof Refusal && error.code === "query_too_heavy",
    );
  }
});

/** Events that are a second apart. */
const everySecond = (count: number, eventAt: (index: number) => Omit<ExampleEvent, "at">): ExampleEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    at: new Date(Date.UTC(2026, 10, 11) + index * 1_000).toISOString(),
    ...eventAt(index),
  }));

test("Equal revenue is equal when it is read in parts, and pages of a list follow each other.", async () => {
  const { sourceId: shop } = await stats.world.createSource({});
  // 27.5 per page, in amounts that floating point cannot hold
  const orders = everySecond(400, (index) => ({
    id: `order_${index}`,
    session: `s${String((index * 7_919) % 1_009).padStart(4, "0")}`,
    visitor: `v${index}`,
    name: "buy",
    page: `/p${index % 8}`,
    revenue: ((Math.floor(index / 8) % 10) + 1) / 10,
    currency: "EUR",
  }));
  await stats.insert(shop, orders);
  readAtMost(1e9, { maxEventsAtOnce: 100 });
  const question = { sourceId: shop, metrics: ["revenue"], dimensions: ["page", "currency"] };
  const pages = [0, 3, 6].map(async (offset) =>
    ask({ ...question, pagination: { limit: 3, offset } }, "exact"),
  );
  const rows = (await Promise.all(pages)).flatMap(({ results }) => results);
  assert.deepEqual(
    rows.map(({ dimensions, metrics }) => [dimensions[0], metrics[0]]),
    Array.from({ length: 8 }, (_, page) => [`/p${page}`, 27.5]),
  );
});

test("The scroll depth of pages is the same when it is read in parts of the sessions.", async () => {
  const { sourceId: site } = await stats.world.createSource({});
  // about two reports of each view, of which the deeper counts
  const reports = everySecond(600, (index) => ({
    id: `report_${index}`,
    session: `s${String((index * 7_919) % 97).padStart(2, "0")}`,
    visitor: `v${(index * 7_919) % 97}`,
    name: "leave",
    page: `/p${index % 3}`,
    scrollDepth: (index * 37) % 101,
  }));
  await stats.insert(site, reports);
  const question = { sourceId: site, metrics: ["scrollDepth", "events"], dimensions: ["page"] };
  readAtMost(1e9);
  const whole = await ask(question, "exact");
  assert.ok(whole.results.length === 3 && whole.results.every(({ metrics }) => Number(metrics[0]) > 0));
  readAtMost(1e9, { maxEventsAtOnce: 200 });
  assert.deepEqual((await ask(question, "exact")).results, whole.results);
});

type Paths = StatsPathsAnswer["paths"];
const PATHS = [
  {},
  { steps: 5, limit: 3 },
  { startPage: "/1", limit: 5 },
  { through: ["/0", "/2"], steps: 2, limit: 5 },
];
test("Exact paths are the same, in one piece or in parts of the sessions, or when parts have too many paths.", async () => {
  for (const [index, asked] of PATHS.entries())
    for (const filters of index === 0 ? [[], is("device", "mobile")] : [[]]) {
      const paths = async () => (await ask<{ paths: Paths }>({ ...asked, filters }, "exact", "paths")).paths;
      readAtMost(1e9);
      const whole = await paths();
      assert.ok(whole.length > 0);
      for (const maxRowsOfParts of [10, 10_000]) {
        readAtMost(1e9, { maxEventsAtOnce: 40_000, maxRowsOfParts });
        assert.deepEqual(await paths(), whole, JSON.stringify({ asked, filters, maxRowsOfParts }));
      }
    }
});

const rounded = ({ results, nextOffset }: StatsAnswer) => ({
  nextOffset,
  results: results.map((row) => ({ ...row, metrics: row.metrics.map((value) => value?.toFixed(6) ?? null) })),
});

test("auto is exact while the range is small, and estimates beyond that; a comparison too.", async () => {
  readAtMost(1e9);
  const question = { metrics: ["visitors"], include: { comparison: true } };
  assert.deepEqual((await ask(question, undefined)).accuracy, { exact: true });
  readAtMost(2_000);
  const { accuracy } = await ask(question, undefined);
  assert.ok(!accuracy.exact && accuracy.sample < 1);
});

test("Users, revenue and sums of properties are never estimated.", async () => {
  readAtMost(100);
  for (const metric of ["users", "sum:price"])
    assert.deepEqual(
      (await ask({ metrics: ["visitors", metric] }, "fast")).accuracy,
      { exact: true },
      metric,
    );
  for (const dimensions of [["currency"], ["goal", "currency"]])
    assert.deepEqual((await ask({ metrics: ["revenue"], dimensions }, "fast")).accuracy, { exact: true });
});

test("Funnels, retention, paths and properties are estimated near the exact figures.", async () => {
  readAtMost(10_000);
  const both = async <Answer extends Pick<StatsAnswer, "accuracy">>(
    route: string,
    asked: object,
    countsOf: (answer: Answer) => number[],
  ) => {
    const [fast, exact] = [await ask<Answer>(asked, "fast", route), await ask<Answer>(asked, "exact", route)];
    assert.ok(!fast.accuracy.exact && exact.accuracy.exact);
    const [estimated, counted] = [countsOf(fast), countsOf(exact)];
    assert.ok(counted.length > 0 && estimated.length === counted.length);
    for (const [index, count] of counted.entries())
      assert.ok(isNear(estimated[index] ?? 0, count), `${estimated[index]} for ${count}`);
  };
  await both<{ steps: { visitors: number }[] } & Pick<StatsAnswer, "accuracy">>(
    "funnel",
    { steps: [{ page: "/0" }, { event: "event_1" }] },
    ({ steps }) => steps.map(({ visitors }) => visitors),
  );
  await both<{ cohorts: { visitors: number }[] } & Pick<StatsAnswer, "accuracy">>(
    "retention",
    { period: "day" },
    ({ cohorts }) => cohorts.map(({ visitors }) => visitors),
  );
  await both<
    { paths: { from: string; to: string | null; sessions: number }[] } & Pick<StatsAnswer, "accuracy">
  >("paths", { steps: 1 }, ({ paths }) => [Math.max(...paths.map(({ sessions }) => sessions))]);
  await both<{ properties: { events: number }[] } & Pick<StatsAnswer, "accuracy">>(
    "properties",
    {},
    ({ properties }) => properties.map(({ events }) => events),
  );
});
