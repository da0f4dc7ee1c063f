/** The attempt list with thousands of rows. The test writes the stream itself, because the service stores at most 200 attempts per second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugAttempt } from "@headwater/contract";
import type { Locator, Page } from "playwright-core";
import { until } from "../../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  pageEvent,
  trackEvent,
  type World,
} from "../../../server/test/support/world.ts";
import { daysOf, entryAt, rowOfAttempt } from "../../src/pages/debug/attempt-days.ts";
import { consoleTest } from "../console-world.ts";
import { type Seeded, seed } from "../seed.ts";

const STREAMED = 5_000;

/** A source whose debug page lists 80 attempts, `att_0` to `att_79`, the newest first. */
async function seedMany(world: World, page: Page): Promise<Seeded> {
  const source = await seed(world);
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
  const [like] = body.eventAttempts as DebugAttempt[];
  const attempts = Array.from({ length: 80 }, (_, number) => ({
    ...like,
    attemptId: `att_${number}`,
    receivedAt: new Date(Date.parse(like!.receivedAt) - 1_000 * (number + 1)).toISOString(),
  }));
  await page.route(/\/api\/tracking-sources\/\w+\/debug\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), eventAttempts: attempts } });
  });
  return source;
}

test("Each day of the attempt list has a heading above its attempts.", () => {
  const at = (day: number, hour: number) => ({ receivedAt: new Date(2026, 8, day, hour).toISOString() });
  const attempts = [at(30, 23), at(30, 0), at(29, 23), at(27, 5), at(27, 4)];
  const days = daysOf(attempts);
  assert.deepEqual(days, [
    { name: "Wednesday, September 30", from: 0 },
    { name: "Tuesday, September 29", from: 2 },
    { name: "Sunday, September 27", from: 3 },
  ]);
  const rows = Array.from({ length: 8 }, (_, row) => entryAt(days, row));
  assert.deepEqual(rows, [days[0], 0, 1, days[1], 2, days[2], 3, 4]);
  assert.deepEqual(
    attempts.map((_, index) => rowOfAttempt(days, index)),
    [1, 2, 4, 6, 7],
  );
  assert.deepEqual(daysOf([]), []);
});

consoleTest(
  "With 5,000 streamed attempts only visible rows are in the document, and the keyboard moves through all of them.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    const { body } = await world.ask(`/api/tracking-sources/${sourceId}/debug`);
    const [like] = body.eventAttempts as DebugAttempt[];
    const begin = Date.now();
    const frames = Array.from({ length: STREAMED }, (_, number) => {
      const receivedAt = new Date(begin + number).toISOString();
      const attempt = { ...like, attemptId: `att_${number}`, receivedAt };
      return `id: ${number}\nevent: attempt\ndata: ${JSON.stringify(attempt)}\n\n`;
    });
    await page.route("**/debug/stream*", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: frames.join("") }),
    );
    await open(`/analytics/setup/debug?sourceId=${sourceId}`);
    await page.getByText("5,005 requests").waitFor();
    const list = page.getByRole("listbox", { name: "Requests" });
    assert.ok((await list.getByRole("option").count()) < 60);

    const last = list.locator(`[aria-posinset="${STREAMED + 5}"]`);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await last.waitFor();
    assert.ok((await list.getByRole("option").count()) < 60);

    await page.evaluate("scrollTo(0, 0)");
    await list.locator("#att_4999").click();
    await list.press("ArrowDown");
    await list.locator("#att_4998[aria-selected=true]").waitFor();
    assert.ok(page.url().includes("attempt=att_4998"), "the URL names the open attempt");

    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("region", { name: "Request", exact: true }).waitFor({ state: "detached" });
    assert.equal(await list.evaluate((element) => element === document.activeElement), true);
    assert.equal(
      await list.getAttribute("aria-activedescendant"),
      "att_4998",
      "the row of the attempt is active",
    );
    const isOpened = (place: number) =>
      list.locator(`[aria-posinset="${place}"][aria-selected=true]`).waitFor();
    await page.keyboard.press("ArrowDown");
    await isOpened(3);
    await page.keyboard.press("End");
    await isOpened(STREAMED + 5);
    await page.getByRole("button", { name: "Close" }).click();
    const isInView = () => last.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight);
    await until("the row of the closed attempt is in view", isInView);
    await last.click();
    await isOpened(STREAMED + 5);
    await page.keyboard.press("Home");
    await isOpened(1);
    await page.keyboard.press("PageDown");
    const place = Number(await list.locator("[aria-selected=true]").getAttribute("aria-posinset"));
    assert.ok(place > 3, `Page Down moved to row ${place}`);
    await page.keyboard.press("PageUp");
    await isOpened(1);
  },
);

consoleTest(
  "A paused list does not change and counts new attempts; filters are kept in the URL until they are cleared.",
  async ({ world, page, open }) => {
    const source = await seed(world);
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    await page.getByText("5 requests").waitFor();
    const errorCode = page.getByRole("textbox", { name: "Error code" });
    assert.equal(await errorCode.count(), 0);
    await page.getByRole("button", { name: "More filters" }).click();
    await errorCode.waitFor();
    await page.getByRole("button", { name: "Fewer filters" }).click();
    await errorCode.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause" }).click();
    await world.openSession(source);
    await page.getByText("5 requests, 1 new").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("6 requests").waitFor();

    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByText("3 requests").waitFor();
    await page.getByRole("button", { name: "Origin not allowed", exact: true }).click();
    await page.getByText("1 request", { exact: true }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.equal(searchParams.get("outcome"), "failed");
    assert.equal(searchParams.get("code"), "origin_not_allowed");
    await page.reload();
    await page.getByText("1 request", { exact: true }).waitFor();
    assert.equal(await errorCode.inputValue(), "origin_not_allowed");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("6 requests").waitFor();
  },
);

consoleTest(
  "On a phone the first request is in view, and all filters are behind one button.",
  async ({ world, page, open, shoot }) => {
    const source = await seed(world);
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    const first = page.getByRole("option").first();
    await first.waitFor();
    const { y } = (await first.boundingBox())!;
    assert.ok(y < 600, `the first request is at ${y} px`);
    assert.equal(await page.getByLabel("Outcome").count(), 0);
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByText("3 requests").waitFor();
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width}`);
      await shoot(`debug-filters-${width}`);
    }
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Filters", exact: true }).waitFor();
  },
);

consoleTest(
  "The alert of a refused request names its first fault, and on a phone the request has the page until Back.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await world.openSession(source);
    await world.send(bootstrapPath(source), { ...bootstrapBody(), ingestVersion: 1 });
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    const row = page.getByRole("option").filter({ hasText: "Invalid payload" });
    await row.click();
    const attempt = page.getByRole("region", { name: "Request", exact: true });
    await attempt.getByRole("alert").getByText("ingestVersion must be 2.").waitFor();
    for (const hidden of [row, page.getByRole("region", { name: "Health" })])
      assert.equal(await hidden.isVisible(), false);
    await shoot("debug-opened-390");
    await attempt.getByRole("button", { name: "Back" }).click();
    await attempt.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("listbox").evaluate((list) => list === document.activeElement), true);
    assert.equal(await row.isVisible(), true);

    await world.send(bootstrapPath(source), "{ no JSON");
    await row.nth(1).waitFor();
    await row.first().click();
    await attempt.getByRole("alert").getByText("not valid JSON").waitFor();
    assert.equal(await attempt.getByRole("alert").getByText("not valid JSON").count(), 1);
    const received = attempt.getByRole("region", { name: "Received, JSON" });
    await received.getByText("{ no JSON", { exact: true }).waitFor();
  },
);

consoleTest("The widest time of the 12-hour clock fits in its column.", async ({ world, page, open }) => {
  const source = await world.createSource();
  await world.openSession(source);
  await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
  const [textPx, columnPx] = await page
    .getByRole("option")
    .getByRole("time")
    .evaluate((time) => {
      time.textContent = "12:58:58 PM";
      const text = document.createRange();
      text.selectNodeContents(time);
      return [text.getBoundingClientRect().width, time.clientWidth] as const;
    });
  assert.ok(textPx <= columnPx, `${textPx} px in ${columnPx} px`);
});

consoleTest(
  "Until the first request the debug page shows the next step only, and then its attempts.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    await page.getByRole("link", { name: "Open Install" }).waitFor();
    for (const name of ["Pause", "More filters"])
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    await world.openSession(source);
    await page.getByRole("option").filter({ hasText: "Session opened" }).waitFor();
    await page.getByRole("button", { name: "More filters" }).waitFor();
  },
);

consoleTest(
  "New attempts move the rows of a list only while its beginning is in view.",
  async ({ world, page, open }) => {
    const source = await seedMany(world, page);
    const { sourceId } = source;
    await open(`/analytics/setup/debug?sourceId=${sourceId}`);
    const row = page.locator("#att_40");
    await page.locator("#att_1").waitFor();
    const send = async (total: number) => {
      await world.send(bootstrapPath(source), bootstrapBody());
      await page.getByText(`${total} requests`).waitFor();
    };
    const shown = Number(/^\d+/.exec((await page.getByText(/^\d+ requests$/).textContent())!)?.[0]);
    const top = (of: typeof row) => of.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const first = page.locator("#att_1");
    const before = await top(first);
    await send(shown + 1);
    assert.ok((await top(first)) > before, "at the beginning, the new attempt is in view");

    await page.mouse.wheel(0, 1_600);
    await row.waitFor();
    await until("the list has scrolled", () => page.evaluate(() => scrollY >= 1_500));
    const place = await top(row);
    await send(shown + 2);
    await send(shown + 3);
    assert.equal(await top(row), place, "the rows in view stay");
  },
);

consoleTest(
  "Of many problems the first are listed and the others folded, and an opened request says at the top why its event was rejected.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const { sourceId } = source;
    const plan = {
      mode: "reject",
      unknownEvents: "allow",
      events: { order: { schema: { required: ["price"] } } },
    };
    const saved = await world.ask(`/api/tracking-sources/${sourceId}/plan`, {
      method: "PUT",
      body: { organizationId: ORGANIZATION_ID, plan },
    });
    assert.equal(saved.status, 200);
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent(), trackEvent({ name: "order" })]));
    await page.route(/\/api\/tracking-sources\/\w+\/debug\?/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const codes = [
        "origin_missing",
        "rate_limited",
        "invalid_json",
        "unknown_public_key",
        "source_inactive",
      ];
      body.health.topCodes = codes.map((code) => ({ code, count: 2, hint: `Mend ${code}.` }));
      await route.fulfill({ response, json: body });
    });
    await open(`/analytics/setup/debug?sourceId=${sourceId}`);
    await page.getByRole("button", { name: "Review: Invalid json" }).click();
    await page.getByText("Mend invalid_json.").waitFor();
    const folded = page.getByRole("button", { name: "Review: Source inactive" });
    assert.equal(await folded.isVisible(), false);
    await page.getByText("1 more problem").click();
    await folded.click();
    await page.getByText("Mend source_inactive.").waitFor();

    const row = page.getByRole("option").filter({ hasText: "1 accepted · 1 rejected" });
    await row.click();
    const attempt = page.getByRole("region", { name: "Request", exact: true });
    await attempt.getByText("1 of 2 events rejected").waitFor();
    await attempt
      .getByRole("alert")
      .getByText(/^order: .*price must be present/)
      .waitFor();
    const topOf = (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().top);
    const json = attempt.getByRole("region", { name: "Received, JSON" });
    assert.ok((await topOf(attempt.getByText("Client version", { exact: true }))) < (await topOf(json)));
    assert.ok(await row.isVisible(), "the list stays beside the request");
  },
);

consoleTest(
  "While a request is open, the health is one line whose button shows its problems, and a link opens the list at the request.",
  async ({ world, page, open, shoot }) => {
    const source = await seedMany(world, page);
    const { sourceId } = source;
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(`/analytics/setup/debug?sourceId=${sourceId}&attempt=att_60`);
    const row = page.locator("#att_60[aria-selected=true]");
    await row.waitFor();
    const box = async (of: Locator) => (await of.boundingBox())!;
    await until("the row is in view", async () => {
      const { y, height } = await box(row);
      return y > 0 && y + height < 900;
    });
    const health = page.getByRole("region", { name: "Health" });
    assert.ok((await box(health)).height < 80, "one line");
    assert.equal(await page.evaluate("scrollY"), 0);
    const problem = health.getByRole("button", { name: "Origin not allowed", exact: true });
    assert.equal(await problem.isVisible(), false);
    await shoot("debug-folded");
    await health.getByRole("button", { name: /^\d problems$/ }).click();
    await problem.waitFor();
    await shoot("debug-unfolded");
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await health.getByRole("img", { name: /^Last hour/ }).waitFor();
    assert.equal(await health.getByRole("button", { name: /^\d problems$/ }).count(), 0);
  },
);
