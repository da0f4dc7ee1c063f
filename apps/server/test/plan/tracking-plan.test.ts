/** The tracking plan of a source (docs/api/tracking-plan.md): versions, modes, and what a violation says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeViolation, EVENT_CODES, LIMITS } from "@headwater/contract";
import { openVisit } from "../install/visit.ts";
import {
  eventsBody,
  eventsPath,
  issuesOf,
  ORGANIZATION_ID,
  outcomesOf,
  pageEvent,
  refused,
  type TestSource,
  trackEvent,
} from "../support/world.ts";

const { world, source } = await openVisit();

const planPath = ({ sourceId }: TestSource) => `/api/tracking-sources/${sourceId}/plan`;
const save = (to: TestSource, plan: unknown, over: object = {}, token?: string) =>
  world.ask(planPath(to), { method: "PUT", body: { plan, ...over }, ...(token ? { token } : {}) });
const ORDER = {
  properties: {
    price: { type: "number", minimum: 0 },
    plan: { enum: ["free", "pro"] },
    code: { type: "string", pattern: "^[A-Z]{3}-\\d+$" },
    contact: { type: "string", format: "email" },
    items: { type: "array", items: { type: "object", required: ["sku"] } },
    password: { const: "expected" },
  },
  required: ["price"],
  additionalProperties: false,
};
const planOf = (mode: string, unknownEvents = "allow", schema: object = ORDER) => ({
  mode,
  unknownEvents,
  events: { order: { mode: null, schema } },
});

/** A source with the plan, and the results of events that are sent to it in one batch. */
async function withPlan(plan: object) {
  const own = await world.createSource();
  const reply = await save(own, plan);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const sessionId = await world.openSession(own);
  const send = (events: object[]) => world.send(eventsPath(own), eventsBody(sessionId, events));
  return { own, send };
}
const order = (properties?: object) => trackEvent({ name: "order", properties });

describe("A tracking plan", () => {
  it("does nothing before it is saved: version 0, mode off", async () => {
    const { body } = await world.ask(planPath(source));
    const plan = { mode: "off", unknownEvents: "allow", events: {} };
    assert.deepEqual(body, { version: 0, createdAt: null, userId: null, tokenId: null, plan });
    refused(await world.ask(`${planPath(source)}?version=1`), 404, "plan_version_not_found");
  });

  it("rejects events that violate it in the mode reject, with path, expectation and what was found", async () => {
    const { send } = await withPlan(planOf("reject", "reject"));
    const reply = await send([
      order({ price: 5, plan: "pro", code: "ABC-1", contact: "a@b.example", items: [{ sku: 1 }] }),
      order({ price: "5" }),
      order(),
      order({ price: 1, plan: "por" }),
      order({ price: 1, plam: "pro" }),
      order({ price: 1, code: "abc" }),
      order({ price: 1, contact: "nobody" }),
      order({ price: 1, items: [{ sku: 1 }, {}] }),
      order({ price: -1 }),
      order({ price: 1, password: "hunter2" }),
      trackEvent({ name: "oder" }),
      pageEvent(),
      trackEvent({ name: "engagement", passive: true, properties: { seconds: 1 } }),
    ]);
    const violated = "rejected plan_violation";
    assert.deepEqual(outcomesOf(reply), [
      "accepted",
      ...Array.from({ length: 10 }, () => violated),
      "accepted",
      "accepted",
    ]);
    const start = "The event violates the tracking plan: ";
    assert.deepEqual(
      reply.body.results.map(
        ({ message }: { message: string | null }) => message?.replace(start, "") ?? null,
      ),
      [
        null,
        'properties.price must be of the type number; found the string "5".',
        "properties.price must be present; found nothing.",
        'properties.plan must be one of "free","pro"; found the string "por".',
        'properties.plam must be absent, or named plan; found the string "pro".',
        'properties.code must be a string that matches ^[A-Z]{3}-\\d+$; found the string "abc".',
        'properties.contact must be a string in the format email; found the string "nobody".',
        "properties.items.1.sku must be present; found nothing.",
        "properties.price must be >= 0; found the number -1.",
        'properties.password must be "expected"; found the string "[masked]".',
        'name must be a planned event, such as order; found the string "oder".',
        null,
        null,
      ],
    );
  });

  it("counts the characters of a text, and names the property whose name is not allowed", async () => {
    const name = { type: "string", minLength: 2, maxLength: 3 };
    const { send } = await withPlan(
      planOf("reject", "allow", { properties: { name }, propertyNames: { pattern: "^[a-z]+$" } }),
    );
    const cart = "\u{1f6d2}";
    const reply = await send([
      ...[cart.repeat(3), "abc", cart, `abc${cart}`, "a"].map((text) => order({ name: text })),
      order({ Name: 5 }),
    ]);
    const violated = "rejected plan_violation";
    assert.deepEqual(outcomesOf(reply), ["accepted", "accepted", violated, violated, violated, violated]);
    assert.match(
      reply.body.results.at(-1).message,
      /: properties\.Name must be absent, because the schema does not allow its name; found the number 5\.$/,
    );
  });

  it("compares each property with its own pattern", async () => {
    const two = { properties: { one: { pattern: "^a" }, two: { pattern: "^b" } }, dependentRequired: {} };
    const { send } = await withPlan(planOf("reject", "allow", two));
    const results = await send([order({ one: "a", two: "b" }), order({ one: "a", two: "a" })]);
    assert.deepEqual(outcomesOf(results), ["accepted", "rejected plan_violation"]);
  });

  it("accepts them in the mode warn, with the warning plan_violation and without code and message", async () => {
    const { send } = await withPlan(planOf("warn", "warn"));
    const violating = order({ price: "5" });
    const events = [violating, order({ price: 5 }), trackEvent({ name: "other" }), violating];
    const { results } = (await send(events)).body;
    const priceViolation = {
      path: "properties.price",
      expected: "of the type number",
      found: 'the string "5"',
    };
    const nameViolation = {
      path: "name",
      expected: "a planned event",
      found: 'the string "other"',
    };
    const outcome = (status: string, code: string | null, planViolation: object | null) => ({
      status,
      code,
      message: code && EVENT_CODES.duplicate_event,
      warnings: planViolation ? ["plan_violation"] : [],
      planViolation,
    });
    assert.partialDeepStrictEqual(results, [
      outcome("accepted", null, priceViolation),
      outcome("accepted", null, null),
      outcome("accepted", null, nameViolation),
      outcome("duplicate", "duplicate_event", priceViolation),
    ]);
  });

  it("describes a violation in the same words when it rejects and when it warns", async () => {
    const { send } = await withPlan(planOf("reject", "reject"));
    const [{ message, planViolation }] = (await send([order({ price: "5" })])).body.results;
    assert.equal(message, describeViolation(planViolation));
  });

  it("checks nothing in the mode off; an event's own mode wins over that of the plan", async () => {
    const off = await withPlan({
      mode: "off",
      unknownEvents: "reject",
      events: { order: { schema: ORDER }, page_view: { mode: "reject", schema: { required: ["section"] } } },
    });
    const results = await off.send([order(), trackEvent({ name: "other" }), pageEvent()]);
    assert.deepEqual(outcomesOf(results), ["accepted", "accepted", "rejected plan_violation"]);
    const one = await withPlan({
      mode: "reject",
      unknownEvents: "allow",
      events: { order: { mode: "off", schema: ORDER } },
    });
    assert.deepEqual(outcomesOf(await one.send([order(), trackEvent({ name: "other" })])), [
      "accepted",
      "accepted",
    ]);
  });

  it("has versions with author and time, which can be read and restored; changes are in the audit log", async () => {
    const { own, send } = await withPlan(planOf("reject"));
    const relaxed = { mode: "warn", unknownEvents: "allow", events: { other: { schema: {} } } };
    assert.equal((await save(own, relaxed)).body.version, 2);
    assert.deepEqual(outcomesOf(await send([order()])), ["accepted"]);
    const { body: first } = await world.ask(`${planPath(own)}?version=1`);
    assert.deepEqual(first.plan, planOf("reject"));
    const { body: restored } = await save(own, first.plan, { baseVersion: 2 });
    assert.deepEqual([restored.version, restored.plan], [3, first.plan]);
    assert.deepEqual(outcomesOf(await send([order()])), ["rejected plan_violation"]);
    refused(await save(own, relaxed, { baseVersion: 2 }), 409, "plan_changed");
    assert.equal((await save(own, first.plan)).body.version, 3, "an equal plan makes no version");

    const { body: list } = await world.ask(`${planPath(own)}/versions`);
    const userId = await world.ownerId();
    assert.deepEqual(
      list.versions.map((one: Record<string, unknown>) => [one.version, one.userId === userId]),
      [3, 2, 1].map((version) => [version, true]),
    );
    const audit = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`);
    const { action, target, before, after } = audit.body.entries[0];
    assert.deepEqual([action, target], ["source.plan_saved", own.sourceId]);
    assert.deepEqual(before, { planVersion: 2, mode: "warn", unknownEvents: "allow" });
    const changes = { added: ["order"], removed: ["other"], changed: [] };
    assert.deepEqual(after, { planVersion: 3, mode: "reject", unknownEvents: "allow", ...changes });
  });

  it("keeps the last versions only", async () => {
    const own = await world.createSource();
    for (let at = 0; at <= LIMITS.maxPlanVersions; at++)
      await save(own, { mode: "warn", unknownEvents: "allow", events: { [`event ${at}`]: { schema: {} } } });
    const { body } = await world.ask(`${planPath(own)}/versions`);
    assert.deepEqual(
      [body.versions.length, body.versions[0].version, body.versions.at(-1).version],
      [LIMITS.maxPlanVersions, LIMITS.maxPlanVersions + 1, 2],
    );
  });

  it("can be read by viewers and saved by developers", async () => {
    const viewer = await world.serviceAccount("viewer");
    const { status } = await world.ask(planPath(source), { token: viewer.token });
    assert.equal(status, 200);
    refused(await save(source, planOf("warn"), {}, viewer.token), 403, "permission_denied");
  });

  it("has names such as __proto__ like any others", async () => {
    const events = JSON.parse('{"__proto__": {"schema": {"required": ["a"]}}}');
    const { own, send } = await withPlan({ mode: "reject", unknownEvents: "allow", events });
    assert.deepEqual(Object.keys((await world.ask(planPath(own))).body.plan.events), ["__proto__"]);
    const results = outcomesOf(
      await send([trackEvent({ name: "__proto__" }), trackEvent({ name: "toString" })]),
    );
    assert.deepEqual(results, ["rejected plan_violation", "accepted"]);
  });
});

describe("A tracking plan is refused when its schemas", () => {
  const refusedAt = async (schema: unknown) =>
    issuesOf(await save(source, { mode: "warn", unknownEvents: "allow", events: { e: { schema } } }));
  const at = (path: string) => [`plan.events.e.schema${path}: invalid_value`];
  const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });

  for (const [what, schema, path] of [
    ["refer to another document", { $ref: "https://example.com/schema.json" }, ".$ref"],
    ["refer to what they do not define", { $ref: "#/$defs/none" }, ".$ref"],
    ["refer to themselves", { $defs: { a: { items: { $ref: "#/$defs/a" } } } }, ".$defs.a.items.$ref"],
    ["use another dialect", { $schema: "http://json-schema.org/draft-07/schema#" }, ".$schema"],
    ["have an unknown keyword", { properties: { a: { requred: true } } }, ".properties.a.requred"],
    ["have a keyword that is not supported", { $dynamicRef: "#a" }, ".$dynamicRef"],
    ["have an unknown format", { properties: { a: { format: "ipv9" } } }, ".properties.a.format"],
    ["have a value of the wrong type", { properties: { a: { minimum: "1" } } }, ".properties.a.minimum"],
    [
      "have a pattern that is not a regular expression",
      { propertyNames: { pattern: "(" } },
      ".propertyNames.pattern",
    ],
    [
      "have a pattern with a backreference",
      { propertyNames: { pattern: "(a)\\1" } },
      ".propertyNames.pattern",
    ],
    ["have an enum without values", { properties: { a: { enum: [] } } }, ".properties.a.enum"],
    ["have a pattern with lookahead", { propertyNames: { pattern: "(?=a)b" } }, ".propertyNames.pattern"],
    [
      "have a pattern that grows too large",
      { propertyNames: { pattern: "((){500}){500}" } },
      ".propertyNames.pattern",
    ],
    [
      "nest too deeply",
      nested(LIMITS.maxPlanSchemaDepth + 1),
      ".items".repeat(LIMITS.maxPlanSchemaDepth + 1),
    ],
    ["cost too many checks", nested(3), ""],
    ["count the length of a text too often", { anyOf: Array(200).fill({ minLength: 1 }) }, ""],
    [
      "name too many dependent members",
      { dependentRequired: { a: Array.from({ length: 1_000 }, (_, at) => `n${at}`) } },
      "",
    ],
    ["define $defs elsewhere", { not: { $defs: {} } }, ".not.$defs"],
  ] as const) {
    it(what, async () => assert.deepEqual(await refusedAt(schema), at(path)));
  }

  it("multiply by references", async () => {
    const double = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const $defs: Record<string, object> = { d0: {} };
    for (let level = 1; level < 20; level++) $defs[`d${level}`] = double(`d${level - 1}`);
    assert.deepEqual(await refusedAt({ $defs, $ref: "#/$defs/d19" }), at(""));
  });

  it("belong to a name that no event can have, or to too many names", async () => {
    const named = { mode: "warn", unknownEvents: "allow", events: { "": { schema: {} } } };
    assert.deepEqual(issuesOf(await save(source, named)), ["plan.events.: invalid_value"]);
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.maxPlannedEvents + 1 }, (_, index) => [`e${index}`, { schema: {} }]),
    );
    assert.deepEqual(issuesOf(await save(source, { ...named, events: many })), ["plan.events: too_many"]);
  });

  it("cost too many checks together", async () => {
    const schema = { propertyNames: { anyOf: Array(2).fill({ pattern: "^a{400}$" }) } };
    const events = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`e${at}`, { schema }]));
    const plan = { mode: "warn", unknownEvents: "allow", events };
    assert.deepEqual(issuesOf(await save(source, plan)), ["plan.events: invalid_value"]);
  });

  it("have more bytes than a plan can have", async () => {
    const large = planOf("warn", "allow", { description: "x".repeat(LIMITS.maxPlanBytes) });
    refused(await save(source, large), 413, "payload_too_large");
  });
});

it("A pattern of a plan takes time linear in the text", async () => {
  const schema = { properties: { text: { pattern: "^(a+)+$" } } };
  const { send } = await withPlan(planOf("reject", "allow", schema));
  // a matcher that backtracks would not return
  const results = outcomesOf(await send([order({ text: `${"a".repeat(8_000)}!` })]));
  assert.deepEqual(results, ["rejected plan_violation"]);
});
