/** The stats page in windows of several widths. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../../../server/test/support/until.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, shopVisits, visitedShop, visits } from "../visits.ts";

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
  "On a phone the key metrics are low and without lines, the menus keep their arrows, no tab is cut off, and goals keep their visitors and rate.",
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
    await page.getByRole("combobox", { name: "View" }).waitFor();
    await page.getByRole("button", { name: "Add filter" }).locator(".icon").first().waitFor();
    for (const name of [/^Range/, /^Comparison/])
      await page.getByRole("button", { name }).locator(".icon").last().waitFor();
    const goal = page
      .getByRole("region", { name: "Goals" })
      .getByRole("row")
      .filter({ hasText: "Signed up" });
    await goal.getByText("50.0%").waitFor();
    assert.deepEqual(await goal.getByRole("cell").allInnerTexts(), ["Signed up", "1", "50.0%"]);
    await shoot("stats-phone");
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await until(`no tab is cut off at ${width}`, async () => (await cutTabs(page)).length === 0);
    }
  },
);

consoleStatsTest(
  "At 320 pixels each list has a name and one figure, the name the wider one, the chosen tab and the filter form are in sight, and details keep the name in view.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const paths = ["/", "/products/lamps/for-the-living-room/oak", "/products/lamps/for-the-living-room/ash"];
    await visits(world, source, [{ visitor: "ann", at: noon(1), paths }]);
    await open(lastDays(source));
    await page.setViewportSize({ width: 320, height: 844 });
    const panel = page.getByRole("region", { name: "Pages" });
    const row = panel.getByRole("row").filter({ hasText: "oak" });
    await row.waitFor();
    const widths = await row
      .getByRole("cell")
      .evaluateAll((cells) => cells.map((cell) => cell.clientWidth).filter((width) => width > 0));
    assert.equal(widths.length, 2);
    assert.ok((widths[0] ?? 0) > 0.45 * widths.reduce((sum, width) => sum + width), widths.join());
    const end = row.getByText("/oak", { exact: true });
    const isWhole = (element: Element) => element.scrollWidth <= element.clientWidth;
    assert.ok(await end.evaluate(isWhole), "the last segment of a long path is not cut");
    await shoot("narrow-panels");

    await page.getByRole("button", { name: "Add filter" }).click();
    const apply = page.getByRole("button", { name: "Apply filter" });
    for (const control of [apply, page.getByLabel("Condition")]) {
      const { x = Number.NaN, width = Number.NaN } = (await control.boundingBox()) ?? {};
      assert.ok(x >= 0 && x + width <= 320, `ends at ${x + width}`);
    }
    await page.keyboard.press("Escape");

    await panel.getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: /^Top pages · / });
    const name = dialog.getByRole("cell").filter({ hasText: "oak" });
    const placeOf = async () => (await name.boundingBox())?.x;
    await name.waitFor();
    const before = await placeOf();
    const second = (await dialog.getByRole("columnheader").nth(2).boundingBox())!;
    assert.ok(second.x + second.width <= 320 - 16, "a second figure is in sight");
    await shoot("details-narrow");
    await dialog.getByRole("region", { name: "Rows" }).evaluate((rows) => rows.scrollTo(rows.scrollWidth, 0));
    const last = dialog.getByRole("columnheader").last();
    await until("the last figure is in sight", async () => {
      const { x = Number.NaN, width = Number.NaN } = (await last.boundingBox()) ?? {};
      return x + width <= 320;
    });
    assert.equal(await placeOf(), before, "the name stays");
    await page.setViewportSize({ width: 1440, height: 900 });
    const rows = dialog.getByRole("region", { name: "Rows" });
    await until("all figures fit at 1440", () => rows.evaluate(isWhole));
    await shoot("details-wide");

    await page.setViewportSize({ width: 320, height: 844 });
    await open(`/sources/settings?sourceId=${source.sourceId}`);
    const tab = page
      .getByRole("navigation", { name: "Source pages" })
      .getByRole("link", { name: "Settings" });
    await until("the chosen tab is in sight", async () => {
      const { x = Number.NaN, width = Number.NaN } = (await tab.boundingBox()) ?? {};
      return x >= 0 && x + width <= 320 - 16;
    });
  },
);

/** Where the first figure begins, in pixels from the top of the page. */
const FIRST_FIGURE_AT = { 1440: 150, 390: 200 } as const;

consoleStatsTest(
  "The overview has one row of tools, its first figure begins within 150 pixels on a desk and 200 on a phone, and filters are chips that wrap.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    const rowsOfTools = () =>
      page
        .getByRole("region", { name: "View" })
        .locator(":is(.switcher, .view-select, .live, .dropdown-button):visible")
        .evaluateAll((tools) => {
          const middleOf = (tool: Element) => {
            const { top, bottom } = tool.getBoundingClientRect();
            return Math.round((top + bottom) / 2);
          };
          return new Set(tools.map(middleOf)).size;
        });
    const figure = page.locator(".metric-value[aria-busy=false]").first();
    await open(lastDays(source));
    await figure.waitFor();
    await page.locator(".live").waitFor();
    for (const width of [390, 1024, 1440] as const) {
      await page.setViewportSize({ width, height: 844 });
      await until(`one row at ${width}`, async () => (await rowsOfTools()) === 1);
      const { y = Number.NaN } = (await figure.boundingBox()) ?? {};
      if (width !== 1024) assert.ok(y <= FIRST_FIGURE_AT[width], `${y} at ${width}`);
    }
    const filters = { page: "/pricing", device: "desktop", browser: "Chrome", os: "Windows", country: "DE" };
    await open(`${lastDays(source)}&${new URLSearchParams(filters)}`);
    const chips = page
      .getByRole("group", { name: "Filters" })
      .getByRole("button", { name: /^Remove filter/ });
    await chips.nth(4).waitFor();
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      for (const chip of await chips.all()) {
        const { x = Number.NaN, width: chipWidth = Number.NaN } = (await chip.boundingBox()) ?? {};
        assert.ok(x >= 0 && x + chipWidth <= width, `${await chip.textContent()} ends at ${x + chipWidth}`);
      }
      await shoot(`filters-${width}`);
    }
  },
);

/** @returns what is wider than its place, or ends outside of the window without a region that scrolls */
const sideways = (page: Page) =>
  page.evaluate(() => {
    const switchers = [...document.querySelectorAll(".switcher")].filter(
      (one) => one.scrollWidth > one.clientWidth,
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...switchers.map((one) => one.getAttribute("aria-label")),
      ...(scrollWidth > clientWidth ? [`the page: ${scrollWidth} of ${clientWidth}`] : []),
    ];
  });

consoleStatsTest(
  "The empty form of a funnel fits the first screen of a phone, has one main button, and adds a step below the last one.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`${lastDays(source)}&view=funnel`);
    const hint = page.getByRole("button", { name: "Use the most visited pages" });
    await hint.and(page.locator(":enabled")).waitFor();
    assert.deepEqual(await page.locator(".button-filled:visible").allTextContents(), ["Show funnel"]);
    const endOf = async (part: Locator) => {
      const { y, height } = (await part.boundingBox())!;
      return y + height;
    };
    const show = page.getByRole("button", { name: "Show funnel" });
    assert.ok((await endOf(show)) < 844);
    await shoot("funnel-form-phone");
    const add = page.getByRole("button", { name: "Add step" });
    await add.click();
    const third = page.getByLabel("Step 3", { exact: true });
    await third.waitFor();
    const ends = await Promise.all([third, add, page.getByLabel("Complete within")].map(endOf));
    assert.deepEqual(
      ends,
      ends.toSorted((one, other) => one - other),
    );
    await hint.click();
    await page.getByRole("region", { name: "Funnel", exact: true }).waitFor();
  },
);

consoleStatsTest(
  "No view of the stats scrolls sideways, from 320 pixels up, with long and right-to-left names.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: [{ name: "G".repeat(60), event: "e".repeat(60) }] });
    const long = `/${"a-long-path-".repeat(20)}`;
    const paths = ["/", `/${encodeURIComponent("متجر")}-🛍️`, long];
    const tracked = [{ name: "e".repeat(60), properties: { plan: "p".repeat(100) } }];
    const query = `?utm_campaign=${"c".repeat(120)}`;
    await visits(world, source, [
      { visitor: "ann", at: noon(1), paths, query, tracked },
      { visitor: "bob", at: noon(2), paths, referrer: `https://${"r".repeat(60)}.example/` },
    ]);
    const steps = `&step1=page:/&step2=${encodeURIComponent(`page:${long}`)}`;
    const views = {
      overview: `&page=${encodeURIComponent(long)}`,
      realtime: "",
      funnel: steps,
      paths: "",
      retention: "",
      explore: "",
    };
    for (const [view, params] of Object.entries(views)) {
      await page.setViewportSize({ width: 1440, height: 844 });
      await open(`${lastDays(source)}&view=${view}${params}`);
      await page.locator(".stats").getByText(/\d/).first().waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      for (const width of [320, 360, 390, 768, 1024]) {
        await page.setViewportSize({ width, height: 844 });
        assert.deepEqual(await sideways(page), [], `${view} at ${width}`);
        if (width === 320) await shoot(`narrow-${view}`);
      }
    }
  },
);

consoleStatsTest(
  "The range menu shows its keys and begins at the chosen range, and the rows of the details scroll below their heads.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const paths = Array.from({ length: 30 }, (_, at) => `/page-${at}`);
    await visits(world, source, [{ visitor: "ann", at: noon(1), paths }]);
    await open(`${lastDays(source).replace(/range=[^&]*/, "range=7d")}`);
    await page.getByRole("button", { name: "Range: Last 7 days" }).click();
    const chosen = page.getByRole("button", { name: "Last 7 days", exact: true });
    await until("the chosen range has the focus", () =>
      chosen.evaluate((one) => one === document.activeElement),
    );
    await chosen.locator("kbd").getByText("W").waitFor();
    await shoot("range-menu");
    await page.keyboard.press("Escape");

    await page.setViewportSize({ width: 1280, height: 600 });
    await page.getByRole("region", { name: "Pages" }).getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: /^Top pages · / });
    const rows = dialog.getByRole("region", { name: "Rows" });
    await rows.getByRole("row").nth(25).waitFor();
    const heads = [
      dialog.getByRole("heading"),
      dialog.getByRole("textbox", { name: "Search" }),
      rows.getByRole("columnheader").first(),
      dialog.getByRole("button", { name: "Next" }),
    ];
    const placesOf = async () => Promise.all(heads.map(async (one) => (await one.boundingBox())?.y));
    const before = await placesOf();
    await rows.evaluate((one) => one.scrollTo(0, one.scrollHeight));
    await until("the last row is in sight", async () => {
      const { y = Number.NaN } = (await rows.getByRole("row").last().boundingBox()) ?? {};
      return y < 600 && y > (before[2] ?? 0);
    });
    assert.deepEqual(await placesOf(), before);
    await shoot("details-scrolled");
  },
);
