/** Single visits in the stats: who is here now, and who dropped off; and events beside pages. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../../server/test/support/until.ts";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { dayOf, lastDays, noon, type SentVisit, visits } from "../visits.ts";

const MINUTE_MS = 60_000;

const withoutLoading = (page: Page) =>
  page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });

consoleStatsTest(
  "Real time lists the visits of those who are here now, the newest first, and leads to their events; a viewer sees the figures only.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const now = Date.now();
    await visits(world, source, [
      { visitor: "ann", at: now - 3 * MINUTE_MS, paths: ["/", "/pricing"], query: "?utm_source=letter" },
      {
        visitor: "bob",
        at: now - 2 * MINUTE_MS,
        paths: ["/docs"],
        tracked: [{ name: "signup", properties: {} }],
      },
      { visitor: "cid", at: now - 25 * MINUTE_MS, paths: ["/متجر"] },
    ]);
    await page.clock.setFixedTime(now);
    const address = `/analytics/stats?sourceId=${source.sourceId}&tz=UTC&view=realtime`;
    await open(address);
    const here = page.getByRole("list", { name: "Here now" }).getByRole("listitem");
    await here.nth(1).waitFor();
    const [first = "", second = ""] = await here.allTextContents();
    assert.match(first, /\/docs.*signup.*1 page/, "bob did the last thing");
    await page.getByRole("heading", { name: "Here now · 2 visitors, 2 sessions" }).waitFor();
    assert.match(second, /\/pricing.*entered at \/.*letter.*2 pages/);
    const earlier = page.getByRole("list", { name: "Earlier" }).getByRole("listitem");
    assert.match((await earlier.allTextContents()).join(), /\/متجر/);
    await withoutLoading(page);
    assert.deepEqual(await seriousFindings(page), []);
    await here.first().getByText("1 min. ago").waitFor();
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await page
        .locator(".visit-did, .visit-cell > bdi")
        .evaluateAll((all) =>
          all.filter((one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1),
        );
      assert.deepEqual(cut, [], `nothing is cut off at ${width}`);
    }
    await shoot("realtime");
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 1400 });
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width}`);
      await shoot(`realtime-${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await here.first().getByRole("link").click();
    await page.getByRole("heading", { name: /^Session/ }).waitFor();

    await open(address, (await world.person("viewer")).token);
    await page.getByRole("region", { name: "Pages" }).getByRole("row").nth(1).waitFor();
    assert.equal(await page.getByRole("list", { name: "Here now" }).count(), 0);
  },
  { isApart: true },
);

const checkoutVisits = (): SentVisit[] => [
  { visitor: "ann", at: noon(1), paths: ["/cart", "/checkout"] },
  { visitor: "bob", at: noon(1), paths: ["/cart", "/checkout", "/help"] },
  { visitor: "cid", at: noon(2), paths: ["/cart"] },
  {
    visitor: "eve",
    at: noon(2),
    paths: ["/cart", "/checkout"],
    tracked: [{ name: "purchase", properties: {} }],
  },
];

consoleStatsTest(
  "Those who dropped off at a step of a funnel are listed, with as many rows as the funnel counts.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, checkoutVisits());
    await open(
      `${lastDays(source)}&view=funnel&step1=page:/cart&step2=page:/checkout&step3=event:purchase&device=desktop`,
    );
    const funnel = page.getByRole("region", { name: "Funnel" });
    const steps = funnel.getByRole("listitem");
    await steps.nth(1).getByText("Most visitors lost").waitFor();
    assert.equal(await funnel.getByText("Most visitors lost").count(), 1);
    await steps.nth(1).getByRole("button", { name: "2 dropped off (66.7%)" }).click();
    const dialog = page.getByRole("dialog", { name: /^2 visitors dropped off after “\/checkout” · \w/ });
    const rows = dialog.getByRole("list", { name: "Sessions", exact: true }).getByRole("listitem");
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    await dialog.getByText("Last page", { exact: true }).waitFor();
    assert.match((await rows.allTextContents()).join(), /\/help.*\/checkout/);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("funnel-dropped-off");
    await dialog.getByRole("button", { name: "Close" }).click();
    await steps.nth(2).getByRole("button", { name: "1 completed all steps" }).click();
    await page
      .getByRole("dialog", { name: /^1 visitor completed all steps/ })
      .getByRole("listitem")
      .waitFor();
    await page.getByRole("dialog").getByRole("link").click();
    await page.getByRole("heading", { name: /^Session/ }).waitFor();
  },
);

consoleStatsTest(
  "Paths have events as steps beside the pages, and an event continues a path.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, checkoutVisits());
    await open(`${lastDays(source)}&view=paths`);
    const column = (name: string) => page.getByRole("region", { name, exact: true }).getByRole("listitem");
    await column("Step 2").first().waitFor();
    await page.getByRole("button", { name: "Pages and events" }).click();
    await page.getByRole("button", { name: "/checkout", exact: true }).click();
    await column("Step 3").filter({ hasText: "purchase" }).waitFor();
    await page.getByRole("button", { name: "purchase", exact: true }).click();
    await column("Step 4").filter({ hasText: "Left the site1 100.0%" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("path3"), "event:purchase");
    await shoot("paths-events");
    await page.getByRole("button", { name: /^Begin at / }).click();
    await page.getByRole("heading", { name: "Paths from purchase" }).waitFor();
    await column("Step 2").filter({ hasText: "Left the site" }).waitFor();
    await page.getByRole("button", { name: "Pages", exact: true }).click();
    await column("Step 2").filter({ hasText: "/checkout" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("path1"), null);
  },
);

consoleStatsTest(
  "Retention has a row of averages of the periods that are over, and counts those who come back to an event.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const order = [{ name: "order", properties: {} }];
    await visits(world, source, [
      { visitor: "ann", at: noon(5), paths: ["/"] },
      { visitor: "ann", at: noon(4), paths: ["/"], tracked: order },
      { visitor: "bob", at: noon(4), paths: ["/"] },
      { visitor: "cid", at: noon(4), paths: ["/"] },
      { visitor: "bob", at: noon(3), paths: ["/"] },
    ]);
    const range = `${dayOf(noon(5))}..${dayOf(noon(3))}`;
    await open(`/analytics/stats?sourceId=${source.sourceId}&tz=UTC&range=${range}&view=retention&by=day`);
    const average = page.getByRole("row").filter({ hasText: "Average" });
    await average.waitFor();
    // one of one came back the next day, and one of two; nobody of one after two days
    assert.deepEqual(await average.getByRole("cell").allTextContents(), ["2", "66.7%", "0.0%"]);
    const region = page.getByRole("region", { name: "Retention by cohort" });
    assert.deepEqual(
      await region.evaluate((panel) => {
        const [, , first, second] = panel.querySelectorAll("thead th");
        const { right } = panel.firstElementChild!.getBoundingClientRect();
        return [right === panel.getBoundingClientRect().right, first?.clientWidth === second?.clientWidth];
      }),
      [true, true],
      "the table fills its panel, with days of one width",
    );
    await shoot("retention");
    await page.getByRole("button", { name: "Events: First: any visit · Return: any visit" }).click();
    await page.getByLabel("Return event", { exact: true }).fill("order");
    await page.getByRole("button", { name: "Apply" }).click();
    await until(
      "the average is of orders",
      async () => (await average.getByRole("cell").allTextContents()).join(" ") === "2 33.3% 0.0%",
    );
    assert.equal(new URL(page.url()).searchParams.get("again"), "event:order");
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("retention-events");
  },
);
