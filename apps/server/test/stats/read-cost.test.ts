/** How many rows and bytes the console's queries read, against the events of their range: costs must not creep up. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatsQueryBody } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { DAY_MS, utcDay } from "../../src/core/time.ts";
import { answerQuery } from "../../src/stats/query.ts";
import { readCoverage } from "../../src/stats/rollups/freshness.ts";
import type { RunQuery, RunStatement } from "../../src/stats/sql/run-on.ts";
import type { Statement } from "../../src/stats/sql/statement.ts";
import { runRollupRound } from "../../src/workers/rollups.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";
import { trafficStatement } from "./traffic.ts";

const FIRST_DAY = Date.UTC(2026, 10, 10);
const DAYS = 16;
/** ClickHouse reads blocks of 8,192 rows, so a day has several of them. */
const SESSIONS = 100_000;
const AFTER = FIRST_DAY + DAYS * DAY_MS;

let stats: StatsWorld;
let sourceId = "";
let events = 0;

before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource()).sourceId;
  const traffic = { sourceId, firstDay: FIRST_DAY, days: DAYS, sessions: SESSIONS };
  await stats.client.command({ query: trafficStatement(traffic) });
  while ((await runRollupRound(stats.client, AFTER + 10 * DAY_MS, { minSourceEvents: 1 })) > 0);
  await stats.client.command({ query: "OPTIMIZE TABLE sessionRollups FINAL" });
  await stats.client.command({ query: "OPTIMIZE TABLE eventRollups FINAL" });
  events = await eventsIn(FIRST_DAY, AFTER);
});
after(() => stats[Symbol.asyncDispose]());

async function eventsIn(from: number, to: number): Promise<number> {
  const query = `SELECT count() FROM events WHERE sourceId = '${sourceId}'
    AND toUnixTimestamp64Milli(occurredAt) >= ${from} AND toUnixTimestamp64Milli(occurredAt) < ${to}`;
  const [row] = await (await stats.client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return Number(row?.[0]);
}

interface Cost {
  rows: number;
  bytes: number;
}

/** Runs statements in a format that tells how much ClickHouse has read. */
function countingRun(cost: Cost): RunQuery {
  const run: RunStatement = async <Row extends readonly unknown[]>({ query, parameters }: Statement) => {
    const reply = await stats.client.query({
      query,
      query_params: { ...parameters },
      format: "JSONCompact",
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0, transform_null_in: 0 },
    });
    const { data, statistics } = await reply.json<Row>();
    cost.rows += statistics?.rows_read ?? 0;
    cost.bytes += statistics?.bytes_read ?? 0;
    return data;
  };
  return Object.assign(run, { memoryBytes: SERVER_LIMITS.maxStatsMemoryBytes });
}

type CheckedQuery = Pick<StatsQueryBody, "metrics" | "dimensions" | "filters" | "accuracy">;
async function costOf(
  asked: CheckedQuery,
  range: readonly [number, number] = [FIRST_DAY, AFTER],
): Promise<Cost> {
  const cost = { rows: 0, bytes: 0 };
  const [from, to] = range.map((at) => new Date(at).toISOString());
  const body = {
    sourceId,
    accuracy: "exact" as const,
    dateRange: [from ?? "", to ?? ""] as [string, string],
  };
  await answerQuery(countingRun(cost), { ...body, ...asked, pagination: { limit: 8 } }, null, AFTER);
  return cost;
}

const HEADLINE: CheckedQuery["metrics"] = [
  "visitors",
  "sessions",
  "pageviews",
  "bounceRate",
  "sessionDuration",
];
const isPage = [{ dimension: "page" as const, operator: "is" as const, value: "/0" }];
const isHost = [{ dimension: "host" as const, operator: "is" as const, value: "shop.example" }];
const isSentBy = [{ dimension: "sentBy" as const, operator: "is" as const, value: "browser" }];
const hasEvents = ["event_0", "event_1", "event_2", "event_3"].map((value) => ({
  sessionHas: { dimension: "event" as const, operator: "is" as const, value },
}));
const isReferrer = [{ dimension: "referrer" as const, operator: "is" as const, value: "site-0" }];
/** What each query may read for an event of its range. */
const QUERIES: readonly (CheckedQuery & { name: string; rows: number; bytes: number })[] = [
  { name: "headline", metrics: HEADLINE, rows: 0.55, bytes: 22 },
  { name: "chart", metrics: ["visitors"], dimensions: ["time:day"], rows: 0.55, bytes: 14 },
  { name: "entry pages", metrics: ["sessions"], dimensions: ["entryPage"], rows: 0.55, bytes: 12 },
  { name: "referrers", metrics: ["visitors"], dimensions: ["referrer"], rows: 0.55, bytes: 14 },
  { name: "top pages", metrics: ["visitors"], dimensions: ["page"], rows: 1.1, bytes: 30 },
  {
    name: "a referrer's pages",
    metrics: ["visitors"],
    dimensions: ["page"],
    filters: isReferrer,
    rows: 1.65,
    bytes: 50,
  },
  { name: "a page's headline", metrics: HEADLINE, filters: isPage, rows: 2.75, bytes: 80 },
  {
    name: "a host's pages",
    metrics: ["visitors"],
    dimensions: ["page"],
    filters: isHost,
    rows: 1.15,
    bytes: 40,
  },
  { name: "a host's headline", metrics: HEADLINE, filters: isHost, rows: 2.75, bytes: 80 },
  {
    name: "a sender's chart",
    metrics: ["visitors"],
    dimensions: ["time:day"],
    filters: isSentBy,
    rows: 1.15,
    bytes: 35,
  },
  {
    name: "entrances and exits",
    metrics: ["entrances", "exits", "exitRate"],
    dimensions: ["page"],
    rows: 3.3,
    bytes: 60,
  },
  { name: "sessions with four events", metrics: ["events"], filters: hasEvents, rows: 2.1, bytes: 90 },
  {
    name: "a page's referrers",
    metrics: ["visitors"],
    dimensions: ["referrer"],
    filters: isPage,
    rows: 1.65,
    bytes: 50,
  },
];

for (const { name, rows, bytes, ...asked } of QUERIES)
  test(`${name}: at most ${rows} rows and ${bytes} bytes for each event of the range.`, async (t) => {
    const cost = await costOf(asked);
    t.diagnostic(`${(cost.rows / events).toFixed(2)} rows, ${(cost.bytes / events).toFixed(1)} bytes`);
    assert.ok(cost.rows <= rows * events, `${cost.rows} rows for ${events} events`);
    assert.ok(cost.bytes <= bytes * events, `${cost.bytes} bytes for ${events} events`);
  });

test("A day reads at most half of what all days read.", async () => {
  for (const asked of QUERIES) {
    const day = await costOf(asked, [FIRST_DAY + 3 * DAY_MS, FIRST_DAY + 4 * DAY_MS]);
    const all = await costOf(asked);
    assert.ok(day.rows <= all.rows / 2, `${asked.name}: ${day.rows} rows, and ${all.rows} for all days`);
  }
});

test("Events after the last build cost as much as the events of the days beside them.", async (t) => {
  const before = await costOf({ metrics: HEADLINE });
  const today = { sourceId, firstDay: AFTER - DAY_MS, days: 1, sessions: 1_000 };
  await stats.client.command({ query: trafficStatement(today) });
  const cost = await costOf({ metrics: HEADLINE });
  const near = await eventsIn(AFTER - 3 * DAY_MS, AFTER);
  t.diagnostic(`${cost.rows} rows, ${before.rows} before, ${near} events beside`);
  // the events of these days are looked up four times, and derived once
  assert.ok(
    cost.rows <= 2 * before.rows + 5 * near,
    `${cost.rows} rows, ${before.rows} before, ${near} events beside`,
  );
});

test("To check that older events are unchanged, only the events of days with new ones are read.", async () => {
  const late = { firstDay: AFTER - 5 * DAY_MS, days: 1, sessions: 100, receivedAt: AFTER + 20 * DAY_MS };
  await stats.client.command({ query: trafficStatement({ sourceId, ...late }) });
  const checked: unknown[] = [];
  const run = countingRun({ rows: 0, bytes: 0 });
  const watch: RunStatement = (statement) => {
    if (statement.query.includes("receivedAt <=")) checked.push(...Object.values(statement.parameters));
    return run(statement);
  };
  const period = { from: FIRST_DAY, to: AFTER - 4 * DAY_MS };
  const { coverage } = await readCoverage(watch, sourceId, period);
  const renewed = coverage?.covered.filter(({ newEventDays }) => newEventDays.length > 0) ?? [];
  const lateDay = utcDay(late.firstDay);
  assert.deepEqual(
    renewed.map(({ day, newEventDays }) => [day, newEventDays]),
    [-1, 0, 1].map((offset) => [utcDay(late.firstDay + offset * DAY_MS), [lateDay]]),
  );
  assert.deepEqual(checked.filter(Array.isArray), [[lateDay]]);
});
