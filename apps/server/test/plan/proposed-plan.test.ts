/** A tracking plan that is proposed from a day of traffic, and the mistakes that it finds in a new version of a client. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { describeViolation, type EventResult, LIMITS, type ViolationDetails } from "@headwater/contract";
import { folder, headwaterHere } from "../cli/command-line.ts";
import { openVisit } from "../install/visit.ts";
import {
  eventsBody,
  eventsPath,
  MINUTE,
  OWNER_TOKEN,
  outcomesOf,
  pageEvent,
  type TestSource,
  trackEvent,
} from "../support/world.ts";

const { world } = await openVisit();
const planPath = ({ sourceId }: TestSource) => `/api/tracking-sources/${sourceId}/plan`;

const PLANS = ["free", "pro", "team"];
/** The events of one visit. Its properties vary as those of a shop do. */
const visitEvents = (number: number) => [
  pageEvent({ properties: number % 2 ? { section: "home" } : null }),
  trackEvent({ name: "signup", properties: { plan: PLANS[number % 3], seats: number } }),
  trackEvent({
    name: "order",
    properties: {
      price: number + 0.5,
      currency: "EUR",
      coupon: number % 3 ? null : `code-${number}`,
      ...(number % 4 ? {} : { gift: true }),
    },
  }),
  trackEvent({ name: "search", properties: { query: `shoes ${number}`, results: number } }),
  trackEvent({ name: "rare", properties: {} }),
];

/** Half a visit's events a request, each with the time at which it happened during the last day. */
async function sendDay(to: TestSource, visits: number): Promise<void> {
  const now = Date.now();
  for (let number = 0; number < visits; number++) {
    const at = new Date(now - ((visits - number) * 24 * 60 * MINUTE) / visits).toISOString();
    const sessionId = await world.openSession(to, { anonymousId: `visitor-${number}` });
    const events = visitEvents(number).map((event) => ({ ...event, timestamp: at }));
    const body = eventsBody(sessionId, events, { sdkVersion: "app-1.0" });
    assert.deepEqual([...new Set(outcomesOf(await world.send(eventsPath(to), body)))], ["accepted"]);
  }
  await world.server.maintain();
}

/** Every event as the old version sends it, besides the three mistakes of the new one. */
const newVersion = (number: number) => [
  ...visitEvents(number),
  trackEvent({ name: "signup", properties: { paln: "pro", seats: 1 } }),
  trackEvent({ name: "order", properties: { price: "5.50", currency: "EUR", coupon: null } }),
  trackEvent({ name: "search", properties: { results: 3 } }),
];
const MISTAKES = [
  'properties.plan must be present; found nothing, but "paln".',
  'properties.price must be of the type number; found the string "5.50".',
  "properties.query must be present; found nothing.",
];

describe("A plan that is proposed from a day of traffic", () => {
  it("reports three mistakes of a new client version, nothing else, and rejects only these", async () => {
    const source = await world.createSource();
    await sendDay(source, 30);
    const { body: proposal } = await world.ask(`${planPath(source)}/proposal`);
    assert.deepEqual([proposal.version, proposal.leftOut, proposal.plan.mode], [0, 0, "warn"]);
    assert.deepEqual(proposal.addedEvents.toSorted(), ["order", "page_view", "rare", "search", "signup"]);
    const { order, search, page_view: pageView, rare } = proposal.plan.events;
    assert.deepEqual(order.schema, {
      type: "object",
      properties: {
        coupon: { type: ["null", "string"] },
        currency: { type: "string" },
        gift: { type: "boolean" },
        price: { type: "number" },
      },
      required: ["coupon", "currency", "price"],
    });
    assert.deepEqual(search.schema.required, ["query", "results"]);
    assert.deepEqual(pageView.schema, { type: "object", properties: { section: { type: "string" } } });
    assert.deepEqual(rare.schema, { type: "object", properties: {} });

    for (const mode of ["warn", "reject"]) {
      const plan = { ...proposal.plan, mode };
      assert.equal((await world.ask(planPath(source), { method: "PUT", body: { plan } })).status, 200);
      const sessionId = await world.openSession(source);
      const sent = newVersion(100);
      const reply = await world.send(
        eventsPath(source),
        eventsBody(sessionId, sent, { sdkVersion: "app-2.0" }),
      );
      const { body: debug } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`);
      const [attempt] = debug.eventAttempts;
      assert.equal(attempt.sdkVersion, "app-2.0");
      const violated = mode === "warn" ? "accepted" : "rejected plan_violation";
      const planned = sent.length - MISTAKES.length;
      const outcomes = [...Array(planned).fill("accepted"), ...MISTAKES.map(() => violated)];
      assert.deepEqual(outcomesOf(reply), outcomes);
      const messages = attempt.results
        .filter(({ planViolation }: EventResult) => planViolation !== null)
        .map(({ planViolation }: { planViolation: ViolationDetails }) =>
          describeViolation(planViolation).replace("The event violates the tracking plan: ", ""),
        );
      assert.deepEqual(messages, MISTAKES);
      await world.server.maintain();
      const { body: later } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`);
      const times = mode === "warn" ? 1 : 2;
      assert.equal(later.health.last24h.planViolations, times * MISTAKES.length);
      const warned = later.health.warnings.map(({ code }: { code: string }) => code);
      assert.deepEqual(warned, ["plan_violation"]);
      const violations = later.planViolations.map((one: Record<string, unknown>) => [
        one.event,
        one.path,
        one.expected,
        one.found,
        one.events,
        one.clientVersions,
      ]);
      assert.deepEqual(violations.toSorted(), [
        ["order", "properties.price", "of the type number", "a string", times, ["app-2.0"]],
        ["search", "properties.query", "present", "nothing", times, ["app-2.0"]],
        ["signup", "properties.plan", "present", "nothing", times, ["app-2.0"]],
      ]);
      assert.ok(
        later.planViolations.every(
          ({ firstSeenAt, lastSeenAt }: { firstSeenAt: string; lastSeenAt: string }) =>
            firstSeenAt <= lastSeenAt,
        ),
      );
    }
  });

  it("has violations without values, and with a page once three sessions have sent one from it", async () => {
    const source = await world.createSource();
    const schema = { properties: { price: { type: "number" } } };
    const plan = { mode: "reject", unknownEvents: "warn", events: { order: { schema } } };
    await world.ask(planPath(source), { method: "PUT", body: { plan } });
    const page = { url: "https://shop.example/pay" };
    for (let visit = 0; visit < 3; visit++) {
      const sessionId = await world.openSession(source, { anonymousId: `visitor-${visit}` });
      const wrong = trackEvent({ name: "order", properties: { price: "secret text" }, page });
      await world.send(eventsPath(source), eventsBody(sessionId, [wrong]));
      await world.server.maintain();
      const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`);
      const [{ pages, events }] = body.planViolations;
      assert.deepEqual([pages, events], [visit === 2 ? ["/pay"] : [], visit + 1]);
      assert.ok(!JSON.stringify(body.planViolations).includes("secret"));
    }
    const { body: catalog } = await world.ask(`/api/tracking-sources/${source.sourceId}/catalog`);
    assert.deepEqual(catalog, { events: [], otherEvents: 0 }, "rejected events are not in the catalogue");
  });

  it("keeps a bounded number of violations, those that were seen last", async () => {
    const source = await world.createSource();
    const plan = { mode: "warn", unknownEvents: "reject", events: {} };
    await world.ask(planPath(source), { method: "PUT", body: { plan } });
    const sessionId = await world.openSession(source);
    for (let batch = 0; batch < 3; batch++) {
      const events = Array.from({ length: 40 }, (_, index) =>
        trackEvent({ name: `unknown ${batch} ${index}` }),
      );
      await world.send(eventsPath(source), eventsBody(sessionId, events));
      await world.server.maintain();
    }
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=1`);
    const names = body.planViolations.map(({ event }: { event: string }) => event);
    assert.equal(names.length, LIMITS.maxPlanViolations);
    assert.equal(names.filter((name: string) => name.startsWith("unknown 2 ")).length, 40);
    assert.equal(body.health.last24h.planViolations, 120);
  });

  it("requires nothing of rarely seen events, and keeps the events of the current plan", async () => {
    const source = await world.createSource();
    const order = { mode: "off", schema: { required: ["id"] } };
    const plan = { mode: "reject", unknownEvents: "warn", events: { order } };
    await world.ask(planPath(source), { method: "PUT", body: { plan } });
    await sendDay(source, 5);
    const { body } = await world.ask(`${planPath(source)}/proposal`);
    assert.deepEqual([body.version, body.plan.mode, body.plan.unknownEvents], [1, "reject", "warn"]);
    assert.deepEqual(body.plan.events.order, order);
    assert.deepEqual(body.plan.events.signup.schema, {
      type: "object",
      properties: { plan: { type: "string" }, seats: { type: "number" } },
    });
    assert.equal((await world.ask(planPath(source))).body.version, 1, "nothing is saved");

    using files = folder();
    writeFileSync(files.at("token"), OWNER_TOKEN);
    const remote = ["--api", world.url, "--token-file", files.at("token"), "--dir", files.at("plan")];
    const proposed = await headwaterHere({}, "plan", "propose", source.sourceId, ...remote);
    assert.match(proposed.stdout, /with 4 proposed events to .*signup/, proposed.stderr);
    const pushed = await headwaterHere({}, "plan", "push", source.sourceId, ...remote);
    assert.equal(pushed.stdout, "Saved version 2 of the plan.\n", pushed.stderr);
  });
});
