/** Who may ask, what is refused and how it is said; nothing that is said becomes a part of a statement. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LIMITS } from "@headwater/contract";
import fc from "fast-check";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { MAX_WORKSPACE_BODY_BYTES } from "../../src/http/input.ts";
import {
  createQueryRunner,
  MAX_ACTIVE_STATS_QUERIES,
  MAX_WAITING_STATS_QUERIES,
} from "../../src/stats/run-query.ts";
import { MAX_STATS_FILTER_CONDITIONS, MAX_STATS_FILTER_DEPTH } from "../../src/stats/sql/filter.ts";
import { statement } from "../../src/stats/sql/statement.ts";
import { mutated } from "../api/mutation.ts";
import { until } from "../support/until.ts";
import { issuesOf, ORGANIZATION_ID, openWorld, refused, type World } from "../support/world.ts";
import type { ExampleEvent } from "./examples.ts";
import { PLACES, queryOf, randomFrom } from "./generated.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const SEED = Number(process.env.STATS_SEED ?? Date.now() & 0x7fffffff);

let stats: StatsWorld;
let sourceId: string;
const AT = "2026-05-10T10:00:00.000Z";
const RANGE = { dateRange: ["2026-05-10", "2026-05-11"] };
const COUNT = { ...RANGE, metrics: ["events"] };

before(async () => {
  stats = await openStatsWorld();
  sourceId = (await stats.world.createSource()).sourceId;
  // a pattern is not looked at where there is nothing to hold it against
  await stats.insert(sourceId, [{ id: "e", at: AT, session: "s", visitor: "v", page: "/" }]);
});
after(() => stats[Symbol.asyncDispose]());

const query = (body: object, world: World = stats.world) =>
  world.ask("/api/stats/query", { method: "POST", body: { sourceId, ...body } });
const count = async (body: object, of = sourceId) => {
  const reply = await query({ ...COUNT, ...body, sourceId: of });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.results[0]?.metrics[0] ?? 0;
};

/** Every question there is, of one source. */
const QUESTIONS: [path: string, body: object | null][] = [
  ["query", COUNT],
  ["funnel", { ...RANGE, steps: [{ event: "a" }, { page: "/b" }] }],
  ["retention", { ...RANGE, period: "day" }],
  ["paths", RANGE],
  ["properties", RANGE],
  ["live", null],
  ["host-split", null],
];
const askAll = async (world: World, of: string, token?: string) => {
  const replies = [];
  for (const [path, body] of QUESTIONS) {
    const asked = { method: "POST", ...(token ? { token } : {}), body: { sourceId: of, ...body } };
    replies.push(
      body === null
        ? await world.ask(`/api/stats/${path}?sourceId=${of}`, token ? { token } : {})
        : await world.ask(`/api/stats/${path}`, asked),
    );
  }
  return replies;
};

test("A viewer may run every query; a user who is no member gets 403, and an unknown source 404.", async () => {
  const { world } = stats;
  const viewer = (await world.serviceAccount("viewer")).token;
  for (const { status, body } of await askAll(world, sourceId, viewer))
    assert.equal(status, 200, JSON.stringify(body));
  const organizationId = await world.workspace();
  const stranger = (await world.serviceAccount("viewer", organizationId)).token;
  for (const reply of await askAll(world, sourceId, stranger)) refused(reply, 403, "not_a_member");
  for (const reply of await askAll(world, "src_nobody", viewer)) refused(reply, 404, "source_not_found");
  refused(await query({ ...COUNT, organizationId }), 404, "source_not_found");
  assert.deepEqual(issuesOf(await world.ask("/api/stats/live")), ["sourceId: required"]);
  assert.deepEqual(issuesOf(await query({ ...COUNT, sourceId: 1 })), ["sourceId: invalid_type"]);
});

test("The properties query returns names that property:<name> accepts, most frequent first.", async () => {
  const { sourceId: of } = await stats.world.createSource();
  const event = { session: "s", visitor: "v" };
  await stats.insert(of, [
    { ...event, id: "a", at: AT, name: "buy", properties: { plan: "pro", cart: { items: 2 }, "a.b": 1 } },
    { ...event, id: "b", at: AT, name: "buy", properties: { plan: "free", list: [{ items: 1 }], empty: [] } },
    { ...event, id: "c", at: AT, name: "leave", properties: { why: "price", nothing: null, tags: ["a"] } },
    { ...event, id: "d", at: AT, name: "leave", properties: { plan: 1 }, isBot: true },
    { ...event, id: "e", at: "2026-05-11T10:00:00.000Z", name: "buy", properties: { later: 1 } },
    { ...event, id: "f", at: AT, name: "buy", properties: { "a.:`Int64`": 1, "": 1 } },
    { ...event, id: "g", at: AT, name: "seen", passive: true, properties: { lcp: 1, plan: "pro" } },
  ]);
  const asked = async (body: object) => {
    const question = { sourceId: of, ...RANGE, ...body };
    const reply = await stats.world.ask("/api/stats/properties", { method: "POST", body: question });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.properties.map(({ name, events }: { name: string; events: number }) => [name, events]);
  };
  const all = await asked({});
  assert.deepEqual(all, [
    ["plan", 2],
    ["a.:`Int64`", 1],
    ["a.b", 1],
    ["cart.items", 1],
    ["why", 1],
    ["lcp", 0],
  ]);
  const left = { filters: [{ dimension: "event", operator: "is", value: "leave" }] };
  assert.deepEqual(await asked(left), [["why", 1]]);
  assert.deepEqual(await asked({ include: { bots: true }, limit: 1 }), [["plan", 3]]);
  for (const [name] of all) {
    const filters = [{ not: { dimension: `property:${name}`, operator: "is", value: null } }];
    assert.ok((await count({ filters, metrics: ["visitors"] }, of)) > 0, String(name));
  }
});

test("A property is read by its name, whatever else the event has.", async () => {
  const { sourceId: of } = await stats.world.createSource();
  const values: [
    properties: Record<string, unknown>,
    name: string,
    value: string | number | boolean | null,
  ][] = [
    [{ a: { b: 2 }, "a.b": 1 }, "a.b", 1],
    [{ a: { b: 2 } }, "a.b", 2],
    [{ "a.b": { c: true } }, "a.b.c", true],
    [{ a: { "b.c": "x" }, c: 1 }, "a.b.c", "x"],
    [{ a: { b: { c: { d: { e: 5 } } } } }, "a.b.c.d.e", 5],
    [{ inner: { plan: "no" }, plan: "yes" }, "plan", "yes"],
    [{ inner: { plan: "no" } }, "plan", null],
    [{ big: 1e20, plan: "pro", list: [2 ** 64, { x: -(2 ** 64) }] }, "plan", "pro"],
    [{ big: 1e20, tiny: 5e-324 }, "big", 1e20],
    [{ 'q"\\\n/é\u2028': 'v"\\\n/é\u2028😀' }, 'q"\\\n/é\u2028', 'v"\\\n/é\u2028😀'],
    [{ "a.:`Int64`": -0.5 }, "a.:`Int64`", -0.5],
    [JSON.parse('{"__proto__": "p"}'), "__proto__", "p"],
    [{ plan: "" }, "plan", ""],
    [{ plan: [1] }, "plan", null],
    [{ plan: null }, "plan", null],
  ];
  const events = values.map(([properties], index) => ({
    session: "s",
    visitor: "v",
    id: `e${index}`,
    at: AT,
    name: `event ${index}`,
    properties,
  }));
  await stats.insert(of, events);
  for (const [index, [, name, value]] of values.entries()) {
    const filters = [{ dimension: "event", operator: "is", value: `event ${index}` }];
    const body = { sourceId: of, ...RANGE, metrics: ["events"], dimensions: [`property:${name}`], filters };
    const { body: answer } = await query(body);
    assert.deepEqual(answer.results[0]?.dimensions, [value], `${index}: ${name}`);
    const same = { dimension: `property:${name}`, operator: "is", value };
    assert.equal(await count({ filters: [...filters, same] }, of), 1, `${index}: filter`);
  }
});

test("Without a warehouse, or while it does not answer, every query is refused with a hint.", async () => {
  await using off = await openWorld();
  const source = await off.createSource();
  for (const reply of await askAll(off, source.sourceId)) {
    refused(reply, 503, "warehouse_off");
    assert.match(reply.body.hint, /WAREHOUSE=embedded/);
  }
  await using away = await openWorld({ WAREHOUSE: "", CLICKHOUSE_URL: "http://127.0.0.1:9" });
  const other = await away.createSource();
  for (const reply of await askAll(away, other.sourceId)) refused(reply, 503, "warehouse_unavailable");
});

const WRONG: [what: object, ...issues: string[]][] = [
  [{ timezone: "Mars/Olympus" }, "timezone: invalid_value"],
  [{ timezone: "+01:00" }, "timezone: invalid_value"],
  [{ dateRange: "fortnight" }, "dateRange: invalid_value"],
  [{ dateRange: ["2026-02-30", "2026-03-02"] }, "dateRange.0: invalid_value"],
  [{ dateRange: ["2026-02-28", "2026-02-30T00:00:00Z"] }, "dateRange.1: invalid_value"],
  [{ dateRange: ["2026-03-01", "2026-03-02T00:00:00"] }, "dateRange.1: invalid_value"],
  [{ dateRange: ["2026-03-02", "2026-03-02"] }, "dateRange: invalid_value"],
  [{ dateRange: ["1971-01-01", "2199-03-02"] }, "dateRange: invalid_value"],
  [{ dateRange: ["0001-01-01", "0001-03-02"] }, "dateRange: invalid_value"],
  [{ metrics: [] }, "metrics: too_short"],
  [{ metrics: ["visitors", "DROP TABLE events"] }, "metrics.1: invalid_value"],
  [{ metrics: ["conversionRate"] }, "goal: required"],
  [{ metrics: ["visitors", "revenue"] }, "metrics.1: invalid_value"],
  [{ goal: {} }, "goal: too_short"],
  [{ attribution: { model: "lastTouch" } }, "attribution.model: invalid_value"],
  [{ attribution: { model: "firstTouch", windowDays: 91 } }, "attribution.windowDays: invalid_value"],
  [{ attribution: { model: "session", windowDays: 7 } }, "attribution.windowDays: invalid_value"],
  [
    { attribution: { model: "firstTouch" }, metrics: ["visitors", "sessions"], dimensions: ["page"] },
    "dimensions: invalid_value",
    "metrics.1: invalid_value",
  ],
  [{ dimensions: ["page) FROM system.tables --"] }, "dimensions.0: invalid_value"],
  [{ dimensions: ["time:day", "time:hour"] }, "dimensions: invalid_value"],
  [{ dimensions: ["time:minute"], dateRange: ["2026-03-01", "2026-03-03"] }, "dimensions: too_many"],
  [{ metrics: ["visitors7Days"], dimensions: ["time:hour"] }, "dimensions: invalid_value"],
  [{ metrics: ["wauPerMau"], dimensions: ["time:day", "dayOfWeek"] }, "dimensions: invalid_value"],
  [{ metrics: ["dauPerWau"], dimensions: ["time:week"] }, "dimensions: required"],
  [{ metrics: ["visitors28Days"], dimensions: ["goal"] }, "metrics.0: invalid_value"],
  [
    { metrics: ["visitors7Days"], dimensions: ["channel"], attribution: { model: "firstTouch" } },
    "metrics.0: invalid_value",
  ],
  [{ orderBy: [{ field: "visitors", direction: "asc" }] }, "orderBy.0.field: invalid_value"],
  [{ filters: [{ dimension: "page", operator: "is" }] }, "filters.0.value: required"],
  [
    { filters: [{ dimension: "time:day", operator: "is", value: "x" }] },
    "filters.0.dimension: invalid_value",
  ],
  [{ filters: [{ dimension: "page", operator: "is", value: 1 }] }, "filters.0.value: invalid_value"],
  [{ filters: [{ dimension: "page", operator: "in", value: "/a" }] }, "filters.0.value: invalid_value"],
  [{ filters: [{ dimension: "page", operator: "gt", value: 1 }] }, "filters.0: invalid_value"],
  [{ filters: [{ dimension: "property:a", operator: "gt", value: "1" }] }, "filters.0.value: invalid_value"],
  [{ filters: [{ dimension: "page", operator: "like", value: "1" }] }, "filters.0.operator: invalid_value"],
  [{ filters: [{ and: [], not: {} }] }, "filters.0.and: too_short"],
  [
    { filters: [{ not: { dimension: "host", operator: "is", value: "a" }, dimension: "page" }] },
    "filters.0: invalid_value",
  ],
  [{ filters: [{ dimension: "page", operator: "matches", value: "(" }] }, "filters: invalid_value"],
  [{ filters: [{ dimension: "page", operator: "matches", value: "a\\" }] }, "filters.0.value: invalid_value"],
  [
    { filters: [{ dimension: "page", operator: "matches", value: "a".repeat(301) }] },
    "filters.0.value: invalid_value",
  ],
  [
    {
      filters: [
        {
          not: { not: { not: { not: { not: { not: { dimension: "page", operator: "is", value: "" } } } } } },
        },
      ],
    },
    "filters.0.not.not.not.not.not.not: invalid_value",
  ],
  [
    { filters: Array(3).fill({ or: Array(20).fill({ dimension: "page", operator: "is", value: "/" }) }) },
    "filters: too_many",
  ],
  [{ pagination: { limit: 1501 } }, "pagination.limit: invalid_value"],
  [{ include: { robots: true } }, "include.robots: unknown_field"],
];

test("An invalid query is refused, the issues name each wrong field, and no error is logged.", async () => {
  const logged = stats.world.logged.length;
  for (const [what, ...issues] of WRONG)
    assert.deepEqual(issuesOf(await query({ ...COUNT, ...what })), issues, JSON.stringify(what));
  assert.deepEqual(stats.world.logged.slice(logged), []);
});

test("A filter that is nested thousands of levels deep is refused and does not crash the service.", async () => {
  const deep = `${'{"not":'.repeat(7_000)}{}${"}".repeat(7_000)}`;
  const body = JSON.stringify({ sourceId, ...COUNT, filters: ["DEEP"] }).replace('"DEEP"', deep);
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
  assert.deepEqual(issuesOf(reply), [": invalid_value"]);
});

const nested = (depth: number): object =>
  depth === 1 ? { dimension: "page", operator: "is", value: "/" } : { not: nested(depth - 1) };

test("The depth and the number of filters are limited.", async () => {
  const { maxStatsFilters: wide } = LIMITS;
  assert.equal((await query({ ...COUNT, filters: [nested(MAX_STATS_FILTER_DEPTH)] })).status, 200);
  const deeper = await query({ ...COUNT, filters: [nested(MAX_STATS_FILTER_DEPTH + 1)] });
  assert.match(
    JSON.stringify(deeper.body.issues),
    new RegExp(`nest at most ${MAX_STATS_FILTER_DEPTH} levels`),
  );

  const leaves = (count: number) => {
    const lists = Array.from({ length: Math.ceil(count / wide) }, (_, at) =>
      Array.from({ length: Math.min(wide, count - at * wide) }, () => nested(1)),
    );
    return lists.map((or) => ({ or }));
  };
  assert.equal((await query({ ...COUNT, filters: leaves(MAX_STATS_FILTER_CONDITIONS) })).status, 200);
  const more = await query({ ...COUNT, filters: leaves(MAX_STATS_FILTER_CONDITIONS + 1) });
  assert.match(
    JSON.stringify(more.body.issues),
    new RegExp(`at most ${MAX_STATS_FILTER_CONDITIONS} filters, nested ones included`),
  );
});

test("The largest query that the limits admit is answered, and a larger body is refused.", async () => {
  const { maxStatsFilters: wide, maxStatsValueLength } = LIMITS;
  const leaf = { dimension: "page", operator: "is", value: "x".repeat(maxStatsValueLength) };
  const lists = (one: object) => ({ or: Array(wide).fill(one) });
  const filters = [
    lists({ sessionHas: leaf }),
    lists(leaf),
    { or: Array(MAX_STATS_FILTER_CONDITIONS - 2 * wide).fill(leaf) },
  ];
  const metrics = ["visitors", "users", "sessions", "pageviews", "events", "viewsPerSession", "bounceRate"];
  const dimensions = ["entryPage", "device", "time:day"];
  const largest = { ...COUNT, metrics: [...metrics, "sessionDuration"], dimensions, filters };
  const { status, body } = await query(largest);
  assert.equal(status, 200, JSON.stringify(body));
  const longer = {
    ...largest,
    include: { bots: false },
    timezone: "x".repeat(MAX_WORKSPACE_BODY_BYTES),
  };
  assert.equal((await query(longer)).status, 413);
});

const HOSTILE = [
  "'",
  "\\",
  "\\'",
  "'; DROP TABLE events; --",
  "`",
  '"',
  "{p0:String}",
  "{p0:Identifier}",
  "a\tb\nc\r",
  "/* */ -- #",
  "\\N",
  "NULL",
  "%_*",
  "🙂'",
  "]) OR 1=1 --",
  "\u0001\u0008\u000c\u007f",
  "x".repeat(150),
];

test("Names and values with special characters are found as they are.", async () => {
  const { sourceId: own } = await stats.world.createSource();
  await stats.insert(
    own,
    HOSTILE.map(
      (text, index): ExampleEvent => ({
        id: `e${index}`,
        at: AT,
        session: `s${index}`,
        visitor: text,
        name: text,
        page: `/${text}`,
        utmSource: text,
        properties: { [text]: text, all: text },
      }),
    ),
  );
  for (const text of HOSTILE) {
    const where = JSON.stringify(text);
    const filters = [
      { dimension: "event", operator: "is", value: text },
      { dimension: "event", operator: "in", value: [text, "nothing"] },
      { dimension: "page", operator: "contains", value: `/${text}` },
      { dimension: "utmSource", operator: "is", value: text },
      { dimension: "property:all", operator: "is", value: text },
      { dimension: `property:${text}`, operator: "is", value: text },
    ];
    assert.equal(await count({ filters }, own), 1, where);
    const { body } = await query({
      ...COUNT,
      sourceId: own,
      dimensions: [`property:${text}`],
      metrics: [`sum:${text}`, "events"],
    });
    assert.deepEqual(
      body.results.map(({ dimensions }: { dimensions: unknown[] }) => dimensions[0]).sort(),
      [null, text].sort(),
      where,
    );
    const funnel = await stats.world.ask("/api/stats/funnel", {
      method: "POST",
      body: { sourceId: own, ...RANGE, steps: [{ event: text }, { event: "never" }] },
    });
    assert.deepEqual(
      funnel.body.steps.map(({ visitors }: { visitors: number }) => visitors),
      [1, 0],
      where,
    );
  }
  const all = await query({ ...COUNT, sourceId: own, dimensions: ["event"] });
  assert.deepEqual(
    all.body.results.map(({ dimensions }: { dimensions: string[] }) => dimensions[0]).sort(),
    [...HOSTILE].sort(),
  );
});

test("A query counts only its source's events, although another source has the same sessions and visitors.", async () => {
  const [one, other] = [await stats.world.createSource(), await stats.world.createSource()];
  const event = (id: string, page: string): ExampleEvent => ({
    id,
    at: AT,
    session: "same",
    visitor: "same",
    page,
  });
  await stats.insert(one.sourceId, [event("1", "/one")]);
  await stats.insert(other.sourceId, [event("0", "/other"), event("2", "/two")]);
  const { body } = await query({
    ...RANGE,
    sourceId: one.sourceId,
    metrics: ["visitors", "sessions", "pageviews", "bounceRate"],
    dimensions: ["entryPage", "exitPage"],
  });
  assert.deepEqual(
    body.results.map(({ dimensions, metrics }: { dimensions: unknown; metrics: unknown }) => [
      dimensions,
      metrics,
    ]),
    [
      [
        ["/one", "/one"],
        [1, 1, 1, 1],
      ],
    ],
  );
  const sessionHas = { dimension: "page", operator: "is", value: "/two" };
  assert.equal(await count({ filters: [{ sessionHas }] }, one.sourceId), 0);
});

test("Each row of a time series says whether its bucket is over and lies in the range as a whole.", async () => {
  const completeOf = async (body: object) => {
    const reply = await query({ metrics: ["events"], ...body });
    return reply.body.results.map(({ complete }: { complete: unknown }) => complete);
  };
  stats.setNow(Date.parse("2026-05-10T12:30:00.000Z"));
  // Wednesday to Monday: the first week is cut by the range, the second one is not over
  const weeks = { dateRange: ["2026-04-29", "2026-05-11"], dimensions: ["time:week"] };
  assert.deepEqual(await completeOf(weeks), [false, false]);
  const hours = { dateRange: ["2026-05-10T11:00:00Z", "2026-05-10T14:00:00Z"], dimensions: ["time:hour"] };
  assert.deepEqual(await completeOf(hours), [true, false, false]);
  assert.deepEqual(await completeOf(RANGE), [null], "without a time dimension");
  stats.setNow(Date.parse("2026-05-11T00:00:00.000Z"));
  assert.deepEqual(await completeOf(weeks), [false, true]);
});

test("A range can begin years before the first event, so that a query finds it.", async () => {
  const dateRange = ["2010-01-01", "2026-06-01"];
  assert.equal(await count({ dateRange }), 1);
  const months = (await query({ dateRange, metrics: ["events"], dimensions: ["time:month"] })).body.results;
  const found = months.find(({ metrics: [events] }: { metrics: number[] }) => events === 1);
  assert.deepEqual([months.length, found.dimensions], [197, ["2026-05-01T00:00:00.000Z"]]);
});

test("A comparison needs a dateRange for the mode custom, and for no other mode.", async () => {
  const issuesWith = async (comparison: object) =>
    issuesOf(await query({ ...COUNT, include: { comparison } }));
  const misplaced = ["include.comparison.dateRange: invalid_value"];
  assert.deepEqual(await issuesWith({ mode: "custom" }), misplaced);
  assert.deepEqual(await issuesWith({ mode: "year", dateRange: RANGE.dateRange }), misplaced);
  const unreadable = ["include.comparison.dateRange.0: invalid_value"];
  assert.deepEqual(await issuesWith({ mode: "custom", dateRange: ["x", "2026-05-11"] }), unreadable);
});

test("The dimension goal lists each goal of the source with its conversions, also those without any, and by other dimensions.", async () => {
  const { world } = stats;
  const goals = [
    { name: "Read", path: "/docs/*" },
    { name: "Bought", event: "buy" },
    {
      name: "Bought much",
      event: "buy",
      conditions: [
        { property: "price", operator: "gt", value: 100 },
        { property: "plan", operator: "is_not", value: "trial" },
      ],
    },
    { name: "Called", event: "call" },
  ];
  const { sourceId: shop } = await world.createSource({ goals });
  const at = (minute: number) => `2026-05-10T10:0${minute}:00.000Z`;
  const buys = (id: string, visitor: string, properties: Record<string, unknown>): ExampleEvent => ({
    id,
    at: at(5),
    session: `s-${visitor}`,
    visitor,
    name: "buy",
    properties,
  });
  await stats.insert(shop, [
    ...["v1", "v2", "v3", "v4"].map((visitor) => ({
      id: `view-${visitor}`,
      at: at(1),
      session: `s-${visitor}`,
      visitor,
      page: visitor === "v4" ? "/docs/a" : "/",
    })),
    buys("b1", "v1", { price: 120, plan: "pro" }),
    buys("b2", "v1", { price: 80, plan: "pro" }),
    buys("b3", "v2", { price: 500, plan: "trial" }),
    buys("b4", "v2", { price: 500 }),
  ]);
  const ask = async (body: object) => {
    const reply = await query({ ...RANGE, sourceId: shop, dimensions: ["goal"], ...body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const metrics = ["conversions", "conversionRate", "visitors"];
  const rowsOf = ({ results }: { results: { dimensions: unknown[]; metrics: unknown[] }[] }) =>
    results.map((row) => [...row.dimensions, ...row.metrics]);
  assert.deepEqual(rowsOf(await ask({ metrics })), [
    ["Bought", 4, 0.5, 2],
    // b1 and b4: an event without the property has another plan than trial
    ["Bought much", 2, 0.5, 2],
    ["Read", 1, 0.25, 1],
    ["Called", 0, 0, 0],
  ]);
  const byPage = { metrics: [...metrics, "sessionConversionRate"], dimensions: ["entryPage", "goal"] };
  assert.deepEqual(rowsOf(await ask(byPage)), [
    ["/", "Bought", 4, 2 / 3, 2, 2 / 3],
    ["/", "Bought much", 2, 2 / 3, 2, 2 / 3],
    ["/docs/a", "Read", 1, 1, 1, 1],
  ]);
  const byName = await ask({
    metrics: ["visitors"],
    orderBy: [{ field: "goal", direction: "desc" }],
    pagination: { limit: 2, offset: 1 },
  });
  assert.deepEqual(rowsOf(byName), [
    ["Called", 0],
    ["Bought much", 2],
  ]);
  assert.equal(byName.nextOffset, 3);
  const compared = await ask({
    dateRange: ["2026-05-11", "2026-05-12"],
    metrics: ["conversions"],
    include: { comparison: true },
  });
  assert.deepEqual(
    compared.results.map(({ comparison }: { comparison: unknown }) => comparison),
    [[4], [2], [0], [1]],
  );
  // the same conditions apply where a query names the goal
  const named = { ...RANGE, sourceId: shop, metrics: ["conversions"], goal: { name: "Bought much" } };
  assert.deepEqual((await query(named)).body.results[0].metrics, [2]);

  const refusedFor = async (body: object) =>
    issuesOf(await query({ ...RANGE, sourceId: shop, dimensions: ["goal"], metrics, ...body }));
  assert.deepEqual(await refusedFor({ metrics: ["sessions"] }), ["metrics.0: invalid_value"]);
  const ofSessions = { metrics: ["sessionConversionRate"] };
  const inEuros = { dimension: "currency", operator: "is", value: "EUR" };
  for (const body of [{ dimensions: ["goal", "currency"] }, { filters: [inEuros] }])
    assert.deepEqual(await refusedFor({ ...ofSessions, ...body }), ["metrics.0: invalid_value"]);
  const byTouch = { attribution: { model: "firstTouch" } };
  assert.deepEqual(await refusedFor(byTouch), ["dimensions: invalid_value"]);
  assert.deepEqual(await refusedFor({ metrics: ["revenue"] }), ["metrics.0: invalid_value"]);
  assert.deepEqual(await refusedFor({ goal: { event: "buy" } }), ["goal: invalid_value"]);
  assert.deepEqual(await refusedFor({ orderBy: [{ field: "page", direction: "asc" }] }), [
    "orderBy.0.field: invalid_value",
  ]);
  const byGoal = { dimension: "goal", operator: "is", value: "Read" };
  assert.deepEqual(await refusedFor({ filters: [byGoal] }), ["filters.0.dimension: invalid_value"]);
});

test("A total has the figures of all rows, other those that are not on the page, and each row has its share.", async () => {
  const { sourceId: shop } = await stats.world.createSource();
  const view = (id: string, visitor: string, page: string): ExampleEvent => ({
    ...{ id, at: AT, session: `s-${visitor}`, visitor, page },
  });
  await stats.insert(shop, [
    ...["1", "2", "3"].map((id) => view(id, `v${id}`, "/a")),
    view("4", "v1", "/b"),
    view("5", "v1", "/c"),
    view("6", "v2", "/c"),
  ]);
  const ask = async (body: object) => {
    const asked = {
      ...RANGE,
      sourceId: shop,
      metrics: ["visitors", "pageviews", "viewsPerSession"],
      ...body,
    };
    return query({ dimensions: ["page"], include: { total: true }, ...asked });
  };
  const { body } = await ask({ pagination: { limit: 1 } });
  assert.deepEqual(body.total, { metrics: [3, 6, 2], comparison: null });
  // v1 saw both of the other pages
  assert.deepEqual(body.other, { metrics: [2, 3, 1.5], comparison: null });
  assert.deepEqual(body.results[0].share, [1, 0.5, null]);
  const whole = (await ask({ include: { total: true, comparison: true } })).body;
  assert.deepEqual([whole.total.comparison, whole.other], [[0, 0, null], null]);
  const plain = (await ask({ include: {} })).body;
  assert.deepEqual([plain.total, plain.other, plain.results[0].share], [null, null, null]);

  const refused = ["include.total: invalid_value"];
  assert.deepEqual(issuesOf(await ask({ metrics: ["entrances"] })), refused);
  assert.deepEqual(issuesOf(await ask({ metrics: ["visitors"], dimensions: ["goal"] })), refused);
  const inAll = { metrics: ["revenue"], dimensions: ["currency"] };
  assert.deepEqual(issuesOf(await ask(inAll)), ["metrics.0: invalid_value"]);
});

test("A rolling metric has a total, of the last day; by time it has no share and no figure of the other rows.", async () => {
  const { sourceId: shop } = await stats.world.createSource();
  const view = (id: string, day: string, visitor: string): ExampleEvent => ({
    ...{ id, at: `${day}T10:00:00.000Z`, session: `s${id}`, visitor, page: "/", country: "DE" },
  });
  await stats.insert(shop, [
    view("1", "2026-05-01", "v1"),
    view("2", "2026-05-06", "v2"),
    view("3", "2026-05-09", "v3"),
  ]);
  const ask = async (body: object) => {
    const asked = { sourceId: shop, dateRange: ["2026-05-07", "2026-05-10"], include: { total: true } };
    return (await query({ ...asked, metrics: ["visitors", "visitors7Days"], ...body })).body;
  };
  const metrics = ["visitors", "visitors7Days", "dauPerWau"];
  const byDay = await ask({ metrics, dimensions: ["time:day"], pagination: { limit: 1 } });
  assert.deepEqual(byDay.results[0].metrics, [0, 2, 0]);
  assert.deepEqual(byDay.results[0].share, [0, null, null]);
  assert.deepEqual(
    [byDay.total.metrics, byDay.other.metrics],
    [
      [1, 2, null],
      [1, null, null],
    ],
  );
  const byCountry = await ask({ dimensions: ["country"] });
  assert.deepEqual(byCountry.results[0].share, [1, 1]);
  const others = await ask({ dimensions: ["country"], pagination: { limit: 1, offset: 1 } });
  assert.deepEqual(others.other.metrics, [1, 2]);
});

test("Filters on the clock take whole numbers of its range, with is, is_not and in.", async () => {
  const issuesWith = async (dimension: string, operator: string, value: unknown) =>
    issuesOf(await query({ ...COUNT, filters: [{ dimension, operator, value }] }));
  assert.deepEqual(await issuesWith("hourOfDay", "gt", 3), ["filters.0: invalid_value"]);
  for (const value of [24, 1.5, "3", null])
    assert.deepEqual(await issuesWith("hourOfDay", "is", value), ["filters.0.value: invalid_value"]);
  assert.deepEqual(await issuesWith("dayOfWeek", "in", [0, 1]), ["filters.0.value: invalid_value"]);
});

test("A query can name a goal of its source; an unknown name is refused.", async () => {
  const { world } = stats;
  const source = await world.createSource();
  const goals = [
    { name: "Sold", event: "purchase", path: null },
    { name: "Thanked", event: null, path: "/thanks*" },
  ];
  const patched = await world.ask(`/api/tracking-sources/${source.sourceId}`, {
    method: "PATCH",
    body: { organizationId: ORGANIZATION_ID, goals },
  });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
  const seen = { at: AT, page: "/thanks/1" };
  await stats.insert(source.sourceId, [
    { id: "1", session: "s1", visitor: "v1", ...seen },
    { id: "2", session: "s2", visitor: "v2", ...seen, page: "/" },
    { id: "3", session: "s2", visitor: "v2", ...seen, name: "purchase" },
    { id: "4", session: "s3", visitor: "v3", ...seen, page: "/" },
    { id: "5", session: "s4", visitor: "v4", ...seen, page: "/" },
  ]);
  const asked = { sourceId: source.sourceId, ...RANGE, metrics: ["conversionRate"] };
  for (const name of ["Sold", "Thanked"]) {
    const { body } = await query({ ...asked, goal: { name } });
    assert.deepEqual(body.results[0]?.metrics, [0.25], name);
  }
  const steps = [{ name: "Sold" }, { name: "Thanked" }];
  const path = "/api/stats/funnel";
  const funnel = await world.ask(path, {
    method: "POST",
    body: { sourceId: source.sourceId, ...RANGE, steps },
  });
  assert.deepEqual(
    funnel.body.steps.map(({ visitors }: { visitors: number }) => visitors),
    [1, 0],
  );
  assert.deepEqual(issuesOf(await query({ ...asked, goal: { name: "Lost" } })), ["goal.name: invalid_value"]);
});

test("A path is accepted as people read it and in any percent-encoding, wherever a question takes one.", async () => {
  const { world } = stats;
  const events: ExampleEvent[] = [
    { id: "1", at: AT, session: "s1", visitor: "v1", page: "/%C3%BCber/uns" },
    { id: "2", at: "2026-05-10T10:00:01.000Z", session: "s1", visitor: "v1", page: "/a%20b" },
  ];
  for (const lowerCase of [false, true])
    for (const form of [
      "/über/uns",
      "/%C3%BCber/uns",
      "/%c3%bc%62er/uns",
      ...(lowerCase ? ["/ÜBER/Uns"] : []),
    ]) {
      const goals = [{ name: "Read", path: form }];
      const { sourceId: of } = await world.createSource({ goals, pathRules: { lowerCase } });
      await stats.insert(of, events);
      const ask = async (path: string, body: object) =>
        (await world.ask(`/api/stats/${path}`, { method: "POST", body: { sourceId: of, ...RANGE, ...body } }))
          .body;
      const metrics = ["conversions"];
      assert.deepEqual((await ask("query", { metrics, dimensions: ["goal"] })).results[0].metrics, [1], form);
      for (const goal of [
        { name: "Read" },
        { page: form },
        { page: form.replace("/uns", "*").replace("/Uns", "*") },
      ])
        assert.deepEqual(
          (await ask("query", { metrics, goal })).results[0].metrics,
          [1],
          JSON.stringify(goal),
        );
      const { steps } = await ask("funnel", { steps: [{ page: form }, { page: "/a b" }] });
      assert.deepEqual(
        steps.map((one: { visitors: number }) => one.visitors),
        [1, 1],
        form,
      );
      const first = { step: 1, from: "/%C3%BCber/uns", to: "/a%20b", sessions: 1 };
      assert.deepEqual((await ask("paths", { steps: 1, startPage: form })).paths, [first]);
      assert.deepEqual((await ask("paths", { steps: 1, through: [form] })).paths, [first]);
      if (form.startsWith("/Ü")) continue;
      for (const filter of [
        { dimension: "page", operator: "is", value: form },
        { dimension: "page", operator: "in", value: [form] },
        { dimension: "page", operator: "contains", value: form.slice(1) },
        { not: { dimension: "page", operator: "is_not", value: form } },
        { not: { dimension: "page", operator: "is", value: "/a b" } },
      ])
        assert.equal(await count({ filters: [filter] }, of), 1, JSON.stringify(filter));
      assert.equal(
        await count({ filters: [{ dimension: "entryPage", operator: "is", value: form }] }, of),
        2,
      );
    }
  const { sourceId: of } = await world.createSource();
  await stats.insert(of, events);
  for (const value of ["^/über", "^/[äöü]ber/", "(?i)ÜBER", "%C3%BC"])
    assert.equal(await count({ filters: [{ dimension: "page", operator: "matches", value }] }, of), 1, value);
});

const asker = () => createQueryRunner({ state: () => "up", client: () => stats.client });
const isRefusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

/** The cause of a refusal is logged as an error. */
const isUnlogged = (code: string) => (error: unknown) =>
  isRefusal(code)(error) && error instanceof Error && error.cause === undefined;

test("More queries than may wait are refused with overloaded, and no error is logged.", async () => {
  const client = { query: () => new Promise(() => undefined) } as unknown as typeof stats.client;
  const runner = createQueryRunner({ state: () => "up", client: () => client });
  const leaving = new AbortController();
  const ask = runner({ organizationId: ORGANIZATION_ID, signal: leaving.signal });
  const waiting = Array.from({ length: MAX_ACTIVE_STATS_QUERIES + MAX_WAITING_STATS_QUERIES }, (_, number) =>
    assert.rejects(ask(statement(() => `SELECT ${number}`))),
  );
  await assert.rejects(ask(statement(() => "SELECT 'one more'")), isUnlogged("overloaded"));
  leaving.abort();
  await Promise.all(waiting);
});

test("A query that needs too many rows, results or memory is refused with query_too_heavy.", async () => {
  const ask = asker()({ organizationId: ORGANIZATION_ID, signal: new AbortController().signal });
  const HEAVY = [
    "SELECT sum(number) FROM numbers(2000000000)",
    "SELECT number FROM numbers(20000)",
    "SELECT length(groupArray(toString(number))) FROM numbers(100000000)",
  ];
  for (const text of HEAVY)
    await assert.rejects(ask(statement(() => text)), isRefusal("query_too_heavy"), text);
});

test("A query is cancelled when its client disconnects.", async () => {
  const gone = new AbortController();
  const text = "SELECT sum(sleepEachRow(0.1)) FROM numbers(100) SETTINGS max_block_size = 1";
  const asked = asker()({ organizationId: ORGANIZATION_ID, signal: gone.signal })(statement(() => text));
  const running = async () => {
    const query = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(sleepEachRow%'";
    const [row] = await (await stats.client.query({ query, format: "JSONCompactEachRow" })).json<[number]>();
    return Number(row?.[0]);
  };
  await until("it runs", async () => (await running()) === 1);
  gone.abort();
  await assert.rejects(asked, isUnlogged("warehouse_unavailable"));
  await until("it has ended", async () => (await running()) === 0);
});

const MUTATIONS = process.env.TEST_LONG === "1" ? 3_000 : 150;
test(`${MUTATIONS} queries, most of them mutated: none is answered with a 5xx.`, async () => {
  const statuses = new Map<number, number>();
  const question = fc.nat().chain((number) => {
    const valid = queryOf(randomFrom(number), PLACES[number % PLACES.length]!, number);
    const body = JSON.parse(JSON.stringify(valid));
    // a mutation that leaves a query valid is rare, and valid ones reach the warehouse
    return fc.oneof({ weight: 7, arbitrary: mutated(body) }, { weight: 1, arbitrary: fc.constant(body) });
  });
  await fc.assert(
    fc.asyncProperty(question, async (changed) => {
      const body = typeof changed === "object" && changed !== null ? { sourceId, ...changed } : changed;
      const reply = await stats.world.ask("/api/stats/query", { method: "POST", body: body as object });
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      assert.ok(reply.status < 500, `${reply.status} ${JSON.stringify(reply.body)}`);
    }),
    { seed: SEED, numRuns: MUTATIONS, endOnFailure: true },
  );
  assert.ok((statuses.get(200) ?? 0) > MUTATIONS / 50, JSON.stringify([...statuses]));
  assert.ok((statuses.get(422) ?? 0) > MUTATIONS / 10, JSON.stringify([...statuses]));
});

test("A query of several sources counts them together, joins visitors with the same id, and tells them apart by site.", async () => {
  const { world } = stats;
  const [shop, blog] = [await world.createSource(), await world.createSource()];
  const seen = { at: AT, page: "/" };
  await stats.insert(shop.sourceId, [
    { id: "1", session: "m1", visitor: "both", ...seen },
    { id: "2", session: "m2", visitor: "shop", ...seen },
  ]);
  await stats.insert(blog.sourceId, [
    { id: "1", session: "m3", visitor: "both", ...seen },
    { id: "2", session: "m3", visitor: "both", ...seen, name: "signup" },
  ]);
  const sourceIds = [shop.sourceId, blog.sourceId];
  const metrics = ["visitors", "sessions", "events"];
  const ask = (body: object, token?: string) =>
    world.ask("/api/stats/query", {
      method: "POST",
      body: { ...RANGE, sourceIds, metrics, ...body },
      ...(token && { token }),
    });
  const { body } = await ask({});
  assert.deepEqual([body.results[0].metrics, body.sourceId], [[2, 3, 4], shop.sourceId]);
  assert.deepEqual(body.sources, { sourceIds, visitors: "joined" });
  const bySite = (await ask({ dimensions: ["site"], goal: { event: "signup" } })).body.results;
  const rows = bySite.map((row: { dimensions: string[]; metrics: number[] }) => [
    ...row.dimensions,
    ...row.metrics,
  ]);
  const expected = [
    [shop.sourceId, 2, 2, 2],
    [blog.sourceId, 1, 1, 2],
  ];
  assert.deepEqual(rows, expected);
  const rolling = { metrics: ["visitors7Days"], dateRange: ["2026-05-16", "2026-05-17"] };
  assert.deepEqual((await ask(rolling)).body.results[0].metrics, [2]);
  const onlyBlog = [{ dimension: "site", operator: "is", value: blog.sourceId }];
  assert.deepEqual((await ask({ filters: onlyBlog })).body.results[0].metrics, [1, 1, 2]);

  assert.deepEqual(issuesOf(await ask({ goal: { name: "Sold" } })), ["goal.name: invalid_value"]);
  const byGroup = { dimension: "contentGroup", operator: "is", value: "Docs" };
  assert.deepEqual(issuesOf(await ask({ dimensions: ["contentGroup"] })), ["dimensions: invalid_value"]);
  assert.deepEqual(issuesOf(await ask({ filters: [byGroup] })), ["filters: invalid_value"]);
  assert.deepEqual(issuesOf(await ask({ dimensions: ["goal"], metrics: ["conversions"] })), [
    "dimensions: invalid_value",
  ]);
  assert.deepEqual(issuesOf(await ask({ sourceId })), ["sourceIds: invalid_value"]);
  assert.deepEqual(issuesOf(await ask({ sourceIds: [] })), ["sourceId: required", "sourceIds: too_short"]);
  const many = Array.from({ length: LIMITS.maxStatsSources + 1 }, () => shop.sourceId);
  assert.ok(issuesOf(await ask({ sourceIds: many })).includes("sourceIds: too_many"));
  refused(await ask({ sourceIds: [shop.sourceId, "src_unknown"] }), 404, "source_not_found");
});

test("All sources of a workspace, as many as it may have, are answered at once, with a comparison.", async () => {
  const { world } = stats;
  const seen = { at: AT, page: "/" };
  const organizationId = await world.workspace();
  const sourceIds: string[] = [];
  while (sourceIds.length < SERVER_LIMITS.maxSourcesPerWorkspace) {
    const { sourceId: created } = await world.source({}, organizationId);
    sourceIds.push(created!);
  }
  for (const sourceId of [sourceIds.at(0)!, sourceIds.at(-1)!])
    await stats.insert(sourceId, [{ id: "1", session: sourceId, visitor: sourceId, ...seen }]);
  // 12 days of each: the rows of sources and days are more than an answer may have
  await stats.client.command({
    query: `INSERT INTO events (analyticsEventId, eventId, type, name, occurredAt, timestamp, sessionId, anonymousId, device,
        properties, sourceId, receivedAt, country, channel)
      SELECT concat('evt_', toString(number)), toString(number), 'page', 'page_view',
        fromUnixTimestamp64Milli(${Date.parse(AT)} - toInt64(86400000 * (1 + number % 12)), 'UTC') AS time, '',
        concat('s', toString(number)), 'v', tuple('desktop', NULL, NULL, NULL, NULL, false), '{}',
        arrayElement({sourceIds:Array(String)}, 1 + intDiv(number, 12)), time, 'DE', 'Direct'
      FROM numbers(12000)`,
    query_params: { sourceIds },
  });
  for (const accuracy of ["exact", "auto", "fast"]) {
    const body = { ...RANGE, sourceIds, metrics: ["visitors"], include: { comparison: true }, accuracy };
    const answer = await world.ask("/api/stats/query", { method: "POST", body });
    assert.deepEqual(answer.body.results?.[0].metrics, [2], JSON.stringify(answer.body));
    const longer = { ...body, dateRange: ["2026-04-25", "2026-05-11"], metrics: ["visitors", "events"] };
    const ofAll = await world.ask("/api/stats/query", { method: "POST", body: longer });
    assert.deepEqual(ofAll.body.results?.[0].metrics, [3, 12_002], JSON.stringify(ofAll.body));
  }
});

test("A first visit in another of several sources is one of all of them.", async () => {
  const { world } = stats;
  const [shop, blog] = [await world.createSource(), await world.createSource()];
  const seen = { visitor: "both", page: "/" };
  await stats.insert(blog.sourceId, [{ ...seen, id: "1", session: "t1", at: "2026-05-01T10:00:00.000Z" }]);
  await stats.insert(shop.sourceId, [{ ...seen, id: "1", session: "t2", at: AT }]);
  const metrics = ["newVisitors", "returningVisitors"];
  const ask = async (sourceIds: string[]) => {
    const body = { ...RANGE, sourceIds, metrics };
    return (await world.ask("/api/stats/query", { method: "POST", body })).body.results[0].metrics;
  };
  assert.deepEqual(await ask([shop.sourceId]), [1, 0]);
  assert.deepEqual(await ask([shop.sourceId, blog.sourceId]), [0, 1]);
});

test("A query of several sources needs the permission for each of them.", async () => {
  const { world } = stats;
  const [own, other] = [await world.createSource(), await world.createSource()];
  const strangers = await world.strangers();
  const link = { organizationId: ORGANIZATION_ID, label: "Link", scope: "stats", sourceId: own.sourceId };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body: link })).body;
  const ask = (sourceIds: string[], token: string) =>
    world.ask("/api/stats/query", { method: "POST", body: { ...COUNT, sourceIds }, token });
  assert.equal((await ask([own.sourceId], token)).status, 200);
  refused(await ask([own.sourceId, other.sourceId], token), 403, "permission_denied");
  refused(await ask([own.sourceId, other.sourceId], strangers.token), 403, "not_a_member");
  const theirs = await world.source({}, strangers.organizationId, strangers.token);
  refused(await ask([theirs.sourceId, own.sourceId], strangers.token), 404, "source_not_found");
});
