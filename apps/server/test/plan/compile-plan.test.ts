/** What a violation of a tracking plan says was found, without the value (docs/api/tracking-plan.md). */
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
