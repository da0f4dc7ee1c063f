/** What the stats page shows while the figures of another filter or of other columns are loading. */
import assert from "node:assert/strict";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, type SentVisit, shopVisits, visitedShop, visits } from "../visits.ts";

const sale: SentVisit = {
  visitor: "ann",
  at: noon(1),
  paths: ["/", "/cart"],
  tracked: [{ name: "purchase", properties: { revenue: { amount: 30, currency: "EUR" } } }],
};

consoleStatsTest(
  "Each figure, chart and list is dim until its own data arrives, has its place before, and no figure appears below another heading.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await visits(world, source, [sale, ...shopVisits().slice(1)]);
    await open(lastDays(source));
    const metrics = page.getByRole("region", { name: "Key metrics" });
    const figures = (name: string, busy: boolean) =>
      metrics
        .getByRole("button")
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator(`.metric-value[aria-busy=${busy}]`);
    const chart = (busy: boolean) =>
      page
        .locator(`[aria-busy=${busy}]`)
        .filter({ has: page.getByRole("region", { name: "Visitors by day" }) });
    const pages = page.getByRole("region", { name: "Pages" });
    await figures("Sessions", false).waitFor();
    await pages.getByRole("button", { name: "/cart", exact: true }).waitFor();

    const held: (() => void)[] = [];
    const isFree = { totals: true, rest: true };
    await page.route("**/api/stats/query", async (route) => {
      const { metrics: asked, dimensions = [] } = route.request().postDataJSON();
      const isTotals = asked[0] === "visitors" && asked.length > 1 && dimensions.length === 0;
      if (!isFree[isTotals ? "totals" : "rest"]) await new Promise<void>((free) => held.push(free));
      await route.continue();
    });
    isFree.rest = false;
    await pages.getByRole("button", { name: "/cart", exact: true }).click();
    await figures("Visitors", false).filter({ hasText: /^1$/ }).waitFor();
    await chart(true).waitFor();
    await pages.locator("[aria-busy=true] table").waitFor();
    const shares = await pages
      .locator("[data-share]")
      .evaluateAll((all) => all.map((one) => Number.parseFloat(one.getAttribute("data-share") ?? "")));
    assert.ok(shares.length > 0 && shares.every((share) => share <= 100), `of the old total: ${shares}`);
    isFree.rest = true;
    for (const free of held.splice(0)) free();
    await chart(false).waitFor();
    await pages.locator("[aria-busy=false] table").waitFor();

    const byRevenue = page.getByRole("button", { name: "By revenue in EUR" });
    await byRevenue.waitFor();
    isFree.rest = false;
    await byRevenue.click();
    await pages.getByRole("status", { name: "Loading" }).waitFor();
    assert.equal(await pages.getByRole("row").count(), 0);
    isFree.rest = true;
    for (const free of held.splice(0)) free();
    await pages.getByRole("row").filter({ hasText: "Revenue" }).waitFor();

    const heightOf = async () => (await metrics.boundingBox())?.height;
    const height = await heightOf();
    isFree.totals = false;
    isFree.rest = false;
    await page.reload();
    await metrics.locator(".metric-loading").first().waitFor();
    assert.equal(await heightOf(), height, "the place of a figure is as high as the figure");
    isFree.totals = true;
    isFree.rest = true;
    for (const free of held.splice(0)) free();
    await figures("Sessions", false).waitFor();
    await metrics.locator(".metric-loading").first().waitFor({ state: "detached" });
    assert.equal(await heightOf(), height);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);

consoleStatsTest(
  "The figures and the chart are asked for before the workspace and the source are known.",
  async ({ world, page, open }) => {
    const source = await visitedShop(world);
    await open("/team");
    const { promise: held, resolve: free } = Promise.withResolvers<void>();
    await page.route(/\/api\/(?:organizations|tracking-sources)/, async (route) => {
      await held;
      await route.continue();
    });
    const asked = (dimensions: number) =>
      page.waitForRequest(
        (request) =>
          request.url().endsWith("/api/stats/query") &&
          (request.postDataJSON().dimensions ?? []).length === dimensions,
      );
    const both = Promise.all([asked(0), asked(1)]);
    await open(lastDays(source));
    await both;
    const further: string[] = [];
    page.on("request", (request) => further.push(String(request.postData())));
    free();
    await page.getByRole("region", { name: "Visitors by day" }).waitFor();
    const again = further.filter((body) => body.includes('"engagedSessions"') && body.includes('"fast"'));
    assert.deepEqual(again, [], "the answers are used");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);

consoleStatsTest(
  "Figures that are never estimated are asked for after all others of the page.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await visits(world, source, [sale, ...shopVisits().slice(1)]);
    const { promise: held, resolve: free } = Promise.withResolvers<void>();
    const asked: string[] = [];
    await page.route("**/api/stats/query", async (route) => {
      const { accuracy, dimensions = [] } = route.request().postDataJSON();
      asked.push(accuracy);
      if (dimensions[0] === "page") await held;
      await route.continue();
    });
    await open(lastDays(source));
    await page.getByRole("region", { name: "Devices" }).getByRole("row").nth(1).waitFor();
    await page.getByRole("region", { name: "Locations" }).getByRole("row").nth(1).waitFor();
    assert.deepEqual(new Set(asked), new Set(["fast"]));
    const vitals = page.waitForRequest(
      (request) =>
        request.url().endsWith("/api/stats/query") && String(request.postData()).includes("p75:lcp"),
    );
    free();
    await vitals;
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);

consoleStatsTest(
  "A table by goals and the first funnel have their places before their values are known.",
  async ({ world, page, open }) => {
    const source = await world.createSource({ goals: [{ name: "Bought", event: "purchase" }] });
    await visits(world, source, [sale]);
    const { promise: held, resolve: free } = Promise.withResolvers<void>();
    await page.route("**/api/stats/query", async (route) => {
      await held;
      await route.continue();
    });
    await open(`${lastDays(source)}&view=funnel`);
    const first = page.getByRole("button", { name: "Use the most visited pages" });
    await first.and(page.locator(":disabled")).waitFor();
    await page.getByText(/^The funnel shows how many visitors completed each step/).waitFor();
    await open(`${lastDays(source)}&view=explore&rows=channel&columns=visitors,conversionRate`);
    await page.getByRole("status", { name: "Loading" }).waitFor();
    const goal = page.getByLabel("Goal", { exact: true });
    const placeOf = async () => {
      const { x, y } = (await goal.boundingBox()) ?? {};
      return { x, y };
    };
    const before = await placeOf();
    free();
    await page.getByRole("region", { name: "Rows" }).getByRole("row").nth(1).waitFor();
    assert.equal(await goal.inputValue(), "Bought");
    assert.deepEqual(await placeOf(), before);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);

consoleStatsTest(
  "Real time and paths show no zero before their first answer.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    const { promise: held, resolve: free } = Promise.withResolvers<void>();
    await page.route("**/api/stats/query", async (route) => {
      await held;
      await route.continue();
    });
    await open(`/analytics/stats?sourceId=${source.sourceId}&tz=UTC&view=realtime`);
    const recent = page.getByRole("region", { name: "Last 30 minutes", exact: true });
    await recent
      .getByText("Last 30 minutes—")
      .or(recent.getByText("—", { exact: true }))
      .first()
      .waitFor();
    assert.doesNotMatch((await recent.textContent()) ?? "", /visitors ·/);
    await shoot("realtime-loading");
    free();
    await recent.getByText("0 visitors · 0 page views · 0 events").waitFor();

    await open(`${lastDays(source)}&view=paths&path1=/&path2=/pricing`);
    await page.getByRole("region", { name: "Step 3" }).getByRole("listitem").first().waitFor();
    await page.locator(".path-column[aria-busy=true]").first().waitFor({ state: "detached" });
    const { promise: heldPaths, resolve: freePaths } = Promise.withResolvers<void>();
    await page.route("**/api/stats/paths", async (route) => {
      await heldPaths;
      await route.continue();
    });
    await page.getByRole("button", { name: /^Begin at / }).click();
    const start = page.getByRole("region", { name: "Page", exact: true });
    await start.getByRole("status", { name: "Loading" }).waitFor();
    assert.equal(await start.getByRole("listitem").count(), 0);
    await shoot("paths-loading");
    freePaths();
    await start.getByRole("listitem").first().waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);
