/** Paths from page to page, and the map of countries. */
import assert from "node:assert/strict";
import { until } from "../../../server/test/support/until.ts";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, visitedShop, visits } from "../visits.ts";

consoleStatsTest(
  "Paths start with the top entry page, are walked from page to page, start at any page, and are kept in the URL.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, [
      { visitor: "ann", at: noon(1), paths: ["/", "/pricing", "/docs"] },
      { visitor: "bob", at: noon(1), paths: ["/", "/pricing"] },
      { visitor: "cid", at: noon(1), paths: ["/blog", "/pricing", "/docs"] },
      { visitor: "dan", at: noon(1), paths: ["/", "/news", "/docs", "/faq"] },
    ]);
    await open(`${lastDays(source)}&view=paths`);
    const column = (name: string) => page.getByRole("region", { name, exact: true }).getByRole("listitem");
    await column("Step 2").filter({ hasText: "/pricing2" }).waitFor();
    assert.deepEqual(await column("Entry page").allTextContents(), ["/3 75.0%", "/blog1 25.0%"]);
    assert.equal(new URL(page.url()).searchParams.get("path1"), null, "the top entry page is not a choice");
    await column("Step 3").filter({ hasText: "Left the site1 50.0%" }).waitFor();
    await page.getByRole("button", { name: "/blog", exact: true }).click();
    await column("Step 2").filter({ hasText: "/pricing1" }).waitFor();
    await page.getByRole("button", { name: "Begin at /blog" }).waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await column("Step 2").filter({ hasText: "/pricing2" }).waitFor();
    await page.getByRole("button", { name: "/pricing", exact: true }).click();
    await column("Step 3").first().waitFor();
    assert.deepEqual((await column("Step 3").allTextContents()).toSorted(), [
      "/docs1 50.0%",
      "Left the site1 50.0%",
    ]);
    assert.deepEqual(
      ["path1", "path2"].map((name) => new URL(page.url()).searchParams.get(name)),
      ["/", "/pricing"],
    );
    await page.locator(".path-column[aria-busy=true]").first().waitFor({ state: "detached" });
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("paths");
    await page.setViewportSize({ width: 390, height: 1400 });
    const isBelow = async () => {
      const [first, next, second] = await Promise.all(
        [
          page.getByRole("button", { name: "/", exact: true }),
          page.getByRole("region", { name: "Step 2" }),
          page.getByRole("button", { name: "/blog", exact: true }),
        ].map(async (one) => (await one.boundingBox())?.y ?? 0),
      );
      return first! < next! && next! < second!;
    };
    await until("on a phone a step stands directly below its page", isBelow);
    await shoot("paths-phone");
    await page.setViewportSize({ width: 1280, height: 1400 });
    await page.getByRole("button", { name: "Begin at /pricing" }).click();
    await column("Step 2").filter({ hasText: "/docs2" }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("path1"), searchParams.get("start")], ["/pricing", "page"]);

    await open(`${lastDays(source)}&view=paths&path1=/&path2=/pricing&path3=/docs`);
    await column("Step 4").first().waitFor();
    assert.deepEqual(
      await column("Step 4").allTextContents(),
      ["Left the site1 100.0%"],
      "the visit by /news took another path",
    );
  },
);

consoleStatsTest("Further rows of a step are shown on request.", async ({ world, page, open }) => {
  const source = await world.createSource();
  const ways = Array.from({ length: 14 }, (_, at) => `/way-${at}`);
  await visits(
    world,
    source,
    ways.map((way) => ({ visitor: way, at: noon(1), paths: ["/", way] })),
  );
  await open(`${lastDays(source)}&view=paths`);
  const step = page.getByRole("region", { name: "Step 2", exact: true });
  await step.getByRole("button", { name: "Show 2 more" }).click();
  await step.getByRole("listitem").nth(13).waitFor();
  assert.equal(await step.getByRole("button").count(), ways.length);
});

consoleStatsTest(
  "A country is filtered by on the map, which is loaded when it is shown.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    await page.route("**/api/stats/query", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const row = { dimensions: ["DE"], metrics: [2], comparison: null, complete: null, share: null };
      const isByCountry = body.dimensions?.[0] === "country" && body.metrics.length === 1;
      await route.fulfill({ response, json: isByCountry ? { ...body, results: [row] } : body });
    });
    await open(lastDays(source));
    await page.getByRole("tab", { name: "Map" }).click();
    const map = page.getByRole("img", { name: "Map of the visitors’ countries" });
    await map.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("map");
    await map.locator("[data-visited]").click();
    await page.getByRole("button", { name: "Remove filter Country is Germany" }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);
