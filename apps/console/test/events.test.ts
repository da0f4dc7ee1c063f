/** The events page: the event catalogue and the tracking plan of a source. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import {
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  type TestSource,
  trackEvent,
  type World,
} from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { HOSTILE, memberToken, seed } from "./seed.ts";

const planOf = async (world: World, { sourceId }: TestSource) =>
  (await world.ask(`/api/tracking-sources/${sourceId}/plan`)).body;

/** A source whose catalogue has the event `order`, of which three sessions sent 24, `signup`, and `engagement` of the client. */
async function seedEvents(world: World): Promise<TestSource> {
  const source = await world.createSource({ name: "Shop" });
  for (let visit = 0; visit < 3; visit++) {
    const sessionId = await world.openSession(source, { anonymousId: `visitor-${visit}` });
    const page = { url: "https://shop.example/pay" };
    const events = Array.from({ length: 8 }, (_, at) =>
      trackEvent({ name: "order", page, properties: { price: at, currency: "EUR" } }),
    );
    const signup = trackEvent({ properties: visit === 0 ? { plan: "pro" } : {} });
    const engagement = trackEvent({ name: "engagement", passive: true, properties: { seconds: 5 } });
    await world.send(
      eventsPath(source),
      eventsBody(sessionId, [...events, signup, engagement], { sdkVersion: "app-1.0" }),
    );
  }
  await world.server.maintain();
  return source;
}

const dialog = (page: Page) => page.getByRole("dialog");
const openPlan = (page: Page) => page.getByRole("button", { name: "Edit plan" }).click();

/** Pictures at three widths, in light and dark. */
async function shootAll(page: Page, name: string, shoot: (name: string) => Promise<void>): Promise<void> {
  if (process.env.CONSOLE_SHOTS === undefined) return;
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const { colorScheme } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await shoot(`events-${name}-${width}-${colorScheme}`);
    }
  }
}

/** axe finds nothing serious in light and dark. */
async function requireAccessible(page: Page): Promise<void> {
  for (const { colorScheme, rules } of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFindings(page, rules), [], colorScheme);
  }
}

consoleTest(
  "The events page shows the first event without a reload, shows the catalogue, proposes a plan, edits a schema, and restores a version.",
  async ({ world, page, open, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const empty = await world.createSource({ name: "Empty" });
    await open(`/sources/events?sourceId=${empty.sourceId}`);
    await page.getByText("No events yet").waitFor();
    await page.getByText("Waiting for the first event…").waitFor();
    await shootAll(page, "empty", shoot);
    const first = await world.openSession(empty);
    await world.send(eventsPath(empty), eventsBody(first, [trackEvent({ name: "first" })]));
    await world.server.maintain();
    await page.getByRole("row", { name: /^first / }).waitFor();

    const source = await seedEvents(world);
    await open(`/sources/events?sourceId=${source.sourceId}`);
    await page.getByText("This source has no tracking plan.").waitFor();
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} `) });
    assert.match((await row("order").textContent()) ?? "", /^order24.*Not in the plan/);
    assert.match((await row("engagement").textContent()) ?? "", /^engagement.*Automatic/);

    await page.getByRole("button", { name: "Draft plan from events" }).click();
    const proposed = dialog(page).getByRole("list", { name: "Proposed events" });
    await proposed.getByText("price (number, required)").waitFor();
    await requireAccessible(page);
    await shootAll(page, "proposal", shoot);
    await page.setViewportSize({ width: 1024, height: 320 });
    const add = dialog(page).getByRole("button", { name: "Add 2 events" });
    const { y, height } = (await add.boundingBox())!;
    assert.ok(y + height < 320, "without scrolling");
    await page.setViewportSize({ width: 1280, height: 720 });
    assert.equal(await proposed.getByRole("checkbox", { name: "engagement" }).isChecked(), false);
    await dialog(page).getByRole("button", { name: "Select none" }).click();
    await dialog(page).getByRole("button", { name: "Close" }).last().waitFor();
    await dialog(page).getByRole("button", { name: "Select all" }).click();
    await dialog(page).getByRole("button", { name: "Add 3 events" }).waitFor();
    await proposed.getByRole("checkbox", { name: "engagement" }).uncheck();
    await proposed.getByRole("checkbox", { name: "signup" }).uncheck();
    await dialog(page).getByRole("button", { name: "Add 1 event" }).click();
    await page.getByText("Plan version 1 · ").waitFor();
    assert.deepEqual(Object.keys((await planOf(world, source)).plan.events), ["order"]);
    await openPlan(page);
    await dialog(page).getByText("Version 1 has 1 event.").waitFor();
    await dialog(page).getByRole("button", { name: "Draft plan from events" }).click();
    await dialog(page).getByRole("button", { name: "Add 1 event" }).click();
    await page.getByText("Plan version 2 · ").waitFor();
    const { plan } = await planOf(world, source);
    assert.deepEqual([plan.mode, plan.events.order.schema.required], ["warn", ["currency", "price"]]);
    assert.match((await row("order").textContent()) ?? "", /Planned/);
    await page.getByText("Plan version 2 · warns · 0 violations").waitFor();
    assert.equal(await row("order").locator(".badge").count(), 0, "a healthy event has no colour");
    await shootAll(page, "planned", shoot);

    await row("order").getByRole("button", { name: "order", exact: true }).press("Enter");
    await dialog(page).getByRole("definition").filter({ hasText: "app-1.0" }).waitFor();
    await dialog(page).getByRole("definition").filter({ hasText: "/pay" }).waitFor();
    assert.match(
      (await dialog(page)
        .getByRole("row", { name: /^currency/ })
        .textContent()) ?? "",
      /string, 100% of events"EUR"none/,
    );
    await dialog(page).getByText("Examples are values that at least three sessions sent.").waitFor();
    await requireAccessible(page);
    await shootAll(page, "event", shoot);
    await dialog(page).getByRole("button", { name: "JSON Schema" }).click();
    const schema = dialog(page).getByLabel("JSON Schema for the properties");
    await schema.fill("[1]");
    await dialog(page).getByText("Enter a JSON object.").waitFor();
    await schema.fill('{ "properties": { "price": { "type": "numbr" } } }');
    await dialog(page).getByRole("button", { name: "Save event" }).click();
    await dialog(page).getByText("plan.events.order.schema.properties.price.type").first().waitFor();
    await schema.fill('{ "required": ["price"] }');
    await dialog(page).getByLabel("Events that violate the schema").selectOption("reject");
    await dialog(page).getByRole("button", { name: "Save event" }).click();
    await page.getByText("Plan version 3 · ").waitFor();
    assert.deepEqual((await planOf(world, source)).plan.events.order, {
      mode: "reject",
      schema: { required: ["price"] },
    });

    await openPlan(page);
    await page.getByLabel("Events not in the plan").selectOption("warn");
    await page.getByText("Plan version 4 · ").waitFor();
    await requireAccessible(page);
    await shootAll(page, "settings", shoot);
    await page.getByRole("button", { name: "Versions" }).click();
    await dialog(page)
      .getByLabel(/^Compare current version 4/)
      .selectOption("2");
    const modes = dialog(page).getByLabel("Changes to Plan checks");
    await modes.getByLabel("Version 2: Plan checks").getByText('"unknownEvents": "allow"').waitFor();
    await modes.getByLabel("Version 4: Plan checks").getByText('"unknownEvents": "warn"').waitFor();
    await dialog(page).getByLabel("Changes to order").waitFor();
    await requireAccessible(page);
    await shootAll(page, "versions", shoot);
    await dialog(page).getByRole("button", { name: "Restore version 2" }).click();
    await page.getByText("Plan version 5 · ").waitFor();
    assert.deepEqual((await planOf(world, source)).plan, plan);

    const sessionId = await world.openSession(source);
    await world.send(
      eventsPath(source),
      eventsBody(sessionId, [trackEvent({ name: "order", properties: { price: "5" } })]),
    );
    await world.server.maintain();
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    await page.getByRole("button", { name: "Review: Plan violation" }).click();
    const violations = page.getByRole("list", { name: "Tracking plan violations" });
    await violations
      .getByText(/properties\.currency must be present; found nothing|price must be of the type number/)
      .first()
      .waitFor();
    await shootAll(page, "violations", shoot);
    await page.getByRole("link", { name: "Open tracking plan" }).click();
    await page.getByRole("region", { name: "Tracking plan" }).waitFor();
    await page.goBack();
    await page.route(/\/api\/tracking-sources\/\w+\/debug\?/, async (route) => {
      const response = await route.fetch();
      const data = await response.json();
      data.health.last24h.planViolations = 0;
      await route.fulfill({ response, json: data });
    });
    await page.reload();
    await page.locator(".attempt-row").first().waitFor();
    assert.equal(await page.getByText("Plan violation").count(), 0, "there were none in the last 24 hours");
  },
);

consoleTest(
  "The table of an event's properties adds what was seen and not planned, and keeps the keywords that it does not show.",
  async ({ world, page, open, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const source = await seedEvents(world);
    const schema = {
      description: "A paid order",
      type: "object",
      properties: { price: { type: "number", minimum: 0, description: "In euros" }, coupon: false },
      allOf: [{ maxProperties: 9 }],
      required: ["price"],
    };
    const plan = { mode: "warn", unknownEvents: "allow", events: { order: { mode: null, schema } } };
    const path = `/api/tracking-sources/${source.sourceId}/plan`;
    assert.equal((await world.ask(path, { method: "PUT", body: { plan } })).status, 200);
    const sessionId = await world.openSession(source);
    const wrong = trackEvent({ name: "order", properties: { price: "free" } });
    await world.send(eventsPath(source), eventsBody(sessionId, [wrong]));
    await world.server.maintain();

    await open(`/sources/events?sourceId=${source.sourceId}`);
    const order = page.getByRole("row", { name: /^order / });
    await order.getByText("3, 1 not in the plan").waitFor();
    await page.getByText("Plan version 1 · warns · 1 violation", { exact: true }).waitFor();
    await order.locator(".badge", { hasText: "Warns" }).waitFor();
    await order.click();
    const row = (name: string) => dialog(page).getByRole("row", { name: new RegExp(`^${name} `) });
    await row("price").getByText("also minimum, description").waitFor();
    await row("price").getByText("1 event, last received just now; found").waitFor();
    await row("coupon").getByText("also false").waitFor();
    await dialog(page).getByText("The schema also has description, allOf").waitFor();
    await shootAll(page, "table", shoot);
    await row("currency").getByText("Not in the plan").waitFor();
    await dialog(page).getByRole("button", { name: "Add currency" }).click();
    await row("currency").getByRole("checkbox", { name: "currency is required" }).check();
    await row("currency").getByLabel("Allowed values of currency").fill("EUR, USD,");
    await row("price").getByLabel("Type of price").selectOption("integer");
    await dialog(page).getByLabel("New property").fill("gift");
    await dialog(page).getByLabel("New property").press("Enter");
    await row("gift").waitFor();
    await requireAccessible(page);
    await shootAll(page, "edited", shoot);
    await dialog(page).getByRole("button", { name: "Save event" }).click();
    await page.getByText("Plan version 2 · ").waitFor();
    assert.deepEqual((await planOf(world, source)).plan.events.order.schema, {
      ...schema,
      properties: {
        ...schema.properties,
        price: { ...schema.properties.price, type: "integer" },
        currency: { type: "string", enum: ["EUR", "USD"] },
        gift: {},
      },
      required: ["price", "currency"],
    });

    await order.click();
    await dialog(page).getByRole("button", { name: "Remove gift" }).click();
    await row("gift").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 320, height: 900 });
    const overflow = () =>
      page.evaluate(() => {
        const open = document.querySelector("dialog[open]");
        return [document.documentElement.scrollWidth, (open?.scrollWidth ?? 0) - (open?.clientWidth ?? 0)];
      });
    assert.deepEqual(await overflow(), [320, 0]);
    await shoot("events-edited-320");
  },
);

consoleTest(
  "The events page shows hostile names as text, and fits a phone.",
  async ({ world, page, open }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const { sourceId, publicKey } = await seed(world);
    const name = `${HOSTILE} own`;
    const events = { [name]: { schema: { description: HOSTILE } } };
    const plan = { mode: "warn", unknownEvents: "allow", events };
    const path = `/api/tracking-sources/${sourceId}/plan`;
    assert.equal((await world.ask(path, { method: "PUT", body: { plan } })).status, 200);
    const sessionId = await world.openSession({ publicKey });
    const own = trackEvent({ name: "constructor" });
    await world.send(eventsPath({ publicKey }), eventsBody(sessionId, [own]));
    await world.server.maintain();
    await page.setViewportSize({ width: 360, height: 1200 });
    await open(`/sources/events?sourceId=${sourceId}`);
    await page.getByText(name).first().waitFor();
    await page.getByRole("row", { name: "constructor" }).getByText("Not in the plan").waitFor();
    await requireAccessible(page);
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(await width(), 360);
    await page.getByRole("row").filter({ hasText: name }).getByText("Planned").click();
    await page.getByRole("button", { name: "Remove from plan" }).waitFor();
    assert.equal(await width(), 360);
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
  },
);

consoleStatsTest(
  "The events page shows how many accepted events violated the plan in the last 30 days, by day.",
  async ({ world, page, open, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const source = await seedEvents(world);
    const schema = { properties: { price: { type: "number", maximum: 5 } } };
    const plan = { mode: "warn", unknownEvents: "allow", events: { order: { mode: null, schema } } };
    const path = `/api/tracking-sources/${source.sourceId}/plan`;
    assert.equal((await world.ask(path, { method: "PUT", body: { plan } })).status, 200);
    await open(`/sources/events?sourceId=${source.sourceId}`);
    await page.getByText("Plan version 1 · ").waitFor();
    const sessionId = await world.openSession(source);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const sent = [0, 1, 1, 4, 9, 9, 9, 10].map((days) =>
      trackEvent({ name: "order", timestamp: daysAgo(days), properties: { price: days === 0 ? 5 : 9 } }),
    );
    await world.send(eventsPath(source), eventsBody(sessionId, sent));
    const counted = async () => {
      const { sourceId } = source;
      const body = { sourceId, dateRange: "30d", metrics: ["planViolations"], include: { bots: true } };
      const answer = await world.ask("/api/stats/query", { method: "POST", body });
      return answer.body.results?.[0]?.metrics[0] === 7;
    };
    await until("the violations are in the warehouse", counted);
    await page.reload();
    await openPlan(page);
    await page.getByText("In the last 30 days, 7 accepted events violated the plan.").waitFor();
    const chart = page.getByRole("img", { name: /by day$/ });
    assert.equal(await chart.locator("> div").count(), 30);
    await page.getByText(/^Most: 3 on /).waitFor();
    assert.equal(await chart.locator('> div[title$=": 3"] > i').getAttribute("style"), "height: 100%;");
    await requireAccessible(page);
    await shootAll(page, "chart", shoot);
  },
);

const time = drivenClock(Date.UTC(2026, 9, 5, 12));

consoleTest(
  "The events page marks an event that came every day and has stopped.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const sendDay = async (names: readonly string[]) => {
      const sessionId = await world.openSession(source);
      const events = names.flatMap((name) =>
        Array.from({ length: 12 }, () => trackEvent({ name }, time.now())),
      );
      const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events, {}, time.now()));
      assert.equal(body.accepted, events.length);
      // the first round stores what was learned, and the second one reads it
      await world.server.maintain();
      time.advance(14 * HOUR);
      await world.server.maintain();
      time.advance(10 * HOUR);
    };
    for (let day = 0; day < 23; day++) await sendDay(["order", "signup"]);
    await sendDay(["signup"]);

    const token = await memberToken(world, "developer");
    await open(`/sources/events?sourceId=${source.sourceId}`, token);
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("order").getByText("Stopped", { exact: true }).waitFor();
    assert.equal(await row("signup").getByText("Stopped").count(), 0);
    await shoot("events-stopped");
    await open(`/sources/delivery?sourceId=${source.sourceId}`, token);
    await page.getByText("These events have stopped arriving: order.").waitFor();
  },
  { clock: time.clock },
);
