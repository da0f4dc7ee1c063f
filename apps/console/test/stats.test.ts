/** The stats page with a real warehouse and real requests. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  ORIGIN,
  pageEvent,
} from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { HOSTILE, memberToken } from "./seed.ts";
import { lastDays, noon, type SentVisit, shopVisits, visitedShop, visits } from "./visits.ts";

const figureOf = (page: Page, label: string) =>
  page
    .getByRole("region", { name: "Key metrics" })
    .getByRole("button")
    .filter({ has: page.getByText(label, { exact: true }) });
const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });

const fitsItsWindow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

async function shows(page: Page, label: string, text: string): Promise<void> {
  await figureOf(page, label).filter({ hasText: text }).waitFor();
}

consoleStatsTest(
  "Visits appear in the stats, a row filters the view, and the URL shows the same view in another tab.",
  async ({ world, context, page, open, shoot }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    await shows(page, "Visitors", "2+100% vs. 1");
    await shows(page, "Sessions", "2");
    await shows(page, "Page views", "3+200% vs. 1");
    await shows(page, "Bounce rate", "50.0%-50 pp vs. 100.0%");
    await shows(page, "Session duration", "1m\u00a00s");
    await rowOf(page, "/pricing").waitFor();
    await shoot("stats-1-overview");

    const chart = page.getByRole("slider", { name: "Visitors by day" });
    await chart.focus();
    await page.keyboard.press("End");
    assert.match((await chart.getAttribute("aria-valuetext"))!, /: 2, previous 1$/);
    await page.getByText("Show as table").click();
    await page.getByRole("region", { name: "Visitors by day, as a table" }).waitFor();

    await page.getByRole("tab", { name: "Campaigns" }).click();
    await rowOf(page, "autumn").waitFor();
    await page.getByRole("tab", { name: "Entry pages" }).click();
    await page.getByRole("button", { name: "/", exact: true }).first().waitFor();
    await page.getByRole("button", { name: "search.example" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "autumn", exact: true }).click();
    await shows(page, "Visitors", "1");
    await page.getByRole("button", { name: "Remove filter Campaign is autumn" }).waitFor();
    await page.getByText(/^Compared with [^:]+$/).waitFor();
    await page.getByRole("button", { name: "Comparison: Previous period", exact: true }).click();
    await page.getByRole("button", { name: "No comparison" }).click();
    await page.getByText("Compared with").waitFor({ state: "detached" });
    await shoot("stats-2-filtered");

    const shared = await context.newPage();
    await shared.addInitScript(
      `sessionStorage.setItem("headwater.token", ${JSON.stringify(await tokenOf(page))})`,
    );
    await shared.goto(page.url());
    await shows(shared, "Visitors", "1");
    await shared.getByRole("button", { name: "Remove filter Campaign is autumn" }).waitFor();
    assert.equal(await shared.getByText("Compared with").count(), 0);
    assert.equal(
      await shared.getByRole("tab", { name: "Entry pages" }).getAttribute("aria-selected"),
      "true",
    );
    await shared.close();

    await page.getByRole("button", { name: "Remove filter Campaign is autumn" }).click();
    await shows(page, "Visitors", "2");
    await page.goBack();
    await shows(page, "Visitors", "1");
  },
);

consoleStatsTest(
  "Funnel, retention and property values work and are kept in the URL.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: [{ name: "Signed up", event: "signup" }] });
    await visits(world, source, [...shopVisits(), { visitor: "bob", at: noon(2), paths: ["/"] }]);
    await open(lastDays(source));
    await page.getByRole("tab", { name: "Properties" }).click();
    await page.getByRole("button", { name: "plan", exact: true }).click();
    await rowOf(page, "pro").waitFor();
    await page.getByRole("button", { name: "All properties" }).click();
    await rowOf(page, "plan").waitFor();

    await page.getByRole("button", { name: "Funnel", exact: true }).click();
    await page.getByRole("button", { name: "Use the most visited pages" }).waitFor();
    assert.equal(await page.getByLabel("Step 3", { exact: true }).count(), 0, "it begins with two steps");
    await page.getByText("Example", { exact: true }).waitFor();
    await page.getByText("Step 3", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("Type of step 1").locator("option").first().textContent(), "Goal");
    await page.getByLabel("Step 1", { exact: true }).fill("/*");
    await page.getByLabel("Type of step 2").selectOption("event");
    await page.getByLabel("Step 2", { exact: true }).fill("signup");
    await page.getByRole("button", { name: "Show funnel" }).click();
    await page.getByText("50%completed all steps").waitFor();
    const steps = page.getByRole("region", { name: "Funnel", exact: true }).getByRole("listitem");
    assert.deepEqual(await steps.allTextContents(), [
      "1. Page: /*2 visitors · 100%1 continued (50%), 1 dropped off (50%)",
      "2. Event: signup1 visitor · 50%Median 2m\u00a00s, 90% within 2m\u00a00s1 completed all steps",
    ]);
    assert.equal(await page.getByLabel("Step 1", { exact: true }).count(), 0, "the editor is closed");
    await shoot("stats-3-funnel");
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("step1"), searchParams.get("step2")], ["page:/*", "event:signup"]);
    await page.reload();
    await page.getByText("50%completed all steps").waitFor();

    await page.getByRole("button", { name: "Edit steps" }).click();
    await page.getByLabel("Type of step 2").selectOption("goal");
    await page.getByLabel("Step 2", { exact: true }).fill("Signed up");
    await page.getByRole("button", { name: "Show funnel" }).click();
    await page.waitForURL((url) => url.searchParams.get("step2") === "goal:Signed up");
    await page.getByText("50%completed all steps, median 2m\u00a00s").waitFor();
    await page.getByRole("button", { name: "Edit steps" }).click();
    await page.getByLabel("Complete within").selectOption("one session");
    await page.getByRole("button", { name: "Show funnel" }).click();
    await page.getByRole("heading", { name: "2 steps within one session" }).waitFor();
    await page.getByText("50%completed all steps").waitFor();

    await page.getByRole("button", { name: "Retention", exact: true }).click();
    await page.getByText("By day", { exact: true }).click();
    const cohorts = page.getByRole("region", { name: "Retention by cohort" });
    const [, average, first, second] = await until("each day has a row", async () => {
      const rows = await cohorts.getByRole("row").all();
      return rows.length === 4 && Promise.all(rows.map((row) => row.getByRole("cell").allTextContents()));
    });
    assert.deepEqual([first, second], [["1", "100.0%"], ["1"]], "bob returned, ann came on the next day");
    assert.deepEqual(average, ["1", "100.0%"], "of the days that are over: ann's is not");
    await page.getByRole("button", { name: "All visitors" }).click();
    await page.getByText("Visitors are grouped by the day of their first visit in this range.").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("cohort"), "firstInRange");
    await shoot("stats-4-retention");

    await open(`/analytics/stats?sourceId=${source.sourceId}&view=retention&range=2019-01-01..2019-01-07`);
    await page
      .getByText("The table shows how many of each week’s visitors came back in later weeks.")
      .waitFor();
    await page.getByRole("button", { name: "Show the last 12 months" }).click();
    await cohorts.waitFor();
  },
);

consoleStatsTest(
  "Goals show their visitors, conversions, rate and revenue, with an amount for each currency, and the rate on a phone too.",
  async ({ world, page, open, shoot }) => {
    const value = { amount: 5, currency: "EUR" };
    const goals = [
      { name: "Signed up", event: "signup", value },
      { name: "Saw prices", path: "/pricing" },
    ];
    const source = await world.createSource({ goals });
    const paid = { name: "signup", properties: { revenue: { amount: 20, currency: "USD" } } };
    await visits(world, source, [
      ...shopVisits(),
      { visitor: "dan", at: noon(4), paths: ["/"], query: "?utm_source=google" },
      { visitor: "dan", at: noon(2), paths: ["/"], query: "?utm_source=Acme", tracked: [paid] },
      { visitor: "eve", at: noon(2), paths: ["/"], query: "?utm_source=Acme" },
    ]);
    await open(lastDays(source));
    const goal = page.getByRole("row").filter({ hasText: "Signed up" });
    await goal.getByText("$20.00").waitFor();
    const cells = ["Signed up", "2", "50.0%", "$20.00\n€5.00"];
    assert.deepEqual(await goal.getByRole("cell").allInnerTexts(), cells);
    await page.setViewportSize({ width: 1440, height: 900 });
    await goal.getByRole("cell", { name: "new", exact: true }).waitFor();
    assert.deepEqual(await goal.getByRole("cell").allInnerTexts(), cells.toSpliced(2, 0, "2", "new"));
    await shoot("stats-5-goals");
    await page.getByRole("tab", { name: "Revenue" }).click();
    const usd = page.getByRole("row").filter({ hasText: "USD" });
    await usd.waitFor();
    assert.deepEqual(await usd.getByRole("cell").allInnerTexts(), ["USD", "1", "$20.00", "new", "$20.00"]);
    await page.getByRole("tab", { name: "Goals" }).click();
    const panel = page.getByRole("region", { name: "Goals" });
    await page.getByRole("button", { name: "Saw prices" }).click();
    await panel.getByRole("row").filter({ hasText: "letter" }).getByText("—").waitFor();
    await page.getByRole("button", { name: "All goals" }).click();
    await page.getByRole("button", { name: "Signed up" }).click();
    const row = (name: string) => panel.getByRole("row").filter({ hasText: name });
    await row("Acme").getByText("$20.00").waitFor();
    const acme = ["Acme", "1", "1", "50.0%", "$20.00"];
    assert.deepEqual(await row("Acme").getByRole("cell").allInnerTexts(), acme);
    await panel.getByRole("button", { name: "Rate" }).click();
    const bars = await panel.locator(".ranking-bar").evaluateAll((all) => all.map((bar) => bar.style.width));
    assert.deepEqual(bars, ["100%", "50%"], "the bars follow the sorted column");
    await panel.getByRole("button", { name: "Conversions" }).click();
    await page.getByText("First touch", { exact: true }).click();
    await row("Google").getByText("$20.00").waitFor();
    await row("Acme").waitFor({ state: "detached" });
    await page.waitForURL((url) => url.searchParams.get("attribution") === "firstTouch");
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 1400 });
      await row("Google").getByRole("cell", { name: "100.0%" }).waitFor();
      await panel.getByRole("button", { name: "Conversions" }).waitFor();
      await until(`the goal fits ${width} pixels`, () => fitsItsWindow(page));
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFindings(page, rules), []);
        await shoot(`stats-6-goal-${width}-${colorScheme}`);
      }
    }
    await page.getByRole("button", { name: "Filter by goal" }).click();
    await page.getByRole("button", { name: "Remove filter Session with the event signup" }).waitFor();
    await page
      .getByRole("button")
      .filter({ hasText: /^Sessions2/ })
      .waitFor();
  },
);

const HOSTILE_VISIT: SentVisit = {
  visitor: HOSTILE,
  at: noon(1),
  paths: [`/${HOSTILE}`],
  referrer: `https://evil.example/${HOSTILE}`,
  query: `?utm_campaign=${encodeURIComponent(HOSTILE)}`,
  tracked: [{ name: HOSTILE, properties: { [HOSTILE]: HOSTILE } }],
};

consoleStatsTest(
  "Hostile names are shown as text, axe finds nothing serious in light and dark, and every view fits a phone.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, [...shopVisits(), HOSTILE_VISIT]);
    const own = lastDays(source);
    const property = `events=properties&property=${encodeURIComponent(HOSTILE)}`;
    const steps = `step1=page:/*&step2=${encodeURIComponent(`event:${HOSTILE}`)}`;
    const views = [
      { name: "campaigns", address: `${own}&from=utmCampaign&${property}`, text: HOSTILE },
      {
        name: "narrowed",
        address: `${own}&event=${encodeURIComponent(HOSTILE)}&events=properties`,
        text: "Properties of the selected event.",
      },
      { name: "funnel", address: `${own}&view=funnel&${steps}`, text: "completed all steps" },
      { name: "retention", address: `${own}&view=retention&by=day`, text: "First visit" },
    ];
    await page.emulateMedia({ reducedMotion: "reduce" });
    const found: string[] = [];
    for (const { name, address, text } of views) {
      await page.setViewportSize({ width: 1280, height: 1400 });
      await open(address);
      await page.getByText(text).first().waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${name} in ${colorScheme}: ${one}`));
        await shoot(`stats-${name}-${colorScheme}`);
      }
      await page.setViewportSize({ width: 360, height: 1400 });
      await page.getByText(text).first().waitFor();
      await until(`${name} fits a phone`, () => fitsItsWindow(page));
      await shoot(`stats-${name}-phone`);
    }
    assert.deepEqual(found, []);
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
  },
);

consoleTest(
  "Before the first event the page offers to copy the snippet and links to the install page; without a warehouse it shows the API's error.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await open(`/analytics/stats?sourceId=${source.sourceId}`);
    await page.getByRole("heading", { name: "No events yet" }).waitFor();
    await page.getByRole("link", { name: "Open Install" }).waitFor();
    await page.getByRole("button", { name: "Copy snippet" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(snippet.includes(`"${source.publicKey}"`), snippet);
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent()]));
    await page.getByRole("alert").filter({ hasText: "This service has no warehouse" }).waitFor();
    await page.getByText("WAREHOUSE=embedded").waitFor();
    await open(`/analytics/stats?sourceId=${source.sourceId}&range=2250-01-01..2250-01-02`);
    await page.getByRole("alert").filter({ hasText: "must lie between 1970 and 2200" }).waitFor();
  },
);

consoleStatsTest(
  "A rotated key and changed origins are marked on the chart for users with access to the audit log.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    const path = `/api/tracking-sources/${source.sourceId}`;
    for (const change of [{ allowedOrigins: [ORIGIN, "https://other.example"] }, { name: "Renamed" }]) {
      const body = { organizationId: ORGANIZATION_ID, ...change };
      assert.equal((await world.ask(path, { method: "PATCH", body })).status, 200);
    }
    await world.ask(`${path}/regenerate-key`, { method: "POST" });
    const address = `/analytics/stats?sourceId=${source.sourceId}&range=7d&tz=UTC`;
    await open(address);
    const changes = page.getByRole("list", { name: "Annotations" }).getByRole("listitem");
    await changes.filter({ hasText: "Key rotated" }).waitFor();
    assert.deepEqual(
      (await changes.allTextContents()).map((text) => text.replace(/^.*: /, "")),
      ["“Allowed origins” changed", "Key rotated"],
    );
    await shoot("stats-5-changes");

    await open(address, await memberToken(world, "viewer"));
    await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
    assert.equal(await changes.count(), 0);
  },
);

consoleTest(
  "A custom range is two days of a calendar, chosen in any order with the pointer or the keys, and none of them after today.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent()]));
    const address = `/analytics/stats?tz=UTC&sourceId=${source.sourceId}`;
    await open(`${address}&range=2026-03-01..2026-03-05`);
    await page.getByRole("button", { name: "Range: Mar 1 – 5, 2026" }).click();
    const calendar = page.getByRole("region", { name: "Custom range" });
    const march = calendar.getByRole("grid", { name: "March 2026" });
    await march.waitFor();
    assert.deepEqual(await march.getByRole("gridcell", { selected: true }).allTextContents(), [
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
    await march.getByRole("button", { name: "March 10, 2026" }).click();
    await calendar.getByText("Select the last day.").waitFor();
    await march.getByRole("button", { name: "March 9, 2026" }).click();
    const range = page.getByRole("button", { name: "Range: Mar 9 – 10, 2026" });
    await range.waitFor();
    assert.equal(new URL(page.url()).searchParams.get("range"), "2026-03-09..2026-03-10");
    assert.equal(await calendar.count(), 0, "the menu is closed");

    await range.click();
    await march.getByRole("button", { name: "March 10, 2026" }).focus();
    for (const key of ["PageUp", "ArrowUp", "Home", "Enter", "ArrowRight", "Enter"])
      await page.keyboard.press(key);
    await page.waitForURL(/range=2026-02-01\.\.2026-02-02/);

    await open(`${address}&range=today`);
    await page.getByRole("button", { name: "Range: Today" }).click();
    const today = calendar.locator("[aria-current=date]");
    await today.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await today.evaluate((day) => day === document.activeElement), true);
    assert.equal(
      await calendar.getByRole("button", { name: "Next month" }).getAttribute("aria-disabled"),
      "true",
    );
  },
);

consoleTest("The keys beside the ranges of the menu choose them.", async ({ world, page, open }) => {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent()]));
  await open(`/analytics/stats?tz=UTC&sourceId=${source.sourceId}`);
  await page.getByRole("button", { name: "Range: Last 28 days" }).waitFor();
  await page.keyboard.press("y");
  await page.getByRole("button", { name: "Range: Yesterday" }).waitFor();
  await page.keyboard.press("r");
  const lastMonth = page.getByRole("button", { name: "Last month" });
  assert.equal(await lastMonth.getAttribute("aria-keyshortcuts"), "L");
  await page.keyboard.press("l");
  await page.getByRole("button", { name: "Range: Last month" }).waitFor();
});

const tokenOf = (page: Page) => page.evaluate(() => sessionStorage.getItem("headwater.token"));

consoleStatsTest(
  "A source whose events were all imported shows its stats, though none was received.",
  async ({ world, page, open }) => {
    const source = await visitedShop(world);
    await page.route(`**/api/tracking-sources/${source.sourceId}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), lastEventAt: null } });
    });
    await open(lastDays(source));
    await shows(page, "Page views", "3");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);

consoleStatsTest(
  "A printed page has its figures in light colours, without navigation.",
  async ({ world, page, open }) => {
    const source = await visitedShop(world);
    await page.emulateMedia({ colorScheme: "dark" });
    await open(lastDays(source));
    await shows(page, "Page views", "3");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.locator("html[data-color-scheme=light]").waitFor();
    for (const name of ["Pages", "Source pages"])
      assert.equal(await page.getByRole("navigation", { name }).isVisible(), false, name);
    await rowOf(page, "/pricing").waitFor();
    assert.ok(await page.getByRole("button", { name: "Range: " }).isVisible(), "the range is on the paper");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.locator("html:not([data-color-scheme])").waitFor();
  },
);
