/** The margins of averages and percentiles that are estimated, as docs/api/stats.md has them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatsAccuracyChoice, StatsAnswer } from "@headwater/contract";
import { READ_BUDGET } from "../../src/stats/plan.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

/** Each page has its own visitors, so each estimates its figures from another sample. */
const PAGES = 40;
const VISITORS_PER_PAGE = 1_200;
const DAY = "2026-11-11";

const random = (purpose: number, of: string) => `((sipHash64(${purpose}, ${of}) % 1000000 + 0.5) / 1000000)`;
const normal = (purpose: number, of: string) =>
  `(sqrt(-2 * log(${random(purpose, of)})) * cos(2 * pi() * ${random(purpose + 1, of)}))`;
/** Loading times that vary by 90 % of their mean. Those of one visitor are alike, so they tell less than as many visitors would. */
const LCP = `1000 * exp(0.7 * ${normal(1, "visitor")} + 0.3 * ${normal(3, "visitor, load")})`;
/** Most visitors have one to three page loads, some have ten. */
const LOADS = `least(10, 1 - 2 * log(${random(0, "number")}))`;
const pageLoads = (sourceId: string) => `INSERT INTO events
    (analyticsEventId, eventId, type, name, occurredAt, sessionId, anonymousId, page, properties, sourceId)
  SELECT concat('evt_', toString(visitor), '_', toString(load)), toString(load), 'track', 'web_vitals',
    toDateTime64('${DAY} 10:00:00', 3, 'UTC') + load, concat('s', toString(visitor)), concat('v', toString(visitor)),
    tuple('', '', 'shop.example', concat('/', toString(visitor % ${PAGES})), NULL, tuple(NULL, NULL, NULL, NULL, NULL), map(),
      NULL, NULL, NULL),
    concat('{"lcp":', toString(round(${LCP}, 3)), '}'), '${sourceId}'
  FROM (
    SELECT number AS visitor, arrayJoin(range(toUInt32(${LOADS}))) AS load FROM numbers(${PAGES * VISITORS_PER_PAGE})
  )`;

let stats: StatsWorld;
let sourceId = "";
before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource()).sourceId;
  await stats.client.command({ query: pageLoads(sourceId) });
});
after(async () => stats[Symbol.asyncDispose]());

async function ask(metrics: readonly string[], accuracy: StatsAccuracyChoice): Promise<StatsAnswer> {
  const body = { sourceId, dateRange: [DAY, "2026-11-12"], metrics, dimensions: ["page"], accuracy };
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** All numbers of each page, sorted. */
async function numbersByPage(): Promise<Map<string, number[]>> {
  const query = `SELECT page.path, arraySort(groupArray(JSONExtractFloat(properties, 'lcp'))) FROM events
    WHERE sourceId = '${sourceId}' GROUP BY 1`;
  const rows = await stats.client.query({ query, format: "JSONCompactEachRow" });
  return new Map(await rows.json<[string, number[]]>());
}

const rankOf = (value: number, sorted: readonly number[]) =>
  sorted.filter((one) => one <= value).length / sorted.length;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

interface Margin {
  readonly metric: string;
  /** With 10,000 visitors in the sample. */
  readonly margin: number;
  /** The error of an estimate, in the unit of the margin. */
  readonly errorOf: (estimate: number, numbers: readonly number[]) => number;
}
const ofRank = (metric: string, level: number, margin: number): Margin => ({
  metric,
  margin,
  errorOf: (estimate, numbers) => Math.abs(rankOf(estimate, numbers) - level),
});
const MARGINS: readonly Margin[] = [
  {
    metric: "avg:lcp",
    margin: 0.03,
    errorOf: (estimate, numbers) => Math.abs(estimate / mean(numbers) - 1),
  },
  ofRank("median:lcp", 0.5, 0.015),
  ofRank("p90:lcp", 0.9, 0.01),
];

test("19 of 20 estimated averages and percentiles are within their margin, also when the numbers of a visitor are alike.", async (t) => {
  const metrics = ["visitors", ...MARGINS.map(({ metric }) => metric)];
  assert.deepEqual((await ask(metrics, "exact")).accuracy, { exact: true });
  assert.deepEqual((await ask(metrics, "auto")).accuracy, { exact: true }, "the range is small");
  const numbers = await numbersByPage();
  const { events } = READ_BUDGET.eventsPerSecond;
  t.after(() => (READ_BUDGET.eventsPerSecond.events = events));
  READ_BUDGET.eventsPerSecond.events = Math.ceil([...numbers.values()].flat().length / 8);
  const { accuracy, results } = await ask(metrics, "auto");
  assert.deepEqual(accuracy, { exact: false, sample: 1 / 8 });
  assert.equal(results.length, PAGES);
  for (const [index, { metric, margin, errorOf }] of MARGINS.entries()) {
    const within = results.filter(({ dimensions, metrics: [visitors, ...figures] }) => {
      const inSample = Number(visitors) / 8;
      const error = errorOf(Number(figures[index]), numbers.get(String(dimensions[0])) ?? []);
      return error <= margin * Math.sqrt(10_000 / inSample);
    });
    assert.ok(within.length >= 0.95 * PAGES, `${metric}: ${within.length} of ${PAGES} are within the margin`);
  }
});
