/** Lists by revenue with their comparison, and averages of properties. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { SCHEMES, seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, type SentVisit, shopVisits, visitedShop, visits } from "../visits.ts";

const sale = (
  visitor: string,
  daysAgo: number,
  amount: number,
  campaign: string,
  currency = "EUR",
): SentVisit => ({
  visitor,
  at: noon(daysAgo),
  paths: ["/", "/cart"],
  query: `?utm_source=mail&utm_campaign=${campaign}`,
  tracked: [{ name: "purchase", properties: { revenue: { amount, currency }, seats: amount / 10 } }],
});

consoleStatsTest(
  "Lists are shown by revenue, with the change since the compared period in the details, and properties have averages.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, [
      sale("ann", 1, 30, "spring"),
      sale("bob", 1, 20, "autumn"),
      sale("cid", 2, 20, "autumn"),
      sale("dan", 4, 20, "autumn"),
      ...shopVisits().slice(1),
    ]);
    await open(lastDays(source));
    await page.getByRole("button", { name: "By revenue in EUR" }).click();
    await page.waitForURL((url) => url.searchParams.get("revenue") === "EUR");
    await page.getByRole("tab", { name: "Campaigns" }).click();
    const panel = page.getByRole("region", { name: "Acquisition" });
    const cells = async (name: string) =>
      (await panel.getByRole("row").filter({ hasText: name }).getByRole("cell").allTextContents()).slice(1);
    await panel.getByRole("row").filter({ hasText: "autumn" }).waitFor();
    assert.deepEqual(await cells("autumn"), ["€40.00", "2", "2"]);
    assert.deepEqual(await cells("spring"), ["€30.00", "1", "1"]);
    await panel.getByRole("button", { name: "Details" }).click();
    const details = page.getByRole("dialog", { name: "Campaign" });
    const change = details.getByRole("row").filter({ hasText: "autumn" });
    await change.waitFor();
    assert.deepEqual((await change.getByRole("cell").allTextContents()).slice(1), [
      "€40.00",
      "+100%",
      "2",
      "2",
      "€20.00",
    ]);
    await details.getByRole("button", { name: "Close" }).click();
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`lists-revenue-${colorScheme}`);
    }
    await page.getByRole("tab", { name: "Properties" }).click();
    const seats = page.getByRole("row").filter({ hasText: "seats" });
    await seats.getByText("avg 2.33", { exact: true }).waitFor();
    await seats.click();
    await page.getByText("Average 2.33 · Median 2 · 90th percentile 2.8").waitFor();
  },
);

consoleStatsTest(
  "A panel has at most nine rows, the details have all, and events and properties without an action are left out.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const properties = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`field${at}`, at]));
    const tracked = [
      { name: "signup", properties },
      { name: "reading", properties: { seconds: 4 }, passive: true as const },
    ];
    await visits(world, source, [{ visitor: "ann", at: noon(1), paths: ["/"], tracked }]);
    await open(lastDays(source));
    const panel = page.getByRole("region", { name: "Events" });
    await panel.getByRole("button", { name: "signup" }).waitFor();
    assert.equal(await panel.getByRole("button", { name: "reading" }).count(), 0);
    await panel.getByRole("tab", { name: "Properties" }).click();
    await panel.getByRole("row").filter({ hasText: "field8" }).waitFor();
    assert.equal(await panel.getByRole("row").count(), 1 + 9);
    await panel.getByRole("button", { name: "Details" }).click();
    const all = page.getByRole("dialog", { name: "Properties" });
    await all.getByRole("button", { name: "field9" }).waitFor();
    assert.equal(await all.getByRole("row").count(), 1 + 10, "without the seconds of the passive event");
    await all.getByRole("button", { name: "field9" }).click();
    await page.waitForURL((url) => url.searchParams.get("property") === "field9");
    await all.waitFor({ state: "hidden" });
  },
);

consoleStatsTest(
  "With more than three currencies a select has all of them, and shows the lists by revenue in one.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await visits(world, source, [
      sale("ann", 1, 30, "spring", "USD"),
      sale("bob", 1, 20, "autumn", "EUR"),
      sale("cid", 2, 2_000, "winter", "JPY"),
      sale("dan", 2, 10, "summer", "CHF"),
    ]);
    await open(`${lastDays(source)}&from=utmCampaign`);
    const lists = page.getByLabel("Lists");
    await lists.waitFor();
    assert.deepEqual(await lists.getByRole("option").allTextContents(), [
      "By visitors",
      ...["CHF", "EUR", "JPY", "USD"].map((currency) => `By revenue in ${currency}`),
    ]);
    await lists.selectOption("JPY");
    await page.waitForURL((url) => url.searchParams.get("revenue") === "JPY");
    const panel = page.getByRole("region", { name: "Acquisition" });
    await panel.getByRole("cell", { name: "¥2,000" }).waitFor();
  },
);

consoleStatsTest(
  "The details of a list have every value with its change, and the CSV file has both periods.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const campaigns = Array.from({ length: 10 }, (_, index) =>
      sale(`visitor-${index}`, 1, 10, `mail-${index}`),
    );
    await visits(world, source, [...campaigns, sale("ann", 2, 50, "autumn"), sale("bob", 4, 20, "autumn")]);
    await open(`${lastDays(source)}&from=utmCampaign&revenue=EUR`);
    await page.getByRole("region", { name: "Acquisition" }).getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Campaign" });
    const row = dialog.getByRole("row").filter({ hasText: "autumn" });
    await row.waitFor();
    assert.deepEqual((await row.getByRole("cell").allTextContents()).slice(1), [
      "€50.00",
      "+150%",
      "1",
      "1",
      "€50.00",
    ]);
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download CSV" }).click();
    const text = await readFile((await (await download).path()) ?? "", "utf8");
    assert.ok(text.split("\r\n").includes("autumn,50,1,1,20,1,1"), text);
  },
);

consoleStatsTest(
  "The CSV file has the values of all pages of the API, and the last page of the details keeps the focus.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const reader = (number: number): SentVisit => ({
      visitor: `reader-${number}`,
      at: noon(1),
      paths: Array.from({ length: 400 }, (_, at) => `/article-${number * 400 + at}`),
    });
    await visits(world, source, [0, 1, 2, 3].map(reader));
    await open(lastDays(source));
    await page.getByRole("region", { name: "Pages" }).getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Page" });
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download CSV" }).click();
    const text = await readFile((await (await download).path()) ?? "", "utf8");
    assert.equal(new Set(text.trim().split("\r\n")).size, 1 + 1_600, "a heading and a row for every page");
    await dialog.getByLabel("Search").fill("/article-11");
    const next = dialog.getByRole("button", { name: "Next" });
    await dialog.getByText("1–25", { exact: true }).waitFor();
    const pages = Math.ceil((1 + 10 + 100) / 25);
    for (let at = 1; at < pages; at += 1) {
      await dialog.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
      await next.click();
    }
    await dialog.getByRole("button", { name: "Next", disabled: true }).waitFor();
    await dialog.getByText("101–111 of 111", { exact: true }).waitFor();
    assert.equal(await next.evaluate((button) => button === document.activeElement), true);
  },
);

consoleStatsTest(
  "A short list has details with all metrics of its dimension, versions name their browser, and visits without a value are last.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const landing = shopVisits()[0];
    assert.ok(landing);
    await visits(world, source, [
      landing,
      { visitor: "bob", at: noon(1), paths: ["/"] },
      { visitor: "cid", at: noon(1), paths: ["/"] },
    ]);
    await open(`${lastDays(source)}&from=utmCampaign&with=browserVersion`);
    const acquisition = page.getByRole("region", { name: "Acquisition" });
    await acquisition.getByRole("row").nth(2).waitFor();
    const names = await acquisition.getByRole("row").getByRole("cell").allTextContents();
    assert.deepEqual(
      names,
      ["autumn", "1", "1", "(not set)", "2", "2"],
      "two visitors without a campaign are last",
    );
    await page.waitForFunction(
      () => document.querySelectorAll("[aria-label=Acquisition] [data-share]").length > 0,
    );
    assert.deepEqual(
      await acquisition
        .locator("[data-share]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-share"))),
      ["100.0%"],
      "the share of a campaign is of the visitors with one",
    );
    await acquisition.getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Campaign" });
    await dialog.getByRole("button", { name: "Bounce rate" }).click();
    const headings = ["Campaign", "Visitors", "Sessions", "Views", "Bounce rate", "Change", "Duration"];
    await dialog.getByRole("columnheader", { name: "Change" }).waitFor();
    assert.deepEqual(await dialog.getByRole("columnheader").allTextContents(), headings);
    await dialog.getByRole("button", { name: "Close" }).click();

    const devices = page.getByRole("region", { name: "Devices" });
    await devices.getByRole("cell", { name: /^Chrome \d+$/ }).click();
    await page.getByRole("button", { name: /^Remove filter Browser is Chrome$/ }).waitFor();
    await page.getByRole("button", { name: /^Remove filter Browser version is \d+$/ }).waitFor();
  },
);

consoleStatsTest(
  "The lists of campaigns share a tab, whose menu the mouse and the keyboard open, and the URL names the list.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    const panel = page.getByRole("region", { name: "Acquisition" });
    const tabs = panel.getByRole("tab");
    const menu = panel.getByRole("menu", { name: "Campaigns" });
    await panel.getByRole("tab", { name: "Traffic sources", selected: true }).waitFor();
    assert.equal(await tabs.count(), 4);
    await panel.getByRole("tab", { name: "Campaigns" }).click();
    await panel.getByRole("button", { name: "autumn" }).waitFor();
    assert.equal(await menu.count(), 0, "the first click shows the campaigns");
    await panel.getByRole("tab", { name: "Campaigns" }).click();
    await menu.getByRole("menuitemradio", { name: "Campaigns", checked: true }).waitFor();
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`lists-menu-${colorScheme}`);
    }
    await menu.getByRole("menuitemradio", { name: "UTM source" }).click();
    await panel.getByRole("button", { name: "letter" }).waitFor();
    await panel.getByRole("tab", { name: "UTM source", selected: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("from"), "utmSource");

    await page.keyboard.press("Enter");
    await menu.waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await menu.getByRole("menuitemradio", { name: "UTM source" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("from") === "utmMedium");
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL((url) => url.searchParams.get("from") === "channel");
    await panel.getByRole("tab", { name: "Campaigns", selected: false }).waitFor();

    await open(`${lastDays(source)}&from=utmTerm&with=browserVersion`);
    await panel.getByRole("tab", { name: "UTM term", selected: true }).waitFor();
    await page.getByRole("tab", { name: "Browser versions", selected: true }).waitFor();
  },
);

consoleStatsTest(
  "A country or a language is found by its name, a filter takes names in any case, and the CSV file has every row.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const visitors = Array.from({ length: 30 }, (_, index) => index);
    await visits(world, source, [
      ...visitors.map((index) => ({ visitor: `v-${index}`, at: noon(1), paths: [`/page-${index}`] })),
      ...shopVisits(),
      { visitor: "v-cafe", at: noon(1), paths: ["/café"] },
    ]);
    await open(`${lastDays(source)}&places=country`);
    const places = page.getByRole("region", { name: "Locations" });
    await places.getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Countries" });
    const search = async (text: string, expected: string) => {
      const found = page.waitForRequest((request) => (request.postData() ?? "").includes(expected));
      await dialog.getByLabel("Search").fill(text);
      await found;
    };
    await search("switz", '"operator":"in","value":["CH"]');
    await dialog.getByRole("button", { name: "Close" }).click();

    const pages = page.getByRole("region", { name: "Pages" });
    await pages.getByRole("button", { name: "Details" }).click();
    const download = page.waitForEvent("download");
    const details = page.getByRole("dialog", { name: "Page" });
    await details.getByRole("button", { name: "Download CSV" }).click();
    const text = await readFile((await (await download).path()) ?? "", "utf8");
    assert.equal(text.trim().split("\r\n").length, 1 + 33, "a heading and a row for every page");
    await details.getByLabel("Search").fill("nowhere");
    await details.getByText("No value contains “nowhere”. Change or clear the search.").waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route("**/api/stats/query", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await details.getByLabel("Search").fill("CAFÉ");
    await details.getByText("No value contains").waitFor({ state: "detached" });
    answered.resolve();
    await details.getByRole("button", { name: "/café" }).waitFor();
    await details.getByRole("button", { name: "Close" }).click();

    const addFilter = async (by: string, value: string) => {
      await page.getByRole("button", { name: "Add filter" }).click();
      await page.getByLabel("Filter by").selectOption({ label: by });
      await page.getByLabel("Value").fill(value);
      await page.getByRole("button", { name: "Apply filter" }).click();
    };
    await addFilter("Country", "germany");
    await page.getByRole("button", { name: "Remove filter Country is Germany" }).click();
    await addFilter("Traffic source", "Direct / unknown");
    await page.getByRole("button", { name: "Remove filter Traffic source is Direct / unknown" }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("missing") === "source");
  },
);
