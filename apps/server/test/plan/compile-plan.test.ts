/** Violations of a tracking plan describe what was found without its value (docs/api/tracking-plan.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePlan } from "../../src/plan/compile-plan.ts";

test("A violation names the type that was found, and says when another value of an allowed type was.", () => {
  const properties = {
    plan: { enum: ["free", "pro"] },
    version: { const: 2 },
    price: { type: "number" },
    seats: { minimum: 1 },
  };
  const schema = { type: "object", properties, required: ["seats"] };
  const plan = compilePlan({ mode: "warn", unknownEvents: "allow", events: { order: { schema } } });
  const found = (sent: Record<string, unknown>) =>
    plan.check({ type: "track", name: "order", properties: { seats: 1, ...sent } })?.foundType;
  assert.equal(found({ plan: "por" }), "another string");
  assert.equal(found({ plan: 1 }), "a number");
  assert.equal(found({ version: 3 }), "another number");
  assert.equal(found({ price: "5" }), "a string");
  assert.equal(found({ seats: 0 }), "a number");
  assert.equal(found({ seats: undefined }), "nothing");
  assert.equal(found({ plan: "pro", version: 2, price: 5 }), undefined);
});

test("The patterns of an event take a bounded time, whatever they and its texts are, and the next event has its own.", () => {
  const slow = { pattern: "(a?){40}(b?){40}(a?){40}(a|b){30}X" };
  const schema = { properties: { a: { anyOf: Array(40).fill(slow) }, b: { pattern: "^.*y$" } } };
  const plan = compilePlan({ mode: "warn", unknownEvents: "allow", events: { order: { schema } } });
  const violates = (properties: Record<string, unknown>) =>
    plan.check({ type: "track", name: "order", properties }) !== null;
  const before = process.cpuUsage();
  for (let event = 0; event < 100; event++) assert.ok(violates({ a: "ab".repeat(4_000) }));
  const { user } = process.cpuUsage(before);
  assert.ok(user < 4_000_000, `${user} µs for 100 events`);
  assert.ok(!violates({ a: `${"ab".repeat(20)}X` }));
  assert.ok(!violates({ b: `${"x".repeat(8_000)}y` }), "an ordinary pattern reads the longest text");
});

/** Whether an event with the properties, as JSON, fits the schema. */
function fits(schema: Record<string, unknown>, json: string): boolean {
  const plan = compilePlan({ mode: "reject", unknownEvents: "allow", events: { order: { schema } } });
  return plan.check({ type: "track", name: "order", properties: JSON.parse(json) }) === null;
}

test("A multiple is one by its decimal digits.", () => {
  const plan = compilePlan({
    mode: "reject",
    unknownEvents: "allow",
    events: { order: { schema: { properties: { price: { multipleOf: 0.01 } } } } },
  });
  const violationOf = (price: number) => plan.check({ type: "track", name: "order", properties: { price } });
  for (let cents = 1; cents <= 10_000; cents++) assert.equal(violationOf(cents / 100), null, String(cents));
  assert.equal(violationOf(19.999)?.expected, "a multiple of 0.01");
  for (const [value, divisor, isMultiple] of [
    [-19.99, 0.01, true],
    [0.1 + 0.2, 0.1, false],
    [0.0000003, 1e-7, true],
    [1e-8, 1e-7, false],
    [7.5, 2.5, true],
    [1e308, 0.5, true],
    [1e308, 0.123456789, false],
    [1e21, 3, false],
    [0, 0.3, true],
    [35, 1.5, false],
  ])
    assert.equal(
      fits({ properties: { n: { multipleOf: divisor } } }, `{"n":${value}}`),
      isMultiple,
      `${value}`,
    );
});

const FORMAT_EXAMPLES: readonly (readonly [format: string, fitting: string, others: string])[] = [
  [
    "date",
    "2024-02-29 2026-11-29",
    "2021-02-29 2100-02-29 2026-11-31 2026-13-01 2026-00-10 2026-1-1 29.11.2026",
  ],
  [
    "date-time",
    "2026-11-29T08:15:00Z 2026-11-29t08:15:00.5+23:59 1998-12-31T23:59:60Z 1998-12-31T15:59:60-08:00",
    "2026-02-31T00:00:00Z 2026-11-29T24:00:00Z 2026-11-29T08:15:00 1998-12-31T23:58:60Z 2026-11-29T08:15Z",
  ],
  [
    "email",
    'ann@mail.example a.b+c@x.co a@localhost "a..b"@x.de a@[127.0.0.1] a@[IPv6:::1]',
    "a..b@x .a@x a.@x a@x. a@-x.de a@x..de @x a@ a@b@c a@[1.2.3] a@x_y.de ann@müller.de",
  ],
  [
    "uri",
    "http://example.com:80/a?b#c urn:isbn:1 mailto:a@b.c file:///etc/x http://[::1]:80/ app://. http://u:p@h/%20",
    "http://example.com:abc/ http://a/%zz http://a/{b} http://[::1 http://[::ffff:01.2.3.4]/ //x/y x http://ü.de/ http:/[x]",
  ],
];

for (const [format, fitting, others] of FORMAT_EXAMPLES)
  test(`A text in the format ${format} is one of its RFC, and exists.`, () => {
    const schema = { properties: { text: { format } } };
    for (const text of fitting.split(" ")) assert.ok(fits(schema, JSON.stringify({ text })), text);
    for (const text of others.split(" ")) assert.ok(!fits(schema, JSON.stringify({ text })), text);
    assert.ok(fits(schema, '{"text":1}'));
  });

test("A planned property named __proto__ is checked, at any depth, and no other is planned by it.", () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"type":"number"},"a":{"items":{"properties":{"__proto__":false}}}},"additionalProperties":false}',
  );
  assert.ok(fits(schema, '{"__proto__":1,"a":[{"b":1}]}'));
  for (const json of ['{"__proto__":"x"}', '{"a":[{"__proto__":1}]}', '{"x__proto__":1}'])
    assert.ok(!fits(schema, json), json);
  const plan = compilePlan({ mode: "warn", unknownEvents: "allow", events: { order: { schema } } });
  const found = plan.check({ type: "track", name: "order", properties: JSON.parse('{"__proto__":"x"}') });
  assert.equal(found?.path, "properties.__proto__");
  assert.equal(found?.schemaPath, "#/properties/__proto__/type");
});

test("A suggestion for each unknown event of a batch takes a bounded time.", () => {
  const events = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`planned_event_${at}`, { schema: {} }]),
  );
  const plan = compilePlan({ mode: "warn", unknownEvents: "warn", events });
  const check = (name: string) => plan.check({ type: "track", name, properties: {} })?.expected;
  assert.equal(check("planed_event_7"), "a planned event, such as planned_event_7");
  const before = process.cpuUsage();
  for (const name of ["q".repeat(64), "planned_evnt_", "q".repeat(16)])
    for (let event = 0; event < 500; event++) check(name);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 4_000_000, `${user} µs for 1,500 events`);
});
