/** The stats page in windows of several widths. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../../server/test/support/until.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, shopVisits, visitedShop, visits } from "../visits.ts";

/** @returns the tabs that end outside of their panel */
const cutTabs = (page: Page) =>
  page.getByRole("tab").evaluateAll((tabs) =>
    tabs
      .filter((tab) => {
        const end = tab.parentElement?.getBoundingClientRect().right ?? 0;
        return tab.getBoundingClientRect().right > end + 1;
      })
      .map((tab) => tab.textContent),
  );

consoleStatsTest(
  "On a phone the key metrics are low and without lines, the menus keep their arrows, no tab is cut off, and goals keep their rate.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: [{ name: "Signed up", event: "signup" }] });
    await visits(world, source, shopVisits());
    await page.setViewportSize({ width: 1280, height: 1400 });
    await open(lastDays(source));
    const metrics = page.getByRole("region", { name: "Key metrics" });
    const line = metrics.locator(".sparkline").first();
    await line.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await line.waitFor({ state: "hidden" });
    for (const tile of await metrics.getByRole("button").all()) {
      const { height = Number.NaN } = (await tile.boundingBox()) ?? {};
      assert.ok(height <= 76, `${await tile.textContent()} is ${height} pixels high`);
    }
    const chart = page.getByRole("region", { name: "Visitors by day" });
    assert.ok(((await chart.boundingBox())?.y ?? 844) < 600, "the chart begins on the first screen");
    const views = page.getByRole("group", { name: "View" });
    assert.equal(await views.evaluate((one) => one.scrollWidth - one.clientWidth), 0, "all views have room");
    await page.getByText("online", { exact: true }).waitFor();
    for (const name of ["Add filter", /^Range/, /^Comparison/])
      await page.getByRole("button", { name }).locator(".icon").last().waitFor();
    const goal = page
      .getByRole("region", { name: "Goals" })
      .getByRole("row")
      .filter({ hasText: "Signed up" });
    await goal.getByText("50.0%").waitFor();
    await goal.getByText("—").waitFor();
    assert.deepEqual(await goal.getByRole("cell").allInnerTexts(), ["Signed up", "50.0%", "—"]);
    await shoot("stats-phone");
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await until(`no tab is cut off at ${width}`, async () => (await cutTabs(page)).length === 0);
    }
  },
);

consoleStatsTest(
  "Filters move nothing below them, at any width, and the row of filters is as wide as the page.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    const metrics = page.getByRole("region", { name: "Key metrics" });
    const topOf = () => metrics.evaluate((one) => one.getBoundingClientRect().top + scrollY);
    const filters = page.getByRole("group", { name: "Filters" });
    const FIVE = { page: "/pricing", device: "desktop", browser: "Chrome", os: "Windows", country: "DE" };
    const WIDTHS = [390, 768, 1024, 1440];
    const topsOf = async () => {
      const tops = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        tops.push(await topOf());
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width}`);
        await shoot(`filters-${width}`);
      }
      return tops;
    };
    await metrics.locator(".metric-value[aria-busy=false]").first().waitFor();
    const tops = await topsOf();
    await page
      .getByRole("region", { name: "Pages" })
      .getByRole("button", { name: "/pricing", exact: true })
      .click();
    await filters.getByRole("button", { name: "Save as segment" }).waitFor({ state: "attached" });
    assert.deepEqual(await topsOf(), tops, "one filter");
    await open(`${lastDays(source)}&${new URLSearchParams(FIVE)}`);
    await filters.getByRole("button", { name: "Clear all" }).waitFor({ state: "attached" });
    assert.equal(await filters.getByRole("button", { name: /^Remove filter/ }).count(), 5);
    assert.deepEqual(await topsOf(), tops, "five filters");
  },
);
