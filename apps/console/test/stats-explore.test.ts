/** Filters with operators, lists with their details, the chart's range, bots, and the views for real time and own tables. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  pageEvent,
} from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { dayOf, lastDays, noon, type SentVisit, shopVisits, visitedShop, visits } from "./visits.ts";

const metricOf = (page: Page, label: string, value: string) =>
  page
    .getByRole("region", { name: "Key metrics" })
    .getByRole("button")
    .filter({ hasText: new RegExp(`^${label}${value}(?!\\d)`) });

/** Adds a filter with the menu. */
async function addFilter(page: Page, by: string, condition: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "Add filter" }).click();
  await page.getByLabel("Filter by").selectOption({ label: by });
  await page.getByLabel("Condition").selectOption({ label: condition });
  await page.getByLabel("Value").fill(value);
  await page.getByRole("button", { name: "Apply filter" }).click();
}

consoleStatsTest(
  "Filters are added with an operator and from the list of the top values, values are excluded with the Alt key, and the URL has both.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    await metricOf(page, "Page views", "3").waitFor();
    await addFilter(page, "Page", "does not contain", "pric");
    await metricOf(page, "Page views", "2").waitFor();
    await shoot("stats-filter");
    await page.getByRole("button", { name: "Remove filter Page does not contain pric" }).click();
    await metricOf(page, "Page views", "3").waitFor();

    await page.getByRole("button", { name: "/pricing", exact: true }).click({ modifiers: ["Alt"] });
    await page.getByRole("button", { name: "Remove filter Page is not /pricing" }).waitFor();
    await metricOf(page, "Page views", "2").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("isNot.page"), "/pricing");
    await addFilter(page, "Traffic source", "is", "letter");
    await metricOf(page, "Page views", "1").waitFor();
    await page.getByRole("button", { name: "Clear all" }).click();
    await metricOf(page, "Page views", "3").waitFor();

    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: /^\/pricing\s*\d+$/ }).click();
    await page.getByRole("button", { name: "Remove filter Page is /pricing" }).waitFor();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: /^\/\s*\d+$/ }).waitFor();
  },
);

consoleStatsTest(
  "A list's details are searched, sorted and saved as CSV, and are free of serious findings of axe in light and dark.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const paths = Array.from({ length: 12 }, (_, index) => `/article-${index + 1}`);
    await visits(world, source, [
      { visitor: "ann", at: noon(1), paths: ["/start", ...paths] },
      { visitor: "bob", at: noon(1), paths: ["/start"] },
    ]);
    await open(lastDays(source));
    await page.getByRole("region", { name: "Pages" }).getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Page" });
    const names = async () =>
      Promise.all(
        (await dialog.getByRole("row").all())
          .slice(1)
          .map((row) => row.getByRole("cell").first().textContent()),
      );
    const row = (name: string) => dialog.getByRole("row").filter({ hasText: name });
    await row("/article-12").waitFor();
    assert.equal((await names()).length, 13);
    const ends = await row("/start").getByRole("cell").allInnerTexts();
    assert.deepEqual(ends.slice(-3), ["2", "1", "50.0%"], "entrances, exits and exit rate");
    await dialog.getByRole("button", { name: "Visitors" }).click();
    await dialog.getByRole("row").last().filter({ hasText: "/start" }).waitFor();
    await dialog.getByLabel("Search").fill("article-1");
    await row("/start").waitFor({ state: "detached" });
    assert.deepEqual((await names()).toSorted(), ["/article-1", "/article-10", "/article-11", "/article-12"]);
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`stats-details-${colorScheme}`);
    }
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download CSV" }).click();
    const lines = (await readFile((await (await download).path()) ?? "", "utf8")).split("\r\n");
    assert.equal(
      lines[0],
      "Page,Visitors,Views,Time per view,Sessions,Scroll depth,Entrances,Exits,Exit rate,Visitors (compared period),Views (compared period),Time per view (compared period),Sessions (compared period),Scroll depth (compared period),Entrances (compared period),Exits (compared period),Exit rate (compared period)",
    );
    assert.equal(lines.length, 5);
    await dialog.getByRole("button", { name: "/article-10", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Remove filter Page is /article-10" }).waitFor();
  },
);

consoleStatsTest(
  "Dragging over the chart shows those days, an interval is kept in the URL, and bots are counted on demand.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const userAgent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    const headers = { "user-agent": userAgent };
    const opened = await world.send(bootstrapPath(source), bootstrapBody({ anonymousId: "bot" }), headers);
    const events = eventsBody(opened.body.sessionId, [pageEvent({}, noon(1))], { anonymousId: "bot" });
    assert.equal((await world.send(eventsPath(source), events, headers)).body.accepted, 1);
    await visits(world, source, shopVisits(), 1);
    await open(lastDays(source));
    await page.getByText("1 bot event excluded").waitFor();
    await page.getByRole("button", { name: "Include bots", exact: true }).click();
    await metricOf(page, "Page views", "4").waitFor();
    await page.getByRole("button", { name: "Exclude bots" }).click();
    await metricOf(page, "Page views", "3").waitFor();

    const chart = page.getByRole("slider", { name: "Visitors by day" });
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 50);
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.get("range") === `${dayOf(noon(2))}..${dayOf(noon(1))}`);
    const interval = page.getByRole("group", { name: "Interval" });
    await interval.getByRole("button", { name: "Day" }).click();
    await page.waitForURL((url) => url.searchParams.get("interval") === "day");
    await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
  },
);

consoleStatsTest(
  "The real-time view shows the current visitors and the last 30 minutes by minute, with their pages and sources.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const now: SentVisit = { visitor: "eve", at: Date.now() - 120_000, paths: ["/now"] };
    await visits(world, source, [now, { ...now, visitor: "fay" }]);
    await open(`/analytics/stats?sourceId=${source.sourceId}`);
    await page.getByRole("button", { name: "2 current visitors" }).click();
    await page.waitForURL((url) => url.searchParams.get("view") === "realtime");
    const minutes = page.getByRole("list", { name: "Visitors per minute" });
    await minutes.getByText("2 visitors").waitFor({ state: "attached" });
    assert.equal(await minutes.getByRole("listitem").count(), 30);
    await page.getByRole("region", { name: "Pages" }).getByRole("button", { name: "/now" }).waitFor();
    await page
      .getByRole("region", { name: "Traffic sources" })
      .getByRole("button", { name: "Direct / unknown" })
      .waitFor();
    const recent = page.getByRole("region", { name: "Last 30 minutes" });
    await recent.getByText("2current visitors").waitFor();
    await recent.getByText("2 visitors · 2 page views · 2 events").waitFor();
    await page.getByRole("heading", { name: "Visitors per minute" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Details" }).count(), 0, "no list leaves out rows");
    const headings = page.getByRole("region", { name: "Pages" }).getByRole("columnheader");
    assert.deepEqual(await headings.allTextContents(), ["Page", "Visitors"]);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("stats-realtime");
  },
);

/** Ann buys for 30 and then for 10 euros, after a letter; Bob comes directly and buys nothing. */
const buyers = (): SentVisit[] => [
  {
    visitor: "ann",
    at: noon(1),
    paths: ["/", "/cart"],
    query: "?utm_source=letter&utm_medium=email",
    tracked: [30, 10].map((amount) => ({
      name: "purchase",
      properties: { revenue: { amount, currency: "EUR" }, items: amount / 10 },
    })),
  },
  { visitor: "bob", at: noon(1), paths: ["/", "/cart"] },
];
const GOALS = [{ name: "Bought", event: "purchase" }];
const CART = { name: "Saw the cart", path: "/cart" };

/** @returns the texts of the rows of the table, after `isShown` is one of them */
async function rowsWith(page: Page, isShown: string): Promise<string[][]> {
  const table = page.getByRole("region", { name: "Rows", exact: true });
  await table.getByRole("row").filter({ hasText: isShown }).first().waitFor();
  const rows = await table.getByRole("row").all();
  return Promise.all(rows.slice(1).map((row) => row.getByRole("cell").allInnerTexts()));
}

consoleStatsTest(
  "The table of goals by channel groups the channels of each goal, and low rows have both names on a phone.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: [...GOALS, CART] });
    const cid = { visitor: "cid", at: noon(1), paths: ["/cart"] };
    await visits(world, source, [...buyers(), cid]);
    await open(
      `${lastDays(source)}&view=explore&rows=goal,channel&columns=conversions,conversionRate,visitors`,
    );
    await page.getByRole("heading", { name: "Goals by channel" }).waitFor();
    assert.deepEqual(
      (await rowsWith(page, "Saw the cart")).filter((row) => row[2] !== "0").map((row) => row.slice(0, 3)),
      [
        ["Bought", "Email", "2"],
        ["Saw the cart", "Direct", "2"],
        ["Saw the cart", "Email", "1"],
      ],
    );
    await page
      .getByRole("columnheader", { name: "Goal" })
      .and(page.locator("[aria-sort=ascending]"))
      .waitFor();
    const goals = page.getByRole("row").filter({ hasText: "Saw the cart" });
    const weights = await goals
      .locator("td:first-child > *")
      .evaluateAll((all) => all.map((name) => getComputedStyle(name).fontWeight));
    assert.deepEqual(weights, ["600", "400"], "a repeated name stands back");
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`explore-goals-${colorScheme}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("columnheader", { name: /Goal.*Channel/s }).waitFor();
    const row = await goals.first().boundingBox();
    assert.ok(row && row.height < 70, `two lines of 32 px: ${row?.height}`);
    await shoot("explore-goals-phone");
  },
);

consoleStatsTest(
  "The Explore view begins with ready tables; rows and columns are found by search, sorted by a heading, saved as CSV and kept in the URL.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: GOALS });
    await visits(world, source, buyers());
    await open(lastDays(source));
    await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Explore" }).click();
    await page.getByRole("button", { name: /^Revenue by channel/ }).click();
    await page.getByText("Currency:").waitFor();
    const table = page.getByRole("region", { name: "Table", exact: true });
    await table.getByRole("heading", { name: "Revenue by channel" }).waitFor();
    await table.getByText("2 rows", { exact: true }).waitFor();
    assert.deepEqual(await rowsWith(page, "Email"), [
      ["€40.00", "", "€20.00", "€20.00", "€20.00", "2"],
      ["Email", "€40.00", "100.0%", "€20.00", "€40.00", "€40.00", "1"],
      ["Direct", "€0.00", "0.0%", "—", "€0.00", "€0.00", "1"],
    ]);
    const choose = async (menu: string, text: string, name: string) => {
      await page.getByRole("button", { name: new RegExp(`^${menu}: `) }).click();
      await page.getByLabel(`Search ${menu.toLowerCase()}`).fill(text);
      await page.getByRole("button", { name, exact: true }).click();
      await page.keyboard.press("Escape");
    };
    await choose("Rows", "entry", "Entry page");
    await table.getByRole("heading", { name: "Table", exact: true }).waitFor();
    await choose("Columns", "items aver", "items, average");
    // the columns are those of the answer
    await page.getByRole("columnheader", { name: "items, average" }).waitFor();
    assert.deepEqual(
      (await rowsWith(page, "Email"))[1],
      ["Email", "/", "€40.00", "100.0%", "€20.00", "€40.00", "€40.00", "1", "2"],
      "the average of 3 and 1",
    );
    await page.getByRole("columnheader", { name: "Channel" }).getByRole("button").click();
    await page.waitForURL((url) => url.searchParams.get("sort") === "channel");
    await page.getByRole("row").nth(2).filter({ hasText: "Direct" }).waitFor();
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`explore-${colorScheme}`);
    }
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const lines = (await readFile((await (await download).path()) ?? "", "utf8")).split("\r\n");
    assert.equal(lines[1], "Direct,/,0,,0,0,1,");
    await page.reload();
    await page.getByRole("row").nth(2).filter({ hasText: "Direct" }).waitFor();
    await choose("Rows", "browser", "Browser");
    await choose("Rows", "device", "Device");
    await page.getByRole("button", { name: /^Rows: / }).click();
    await page.getByText("At most 4. Remove one to choose another.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Country", exact: true }).isDisabled());
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Device" }).waitFor();
    const size = page.viewportSize();
    assert.ok(size);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("columnheader", { name: /Channel.*Device/s }).waitFor();
    assert.deepEqual((await rowsWith(page, "Email"))[1]?.slice(0, 2), [
      "Email\n/\nChrome\nDesktop",
      "€40.00",
    ]);
    const figure = await page.getByRole("cell", { name: "€40.00" }).first().boundingBox();
    assert.ok(figure && figure.x + figure.width < 390, "the first figures are in view on a phone");
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    await shoot("explore-phone");
    await page.setViewportSize(size);
    await page.getByRole("button", { name: /^Rows: / }).click();
    await page.getByRole("button", { name: "Browser", exact: true, pressed: true }).click();
    assert.ok(await page.getByRole("button", { name: "Country", exact: true }).isEnabled());
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Email", exact: true }).click();
    await page.getByRole("button", { name: "Remove filter Channel is Email" }).waitFor();
    await open(`${lastDays(source)}&view=explore&rows=channel&columns=visitors&page=/none`);
    await page.getByText("Columns: Visitors. Rows: Channel.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rowsWith(page, "Email");
  },
);

consoleStatsTest(
  "The Explore view credits conversions to the last source that is not direct, tells new from returning visitors, and shows hours by weekdays.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ goals: GOALS });
    const [ann] = buyers();
    assert.ok(ann);
    await visits(world, source, [
      { visitor: "ann", at: noon(3), paths: ["/"], query: "?utm_source=letter&utm_medium=email" },
      { ...ann, query: "", at: noon(1) },
    ]);
    await open(`${lastDays(source)}&view=explore`);
    await page.getByRole("button", { name: /^Last non-direct traffic source/ }).click();
    assert.deepEqual((await rowsWith(page, "letter"))[1], ["letter", "2", "100.0%", "100.0%", "1"]);
    await page.getByRole("group", { name: "Attribution" }).getByRole("button", { name: "Session" }).click();
    await page.getByRole("row").nth(2).filter({ hasText: "Direct / unknown" }).waitFor();

    const openTable = async (name: string) => {
      await page.getByRole("button", { name: "Tables", exact: true }).click();
      await page.getByRole("button", { name }).click();
    };
    await openTable("New and returning visitors");
    const kinds = await rowsWith(page, "Returning");
    // Ann is new on one day and returns on the other; the first row is the total
    assert.deepEqual(
      kinds
        .slice(1)
        .map(([name, visitors]) => [name, visitors])
        .toSorted(),
      [
        ["New", "1"],
        ["Returning", "1"],
      ],
    );
    await openTable("Hours of the week");
    const weekday = new Date(noon(1)).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
    const row = page.getByRole("row").filter({ hasText: weekday });
    await row.getByTitle(new RegExp(`^${weekday}, 12:00\\sPM: 1$`)).waitFor();
    assert.equal(await row.getByRole("cell").count(), 24, "visitors of hours do not add up");
    await shoot("explore-week");
    await page.setViewportSize({ width: 320, height: 1400 });
    const hour = page.getByRole("row").filter({ hasText: /^12\sPM/ });
    await hour.getByTitle(new RegExp(`^${weekday}, 12:00\\sPM: 1$`)).waitFor();
    assert.equal(await hour.getByRole("cell").count(), 7, "on a phone the days stand beside each other");
    const rows = page.getByRole("region", { name: "Rows" });
    assert.ok(await rows.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
    await shoot("explore-week-phone");
    await page.setViewportSize({ width: 1280, height: 1400 });
    await open(`${lastDays(source)}&view=explore&rows=dayOfWeek,hourOfDay&columns=pageviews`);
    const views = page.getByRole("row").filter({ hasText: weekday }).getByRole("cell");
    await views.nth(24).waitFor();
    const total = page
      .getByRole("row")
      .filter({ hasText: /^Total/ })
      .getByRole("cell");
    const shown = await views.allTextContents();
    const sum = shown.slice(0, 24).reduce((all, one) => all + Number(one), 0);
    assert.ok(sum > 0);
    assert.equal(shown[24], String(sum), "the day has its total");
    assert.equal(await total.count(), 25);
  },
);

consoleStatsTest(
  "The stats of all sources count a visitor of two of them once, list the sites by name, and lead back to one source.",
  async ({ world, page, open, shoot }) => {
    const [north, south] = [
      await world.createSource({ name: "North" }),
      await world.createSource({ name: "South" }),
    ];
    const traveller: SentVisit = { visitor: "traveller", at: noon(1), paths: ["/travel"] };
    await visits(world, north, [traveller]);
    await visits(world, south, [traveller, { ...traveller, visitor: "local" }]);
    await open(lastDays(north));
    await page.getByRole("button", { name: "Switch source" }).click();
    await page.getByRole("button", { name: "All sources" }).click();
    await page.getByRole("heading", { name: "All sources" }).waitFor();
    await page.getByText("A visitor with the same ID in several sources is counted once.").waitFor();
    const { searchParams } = new URL(page.url());
    // the service has the sources of other tests too
    const all = `/analytics/all?organizationId=${searchParams.get("organizationId")}&page=/travel`;
    await open(`${all}&${new URL(lastDays(north), world.url).search.slice(1)}`);
    await metricOf(page, "Visitors", "2").waitFor();
    await metricOf(page, "Sessions", "3").waitFor();
    const sites = page.getByRole("region", { name: "Sources", exact: true });
    await sites.getByRole("row").filter({ hasText: "South" }).waitFor();
    assert.deepEqual(await sites.getByRole("row").nth(1).getByRole("cell").allInnerTexts(), [
      "South",
      "2",
      "2",
    ]);
    assert.equal(await page.getByRole("region", { name: "Goals" }).count(), 0, "goals belong to one source");
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`all-sources-${colorScheme}`);
    }
    await sites.getByRole("button", { name: "North" }).click();
    await page.getByRole("button", { name: "Remove filter Source is North" }).waitFor();
    await metricOf(page, "Visitors", "1").waitFor();
    await page.getByRole("button", { name: "Explore", exact: true }).click();
    await page.getByRole("button", { name: /^Entrances and exits/ }).click();
    assert.deepEqual((await rowsWith(page, "/travel"))[0]?.slice(0, 6), [
      "/travel",
      "1",
      "1",
      "1",
      "1",
      "100.0%",
    ]);
    await page.getByRole("button", { name: "Switch source" }).click();
    await page.getByRole("button", { name: /^South / }).click();
    await page.waitForURL((url) => url.searchParams.get("sourceId") === south.sourceId);
  },
);
