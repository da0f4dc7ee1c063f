/** Paths from page to page, and the map of countries. */
import assert from "node:assert/strict";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, shopVisits, visits } from "../visits.ts";

consoleStatsTest(
  "Paths are walked from page to page, start at any page, and are kept in the URL.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, [
      { visitor: "ann", at: noon(1), paths: ["/", "/pricing", "/docs"] },
      { visitor: "bob", at: noon(1), paths: ["/", "/pricing"] },
      { visitor: "cid", at: noon(1), paths: ["/blog", "/pricing", "/docs"] },
    ]);
    await open(`${lastDays(source)}&view=paths`);
    const column = (name: string) => page.getByRole("region", { name, exact: true }).getByRole("listitem");
    await column("Start").filter({ hasText: "/blog" }).waitFor();
    assert.deepEqual(await column("Start").allTextContents(), ["/2", "/blog1"]);
    await page.getByText("Select a page to see where visitors went next").waitFor();
    await page.getByRole("button", { name: "/", exact: true }).click();
    await column("Step 2").filter({ hasText: "/pricing2" }).waitFor();
    await page.getByRole("button", { name: "/pricing", exact: true }).click();
    await column("Step 3").first().waitFor();
    assert.deepEqual((await column("Step 3").allTextContents()).toSorted(), ["/docs1", "Left the site1"]);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("paths");
    await page.getByRole("button", { name: "Start at the selected page" }).click();
    await column("Step 2").filter({ hasText: "/docs2" }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("path1"), searchParams.get("start")], ["/pricing", "page"]);
  },
);

consoleStatsTest(
  "A country is filtered by on the map, which is loaded when it is shown.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await page.route("**/api/stats/query", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const row = { dimensions: ["DE"], metrics: [2], comparison: null, complete: null };
      const isByCountry = body.dimensions?.[0] === "country" && body.metrics.length === 1;
      await route.fulfill({ response, json: isByCountry ? { ...body, results: [row] } : body });
    });
    await open(lastDays(source));
    await page.getByRole("tab", { name: "Map" }).click();
    const map = page.getByRole("img", { name: "Map of the visitors' countries" });
    await map.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("map");
    await map.locator("[data-visited]").click();
    await page.getByRole("button", { name: "Remove filter Country is Germany" }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);
