/**
 * "Every metric and dimension" of docs/stats-compared.md: each has an example whose figures the service answers, and what other
 * tools do.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import {
  STATS_CLOCK_DIMENSIONS,
  STATS_EVENT_DIMENSIONS,
  STATS_GOAL_DIMENSION,
  STATS_GRAINS,
  STATS_METRICS,
  STATS_PATH_DIMENSIONS,
  STATS_PROPERTY_METRICS,
  STATS_TEXT_DIMENSIONS,
  type StatsFunnelAnswer,
} from "@headwater/contract";
import type { ExampleEvent } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const PROPERTY_METRICS = STATS_PROPERTY_METRICS.map((kind) => `${kind}:<property>`);
const PROPERTY_DIMENSION = "property:<name>";
const TIMES: string[] = STATS_GRAINS.map((grain) => `time:${grain}`);
/** The tools that differ, each with what it does. */
const TOOLS = /^(?:—|All: .+|Only (?:GA4|Matomo): .+|(?:(?:Plausible|Umami|GA4|Matomo)(?:, |: ))+.+)$/;

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8");
const section =
  page("stats-compared")
    .split(/^## /m)
    .find((text) => text.startsWith("Every metric and dimension")) ?? "";

/** The rows of the table with that head: cells by the name in the first one, which may name several in backquotes. */
function rowsOf(head: string): Map<string, string[]> {
  const lines = section.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  assert.notEqual(first, -1, `there is a table of each ${head}`);
  const rows = lines.slice(first + 2);
  const cells = rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\||\|$/g, "").trim()));
  return new Map(
    cells.flatMap(([names = "", ...others]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, others] as const),
    ),
  );
}

const DAY = "2026-05-11";
const at = (time: string) => `${DAY}T${time}.000Z`;
const vitals = (scale: number) => ({
  lcp: 1_000 * scale,
  inp: 100 * scale,
  cls: 0.1 * scale,
  fcp: 500 * scale,
  ttfb: 100 * scale,
});
const ANN = {
  visitor: "Ann",
  device: "desktop",
  browser: "Chrome",
  browserVersion: "141",
  os: "Windows",
  osVersion: "11",
  screen: "1440x900",
  locale: "en-GB",
  country: "GB",
  region: "England",
  city: "London",
};
const MORNING = {
  ...ANN,
  session: "1",
  source: "Google",
  channel: "Organic Search",
  referrer: "www.google.com",
};
const BEN = {
  session: "2",
  visitor: "Ben",
  device: "mobile",
  browser: "Safari",
  browserVersion: "18.6",
  os: "iOS",
  osVersion: "18.6",
  screen: "393x852",
  locale: "de-DE",
  country: "DE",
  region: "Bavaria",
  city: "Munich",
  source: "newsletter",
  channel: "Email",
  utmSource: "newsletter",
  utmMedium: "email",
  utmCampaign: "spring",
  utmTerm: "shoes",
  utmContent: "top",
};
const CLEO = { ...ANN, session: "3", visitor: "Cleo", city: "Leeds" };
const EVENING = {
  ...ANN,
  session: "4",
  source: "Google",
  channel: "Paid Search",
  clickIds: { gclid: "1" },
};
/** The events of the example, as the table of the guide lists them. */
const EVENTS: ExampleEvent[] = [
  { ...MORNING, id: "1", at: at("10:00:00"), page: "/" },
  {
    ...MORNING,
    id: "2",
    at: at("10:00:01"),
    page: "/",
    name: "web_vitals",
    passive: true,
    properties: vitals(1),
  },
  {
    ...MORNING,
    id: "3",
    at: at("10:00:40"),
    page: "/",
    name: "engagement",
    passive: true,
    engagedSeconds: 30,
    scrollDepth: 80,
  },
  { ...MORNING, id: "4", at: at("10:00:40"), page: "/pricing" },
  {
    ...MORNING,
    id: "5",
    at: at("10:02:00"),
    page: "/pricing",
    name: "purchase",
    user: "u1",
    revenue: 20,
    currency: "EUR",
    properties: { plan: "pro", seats: 3 },
  },
  { ...BEN, id: "6", at: at("11:00:00"), page: "/pricing" },
  {
    ...BEN,
    id: "7",
    at: at("11:00:01"),
    page: "/pricing",
    name: "web_vitals",
    passive: true,
    properties: vitals(2),
  },
  {
    ...BEN,
    id: "8",
    at: at("11:00:20"),
    page: "/pricing",
    name: "engagement",
    passive: true,
    engagedSeconds: 8,
    scrollDepth: 40,
  },
  { ...CLEO, id: "9", at: at("12:00:00"), page: "/" },
  {
    ...CLEO,
    id: "10",
    at: at("12:00:10"),
    page: "/",
    name: "engagement",
    passive: true,
    engagedSeconds: 4,
    scrollDepth: 60,
  },
  { ...EVENING, id: "11", at: at("15:00:00"), page: "/", host: "www.shop.example" },
  {
    ...EVENING,
    id: "12",
    at: at("15:00:05"),
    name: "renewal",
    sentBy: "server",
    planViolation: true,
    revenue: 10,
    currency: "USD",
    properties: { plan: "pro" },
  },
  { id: "14", at: "2026-05-05T10:00:00.000Z", session: "6", visitor: "Dan", page: "/" },
  { id: "15", at: "2026-04-14T10:00:00.000Z", session: "7", visitor: "Eve", page: "/" },
  { id: "13", at: at("16:00:00"), session: "5", visitor: "Googlebot", page: "/", isBot: true },
];
const GOALS = [
  { name: "Bought", event: "purchase" },
  { name: "Saw prices", path: "/pricing" },
];

const CONTENT_GROUPS = [{ name: "Sales", paths: ["/pricing*", "/order/*"] }];

let stats: StatsWorld;
let sourceId: string;
before(async () => {
  stats = await openStatsWorld();
  ({ sourceId } = await stats.world.createSource({ goals: GOALS, contentGroups: CONTENT_GROUPS }));
  await stats.insert(sourceId, EVENTS);
});
after(() => stats[Symbol.asyncDispose]());

async function ask(body: Record<string, unknown>): Promise<{ dimensions: unknown[]; metrics: number[] }[]> {
  const query = { sourceId, dateRange: [DAY, "2026-05-12"], ...body };
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body: query });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.results;
}

/** The table has a row for each name, and no others. */
const assertNames = (rows: ReadonlyMap<string, unknown>, names: readonly string[]) =>
  assert.deepEqual(
    [...rows.keys()].sort(),
    [...names].sort(),
    `docs/stats-compared.md lacks ${names.filter((name) => !rows.has(name))}, or has others`,
  );

const PAGE_METRICS = ["entrances", "exits", "exitRate"];
/** The examples of metrics by page are those of one page. */
const OF_HOME = {
  dimensions: ["page"],
  filters: [{ dimension: "page", operator: "is", value: "/" }],
};

test("Every metric has a definition, an example with the figure that the service answers, and what other tools do.", async () => {
  const rows = rowsOf("metric");
  const [, defined = ""] = page("stats").split(/^## /m);
  assertNames(rows, [...STATS_METRICS, ...PROPERTY_METRICS]);
  for (const [name, [example = "", others = ""]] of rows) {
    const property = name.startsWith("sum:") ? "seats" : "lcp";
    const metric = name.replace("<property>", property);
    const ofDay = /Per[WM]au$/.test(name) ? { dimensions: ["time:day"] } : {};
    const asked = PAGE_METRICS.includes(name) ? OF_HOME : ofDay;
    const [row] = await ask({ metrics: [metric], goal: { event: "purchase" }, currency: "EUR", ...asked });
    const [, figure] = /^`([^`]+)`/.exec(example) ?? [];
    assert.equal(String(Number(row?.metrics[0]?.toFixed(3))), figure, name);
    assert.match(others, TOOLS, name);
    assert.ok(defined.includes(`\`${name.replace("<property>", "")}`), `docs/stats.md lacks ${name}`);
  }
});

/** `a` 2, `b` 1, null 3: the value of each group. */
const groupsOf = (example: string): [string, number][] =>
  [...example.split(": ")[0]!.matchAll(/(?:`([^`]+)`|null) ([\d.]+)/g)].map(([, name, figure]) => [
    name ?? "null",
    Number(figure),
  ]);

test("Every dimension has an example with the groups that the service answers, and what other tools do.", async () => {
  const rows = rowsOf("dimension");
  const ofTime = [...TIMES, ...STATS_CLOCK_DIMENSIONS];
  const names = [...STATS_TEXT_DIMENSIONS, ...ofTime, STATS_GOAL_DIMENSION, PROPERTY_DIMENSION];
  assertNames(rows, names);
  const ofEvents: string[] = [
    ...STATS_EVENT_DIMENSIONS,
    ...STATS_PATH_DIMENSIONS,
    PROPERTY_DIMENSION,
    ...ofTime,
  ];
  for (const [name, [example = "", others = ""]] of rows) {
    const dimension = name === PROPERTY_DIMENSION ? "property:plan" : name;
    const ofGoals = name === STATS_GOAL_DIMENSION ? "conversions" : "sessions";
    const metric = ofEvents.includes(name) ? "events" : ofGoals;
    const results = await ask({ metrics: [metric], dimensions: [dimension] });
    const groups = results.map(({ dimensions: [value], metrics: [figure = 0] }): [string, number] => {
      const text = value === sourceId ? "src_…" : String(value);
      return [TIMES.includes(name) ? text.slice(0, "2026-05-11T10:00".length) : text, figure];
    });
    const counted = groups.filter(([, figure]) => figure > 0).sort();
    assert.deepEqual(groupsOf(example).sort(), counted, name);
    assert.match(others, TOOLS, name);
  }
});

test("The funnel of the example has the visitors and seconds that the service answers.", async () => {
  const [, text = ""] = /^## Funnels\n\n(.*?)\n\n/ms.exec(page("stats-compared")) ?? [];
  const [first = "", second = "", third = "", ...written] = [...text.matchAll(/`([^`]+)`/g)].map(
    ([, one = ""]) => one,
  );
  const steps = [{ page: first }, { page: second }, { event: third }];
  const body = { sourceId, dateRange: [DAY, "2026-05-12"], steps, include: { times: true } };
  const reply = await stats.world.ask("/api/stats/funnel", { method: "POST", body });
  const figures = (reply.body as StatsFunnelAnswer).steps.flatMap(({ visitors, seconds }) =>
    seconds ? [visitors, seconds.sincePrevious.median] : [visitors],
  );
  const last = (reply.body as StatsFunnelAnswer).steps.at(-1)?.seconds?.sinceFirst.median;
  assert.deepEqual([...figures, last].map(String), written);
});

test("Every query of the pages is answered as it is written.", async () => {
  const sold = { name: "Sold", event: "purchase" };
  const source = await stats.world.createSource({ goals: [sold] });
  const written = ["api/stats", "stats"].flatMap((name) => [
    ...page(name).matchAll(/^query (\w+) '(\{.*?\})'$/gms),
  ]);
  assert.ok(written.length >= 8, `${written.length} queries`);
  for (const [, route, text = ""] of written) {
    const body = JSON.parse(text.replace("'$SOURCE_ID'", source.sourceId));
    const reply = await stats.world.ask(`/api/stats/${route}`, { method: "POST", body });
    assert.equal(reply.status, 200, `${text}\n${reply.text}`);
  }
});
