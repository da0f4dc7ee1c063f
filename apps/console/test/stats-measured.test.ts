/** Engagement, revenue and web vitals on the stats page. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { lastDays, noon, type SentVisit, shopVisits, visits } from "./visits.ts";

const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
const fitsItsWindow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

/** A visit whose page reports engagement and web vitals, with purchases in two currencies. */
const MEASURED_VISIT: SentVisit = {
  visitor: "dan",
  at: noon(1),
  paths: ["/measured"],
  tracked: [
    { name: "engagement", properties: { seconds: 90, scrollDepth: 64 }, passive: true },
    { name: "web_vitals", properties: { lcp: 2_640, inp: 180, cls: 0.312 }, passive: true },
    { name: "purchase", properties: { revenue: { amount: 49.9, currency: "EUR" } } },
    { name: "purchase", properties: { revenue: { amount: 1_500, currency: "JPY" } } },
  ],
};

/** Selects the tabs of engagement and of revenue. */
const MEASURED_TABS = "pages=engagement&goals=currency";

consoleStatsTest(
  "Time, scroll depth, revenue by currency and rated web vitals are shown; without them, each tab says how to send them.",
  async ({ world, page, open, shoot }) => {
    const [empty, full] = [await world.createSource(), await world.createSource()];
    await visits(world, empty, shopVisits());
    await visits(world, full, [...shopVisits(), MEASURED_VISIT]);
    const rowTexts = async (name: string) => {
      await rowOf(page, name).waitFor();
      return rowOf(page, name).getByRole("cell").allTextContents();
    };
    const ratingOf = (label: string) =>
      page.getByRole("region", { name: "Web vitals" }).locator("dl > div").filter({ hasText: label });
    await page.emulateMedia({ reducedMotion: "reduce" });
    const found: string[] = [];
    const look = async (name: string) => {
      for (const width of [1280, 768, 360]) {
        await page.setViewportSize({ width, height: 2600 });
        await until(`${name} fits ${width} pixels`, () => fitsItsWindow(page));
        await shoot(`stats-${name}-${width}`);
      }
      await page.setViewportSize({ width: 1280, height: 1900 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${name} in ${colorScheme}: ${one}`));
        await shoot(`stats-${name}-${colorScheme}`);
      }
    };

    await open(`${lastDays(full)}&${MEASURED_TABS}`);
    assert.deepEqual(await rowTexts("/measured"), ["/measured", "1", "1m\u00a030s", "64%"]);
    assert.deepEqual(await rowTexts("EUR"), ["EUR", "1", "€49.90", "new", "€49.90"]);
    assert.deepEqual(await rowTexts("JPY"), ["JPY", "1", "¥1,500", "new", "¥1,500"]);
    const metrics = page.getByRole("region", { name: "Key metrics" });
    await metrics.getByRole("button").filter({ hasText: "Engaged sessions2" }).waitFor();
    await ratingOf("LCP").getByText("2.64s").waitFor();
    for (const [label, rating] of [
      ["LCP", "Needs improvement"],
      ["INP", "Good"],
      ["CLS", "Poor"],
    ] as const)
      await ratingOf(label).getByText(rating, { exact: true }).waitFor();
    await page.getByText("75th percentile (p75) of 1 page load:").waitFor();
    assert.equal(await ratingOf("LCP").getByText("vs.").count(), 0, "there is no figure to compare with");
    const mark = ratingOf("LCP").locator(".vital-scale > b");
    assert.equal(
      await mark.evaluate(({ style }) => Math.round(Number.parseFloat(style.insetInlineStart))),
      44,
    );
    await look("measured");
    await page.getByRole("tab", { name: "By page" }).click();
    const byPage = page.getByRole("region", { name: "Web vitals" }).getByRole("row");
    await byPage.filter({ hasText: "/measured" }).waitFor();
    assert.deepEqual(await byPage.last().getByRole("cell").allTextContents(), [
      "/measured",
      "1",
      "▲2.64s",
      "●180ms",
      "■0.31",
    ]);
    await byPage.getByRole("img", { name: "Needs improvement" }).waitFor();
    await shoot("vitals-by-page");
    assert.equal(await byPage.count(), 2, "a head and the only page that was measured");

    await open(`${lastDays(empty)}&${MEASURED_TABS}`);
    await page.getByText("Check that “Measure engagement” is on in the source’s settings").waitFor();
    await page.getByText('revenue: {amount: 49.9, currency: "EUR"}').waitFor();
    await page
      .getByText(
        "No web vitals in this range. To measure them, go to the Install page, turn on Web vitals and copy the new snippet to your site.",
      )
      .waitFor();
    await page.getByRole("link", { name: "Install page" }).waitFor();
    await look("unmeasured");
    assert.deepEqual(found, []);
  },
);
