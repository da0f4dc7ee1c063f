/** The views of the stats for fingers, screen readers and people who want no motion. The other pages: pages.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../../server/test/support/until.ts";
import { consoleStatsTest } from "../console-world.ts";
import { movingParts, poorNames, smallTargets } from "../reach.ts";
import { lastDays, visitedShop } from "../visits.ts";

async function faultsOf(page: Page): Promise<string[]> {
  const waiting = page.locator(".loading, [aria-busy=true]");
  await until("everything is loaded", async () => (await waiting.count()) === 0);
  return [...(await smallTargets(page)), ...(await poorNames(page)), ...(await movingParts(page))];
}

consoleStatsTest(
  "On a phone fingers reach every control of the stats and its menus, each has a name, and nothing moves for people who want no motion.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    const stats = lastDays(source);
    await page.setViewportSize({ width: 390, height: 844 });
    const views = [
      [stats, page.getByRole("region", { name: "Visitors by day" })],
      [`${stats}&view=explore`, page.getByText("New and returning visitors")],
      [`${stats}&view=realtime`, page.getByRole("region", { name: "Last 30 minutes" })],
      [`${stats}&view=funnel`, page.getByRole("button", { name: "Show funnel" })],
      [`${stats}&view=paths`, page.getByText("Pages and events")],
      [`${stats}&view=retention`, page.getByText("First visit", { exact: true })],
      [`/sources/delivery?sourceId=${source.sourceId}`, page.getByText("30 days")],
    ] as const;
    const found: string[] = [];
    for (const [path, shown] of views) {
      await open(path);
      await shown.first().waitFor();
      const faults = await faultsOf(page);
      await shoot(`reach-${new URLSearchParams(path).get("view") ?? path.split(/[/?]/)[2]}`);
      found.push(...faults.map((one) => `${path}: ${one}`));
    }
    await open(stats);
    for (const name of [/^Range/, /^Comparison/, "Add filter", "More actions", "Navigation"]) {
      await page.getByRole("button", { name }).click();
      const faults = await faultsOf(page);
      await shoot(`reach-${String(name).replace(/\W/g, "")}`);
      found.push(...faults.map((one) => `${name}: ${one}`));
      await page.keyboard.press("Escape");
    }
    assert.deepEqual(found, []);
  },
);
