/** Who may ask, what is refused and how it is said; nothing that is said becomes a part of a statement. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LIMITS } from "@headwater/contract";
import fc from "fast-check";
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
import { until } from "../faults/child.ts";
import { issuesOf, ORGANIZATION_ID, openWorld, refused, type World } from "../support/world.ts";
import { PATIENCE_MS } from "../warehouse/store.ts";
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
  const viewer = (await world.member("viewer")).token;
  for (const { status, body } of await askAll(world, sourceId, viewer))
    assert.equal(status, 200, JSON.stringify(body));
  const organizationId = await world.workspace();
  const stranger = (await world.member("viewer", organizationId)).token;
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
    { ...event, id: "b", at: AT, name: "buy", properties: { plan: "free" } },
    { ...event, id: "c", at: AT, name: "leave", properties: { why: "price", nothing: null } },
    { ...event, id: "d", at: AT, name: "leave", properties: { plan: 1 }, isBot: true },
    { ...event, id: "e", at: "2026-05-11T10:00:00.000Z", name: "buy", properties: { later: 1 } },
    { ...event, id: "f", at: AT, name: "buy", properties: { "a.:`Int64`": 1, "": 1 } },
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
  ]);
  const left = { filters: [{ dimension: "event", operator: "is", value: "leave" }] };
  assert.deepEqual(await asked(left), [["why", 1]]);
  assert.deepEqual(await asked({ include: { bots: true }, limit: 1 }), [["plan", 3]]);
  for (const [name] of all) {
    const filters = [{ not: { dimension: `property:${name}`, operator: "is", value: null } }];
    assert.ok((await count({ filters }, of)) > 0, String(name));
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

test("The dimension goal lists each goal of the source with its conversions, also those without any.", async () => {
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
  assert.deepEqual(await refusedFor({ dimensions: ["goal", "page"] }), ["dimensions: invalid_value"]);
  assert.deepEqual(await refusedFor({ metrics: ["sessions"] }), ["metrics.0: invalid_value"]);
  const byTouch = { attribution: { model: "firstTouch" } };
  assert.deepEqual(await refusedFor(byTouch), ["attribution: invalid_value"]);
  assert.deepEqual(await refusedFor({ metrics: ["revenue"] }), ["metrics.0: invalid_value"]);
  assert.deepEqual(await refusedFor({ goal: { event: "buy" } }), ["goal: invalid_value"]);
  assert.deepEqual(await refusedFor({ orderBy: [{ field: "page", direction: "asc" }] }), [
    "orderBy.0.field: invalid_value",
  ]);
  const byGoal = { dimension: "goal", operator: "is", value: "Read" };
  assert.deepEqual(await refusedFor({ filters: [byGoal] }), ["filters.0.dimension: invalid_value"]);
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
  await until("it runs", PATIENCE_MS, async () => (await running()) === 1);
  gone.abort();
  await assert.rejects(asked, isUnlogged("warehouse_unavailable"));
  await until("it has ended", PATIENCE_MS, async () => (await running()) === 0);
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
