/** Runs the queries of the console over 10, 30 and 100 million events, which the engine generates: exact and estimated. */
import { join } from "node:path";
import {
  STATS_TEXT_DIMENSIONS,
  type StatsAccuracy,
  type StatsAccuracyChoice,
  type StatsFilter,
  type StatsFunnelBody,
  type StatsQueryBody,
} from "@headwater/contract";
import { connect, type WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { migrate } from "../../apps/server/src/clickhouse/migrate.ts";
import type { WarehouseProcess } from "../../apps/server/src/clickhouse/warehouse.ts";
import { answerFunnel } from "../../apps/server/src/stats/funnel.ts";
import { answerPaths } from "../../apps/server/src/stats/paths.ts";
import { answerProperties } from "../../apps/server/src/stats/properties.ts";
import { answerQuery } from "../../apps/server/src/stats/query.ts";
import { answerRetention } from "../../apps/server/src/stats/retention.ts";
import { createQueryRunner } from "../../apps/server/src/stats/run-query.ts";
import type { EachGoal, QueryGoal } from "../../apps/server/src/stats/sql/goals.ts";
import type { RunQuery } from "../../apps/server/src/stats/sql/run-on.ts";
import { type BenchContext, type BenchSection, figure, median } from "../section.ts";
import { newFolder } from "../server.ts";
import { buildRollups, COMMAND_MS, ENGINE, range, UNTIL, waitForMerges } from "./month.ts";
import { fillScale, type ScaleFill } from "./scale-fill.ts";
import { QUERIES } from "./stats-queries.ts";

const SOURCE_ID = "src_scale";
const MILLION = 1_000_000;
const QUICK_MILLIONS = 0.1;
const ROUNDS = 5;
const ACCURACIES = ["exact", "auto", "fast"] as const;
const MEMORY_POLL_MS = 200;

type Variant = Omit<ScaleFill, "sourceId" | "events"> & { readonly name: string };
const MONTH: Variant = { name: "30 days", days: 30, pages: 500, referrers: 300 };
const MANY_VALUES: Variant = {
  name: "100,000 pages, 10,000 referrers",
  days: 30,
  pages: 100_000,
  referrers: 10_000,
};
const YEAR: Variant = { name: "300 days", days: 300, pages: 500, referrers: 300 };

type ScaleQuery = Pick<StatsQueryBody, "metrics" | "dimensions" | "filters" | "pagination" | "include">;
const SHOWN: readonly (ScaleQuery & { readonly name: string })[] = [
  { name: "top pages", metrics: ["visitors", "pageviews"], dimensions: ["page"], pagination: { limit: 8 } },
  { name: "headline", metrics: ["visitors", "sessions", "pageviews", "bounceRate", "sessionDuration"] },
  { name: "chart", metrics: ["visitors"], dimensions: ["time:day"] },
];
const VALUES: Readonly<Partial<Record<(typeof STATS_TEXT_DIMENSIONS)[number], string>>> = {
  page: "/page/0",
  host: "shop.example",
  event: "event_1",
  sentBy: "browser",
  currency: "EUR",
  entryPage: "/page/0",
  exitPage: "/page/0",
  source: "site-0.example",
  channel: "Direct",
  referrer: "site-0.example",
  utmSource: "newsletter",
  utmMedium: "email",
  utmCampaign: "campaign-1",
  utmTerm: "shoes",
  utmContent: "top",
  clickId: "gclid",
  device: "mobile",
  browser: "Chrome",
  browserVersion: "121",
  os: "iOS",
  osVersion: "14",
  screen: "1920x1080",
  locale: "de-DE",
  country: "C0",
  region: "R1",
  city: "City 1",
};
const isValue = (dimension: (typeof STATS_TEXT_DIMENSIONS)[number]): StatsFilter => ({
  dimension,
  operator: "is",
  value: VALUES[dimension] ?? null,
});

interface Measured {
  readonly name: string;
  readonly ms: number;
  /** Null: the query failed. */
  readonly accuracy: StatsAccuracy | null;
}
type MaybeEstimated = { readonly accuracy?: StatsAccuracy };

/** Runs a query once to warm up, and measures the median of the rounds after that. */
async function measure(name: string, rounds: number, ask: () => Promise<MaybeEstimated>): Promise<Measured> {
  const times: number[] = [];
  let accuracy: StatsAccuracy | null = null;
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    try {
      accuracy = (await ask()).accuracy ?? { exact: true };
    } catch {
      return { name, ms: performance.now() - startedAt, accuracy: null };
    }
    if (round > 0) times.push(performance.now() - startedAt);
  }
  return { name, ms: median(times), accuracy };
}

const describe = ({ ms, accuracy }: Measured): string => {
  if (accuracy === null) return `failed after ${figure(ms)}`;
  if (accuracy.exact) return figure(ms);
  return `${figure(ms)}, 1/${Math.round(1 / accuracy.sample)}`;
};

function describeSlowest(all: readonly Measured[]): string {
  const slowest = all.reduce((most, one) => (one.ms > most.ms ? one : most));
  return `${slowest.name}: ${describe(slowest)}`;
}

interface ScaleRun {
  readonly run: RunQuery;
  readonly days: number;
  readonly rounds: number;
}
const bodyOf = ({ days }: ScaleRun, accuracy: StatsAccuracyChoice) => ({
  sourceId: SOURCE_ID,
  dateRange: [new Date(UNTIL - days * 86_400_000).toISOString(), range[1]] as [string, string],
  timezone: "UTC",
  accuracy,
});
const ask = (
  run: ScaleRun,
  asked: ScaleQuery,
  accuracy: StatsAccuracyChoice,
  goal: QueryGoal | null = null,
) => answerQuery(run.run, { ...bodyOf(run, accuracy), ...asked }, goal, UNTIL);

const STEPS = [
  { event: null, path: "/page/1*", conditions: [], value: null },
  { event: "event_1", path: null, conditions: [], value: null },
];
const PAGE_BOUNCES: ScaleQuery = {
  metrics: ["sessions", "bounceRate"],
  dimensions: ["page"],
  pagination: { limit: 8 },
};
type OtherQuery = (run: ScaleRun, accuracy: StatsAccuracyChoice) => Promise<MaybeEstimated>;
const OTHER_QUERIES: Readonly<Record<string, OtherQuery>> = {
  funnel: (run, accuracy) => answerFunnel(run.run, { ...bodyOf(run, accuracy), steps: [] }, STEPS, UNTIL),
  paths: (run, accuracy) => answerPaths(run.run, bodyOf(run, accuracy), UNTIL),
  retention: (run, accuracy) => answerRetention(run.run, { ...bodyOf(run, accuracy), period: "week" }, UNTIL),
  properties: (run, accuracy) => answerProperties(run.run, bodyOf(run, accuracy), UNTIL),
  "page × bounce": (run, accuracy) => ask(run, PAGE_BOUNCES, accuracy),
};

const GOALS: EachGoal = {
  each: [
    { name: "Sign-up", event: "event_1", path: null, conditions: [], value: null },
    { name: "Pricing", event: null, path: "/page/1*", conditions: [], value: null },
  ],
};
const FIRST_ROWS = { pagination: { limit: 8 } };
const WEEKLY_QUERIES: Readonly<Record<string, ScaleQuery>> = {
  "new and returning visitors": { metrics: ["newVisitors", "returningVisitors"] },
  "by visitor type": { metrics: ["visitors", "sessions"], dimensions: ["visitorType"] },
  "by first source": { metrics: ["visitors"], dimensions: ["firstSource"], ...FIRST_ROWS },
  "rolling visitors": { metrics: ["visitors7Days", "visitors28Days"], dimensions: ["time:day"] },
  "all goals by channel": { metrics: ["conversions", "conversionRate"], dimensions: ["goal", "channel"] },
  "average and p90 of a property": { metrics: ["avg:value", "p90:value"] },
  "entrances and exits": { metrics: ["entrances", "exits", "exitRate"], dimensions: ["page"], ...FIRST_ROWS },
  "first folders": { metrics: ["visitors", "pageviews"], dimensions: ["folder:1"], ...FIRST_ROWS },
  "hour by weekday": { metrics: ["visitors"], dimensions: ["dayOfWeek", "hourOfDay"] },
  "four dimensions with a total": {
    metrics: ["visitors"],
    dimensions: ["channel", "country", "device", "browser"],
    include: { total: true },
    ...FIRST_ROWS,
  },
};
const WEEKLY_FUNNELS: Readonly<Record<string, Partial<StatsFunnelBody>>> = {
  "funnel with times": { include: { times: true } },
  "funnel within a session": { within: "session" },
  "funnel by channel": { dimension: "channel" },
};

async function measureWeekly(run: ScaleRun): Promise<string[]> {
  const row: string[] = [];
  const add = async (name: string, answer: () => Promise<MaybeEstimated>) =>
    row.push(describe(await measure(name, run.rounds, answer)));
  for (const [name, asked] of Object.entries(WEEKLY_QUERIES))
    await add(name, () => ask(run, asked, "auto", asked.dimensions?.includes("goal") ? GOALS : null));
  for (const [name, fields] of Object.entries(WEEKLY_FUNNELS))
    await add(name, () =>
      answerFunnel(run.run, { ...bodyOf(run, "auto"), steps: [], ...fields }, STEPS, UNTIL),
    );
  return row;
}

const TIMES = ["accuracy, ms", "slowest of ten", "ten at once", ...Object.keys(OTHER_QUERIES)];

async function measureTimes(run: ScaleRun, accuracy: StatsAccuracyChoice): Promise<string[]> {
  const each: Measured[] = [];
  for (const { name, body } of QUERIES)
    each.push(await measure(name, run.rounds, () => ask(run, body, accuracy)));
  const all = () => Promise.all(QUERIES.map(({ body }) => ask(run, body, accuracy))).then(() => ({}));
  const together = await measure("", run.rounds, all);
  const row = [accuracy, describeSlowest(each), together.accuracy === null ? "failed" : figure(together.ms)];
  for (const [name, answer] of Object.entries(OTHER_QUERIES))
    row.push(describe(await measure(name, run.rounds, () => answer(run, accuracy))));
  return row;
}

const FILTERS = SHOWN.flatMap(({ name }) => [`filtered ${name} (auto), median ms`, "slowest"]);

/** Each query under a filter on each dimension. */
async function measureFilters(run: ScaleRun): Promise<string[]> {
  const row: string[] = [];
  for (const { name, ...asked } of SHOWN) {
    const all: Measured[] = [];
    for (const dimension of STATS_TEXT_DIMENSIONS) {
      const filters = [isValue(dimension)];
      all.push(await measure(dimension, run.rounds, () => ask(run, { ...asked, filters }, "auto")));
    }
    row.push(figure(median(all.map(({ ms }) => ms))), describeSlowest(all));
  }
  return row;
}

const SIZES = [
  "all rollups built, s",
  "bytes on disk per event (target ≤ 190)",
  "highest memory of the engine, MiB (target ≤ 1,331)",
];

async function bytesPerEvent(client: WarehouseClient, events: number): Promise<string> {
  const query = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()";
  const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return figure(Number(row?.[0]) / events);
}

/** Watches the memory of the engine. @returns ends the watch, and returns the highest value in bytes */
function watchMemory(engine: WarehouseProcess): () => number {
  let highest = 0;
  const timer = setInterval(() => {
    highest = Math.max(highest, engine.residentBytes?.() ?? 0);
  }, MEMORY_POLL_MS);
  return () => {
    clearInterval(timer);
    return highest;
  };
}

interface MeasuredVariant {
  readonly name: string;
  /** A row for each accuracy; `fast` for a month only. */
  readonly times: readonly string[][];
  readonly filters: readonly string[];
  readonly weekly: readonly string[];
  readonly sizes: readonly string[];
}

async function measureVariant(
  { options, say }: BenchContext,
  events: number,
  variant: Variant,
): Promise<MeasuredVariant> {
  const engine = await startEmbedded({ folder: join(newFolder(), "warehouse"), ...ENGINE });
  const endWatch = watchMemory(engine);
  try {
    await migrate(engine.endpoint);
    const client = connect(engine.endpoint, COMMAND_MS);
    await fillScale(client, { ...variant, sourceId: SOURCE_ID, events });
    say(`  ${figure(events)} events, ${variant.name}: written`);
    const startedAt = performance.now();
    await buildRollups(client);
    const buildSeconds = (performance.now() - startedAt) / 1_000;
    say(`  rollups: ${figure(buildSeconds)} s`);
    await waitForMerges(client);
    const signal = new AbortController().signal;
    const warehouse = { state: () => "up" as const, client: () => client };
    const run: ScaleRun = {
      run: createQueryRunner(warehouse)({ organizationId: "org_bench", signal }),
      days: variant.days,
      rounds: options.quick ? 1 : ROUNDS,
    };
    const times: string[][] = [];
    const accuracies = ACCURACIES.filter((accuracy) => variant === MONTH || accuracy !== "fast");
    for (const accuracy of accuracies) times.push(await measureTimes(run, accuracy));
    const filters = await measureFilters(run);
    const weekly = await measureWeekly(run);
    const bytes = await bytesPerEvent(client, events);
    await client.close();
    return {
      name: `${figure(events / MILLION)} M, ${variant.name}`,
      times,
      filters,
      weekly,
      sizes: [figure(buildSeconds), bytes, figure(endWatch() / 1_048_576)],
    };
  } finally {
    endWatch();
    engine.end();
    await engine.ended;
  }
}

export async function scale(context: BenchContext): Promise<BenchSection> {
  const { quick, millions } = context.options;
  const [smallest = 1] = millions;
  const sizes = quick ? [QUICK_MILLIONS] : millions;
  const measured: MeasuredVariant[] = [];
  for (const size of sizes) measured.push(await measureVariant(context, size * MILLION, MONTH));
  for (const variant of quick ? [] : [MANY_VALUES, YEAR])
    measured.push(await measureVariant(context, smallest * MILLION, variant));
  return {
    title: "Queries as events grow",
    date: new Date().toISOString(),
    settings: {
      WAREHOUSE_MEMORY_BYTES: String(ENGINE.memoryBytes),
      WAREHOUSE_THREADS: String(ENGINE.threads),
    },
    tables: [
      {
        columns: ["events", ...TIMES],
        rows: measured.flatMap(({ name, times }) => times.map((row) => [name, ...row])),
      },
      { columns: ["events", ...FILTERS], rows: measured.map(({ name, filters }) => [name, ...filters]) },
      {
        columns: ["question of every week (auto), ms", ...measured.map(({ name }) => name)],
        rows: Object.keys({ ...WEEKLY_QUERIES, ...WEEKLY_FUNNELS }).map((name, at) => [
          name,
          ...measured.map(({ weekly }) => weekly[at] ?? ""),
        ]),
      },
      { columns: ["events", ...SIZES], rows: measured.map((one) => [one.name, ...one.sizes]) },
    ],
    notes: [
      `The engine generates the events: a session has 3.2 of them, and a visitor 1.3 sessions. Times are medians of ${quick ? 1 : ROUNDS} warm rounds. A sample of 1/n follows the time; without one the answer is exact.`,
    ],
    data: { sizes },
  };
}
