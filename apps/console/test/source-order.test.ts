/** The list of sources: which one fails is seen at once, and why; search, order and statuses are the API's. */
import assert from "node:assert/strict";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  eventsBody,
  eventsPath,
  MINUTE,
  trackEvent,
} from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { visits } from "./visits.ts";

consoleTest(
  "The menu beside a name lists many sources by name after those opened last, with host and failures; its search finds the others.",
  async ({ world, page, open, shoot }) => {
    const wanted = await world.createSource({
      name: "Menu harbour",
      allowedOrigins: ["https://harbour.example"],
    });
    const shown = await world.createSource({ name: "Menu quay" });
    for (let number = 1; number <= 38; number += 1) await world.createSource({ name: `Menu ${number}` });
    const refused = { origin: "https://other.example" };
    assert.equal((await world.send(bootstrapPath(wanted), bootstrapBody(), refused)).status, 403);
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const { sourceId, name } of [wanted, shown]) {
      await open(`/sources/settings?sourceId=${sourceId}`);
      await page.getByRole("heading", { name }).waitFor();
    }
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    const menu = page.getByRole("button", { name: "Switch source" });
    await menu.click();
    const search = page.getByRole("textbox", { name: "Search sources" }).and(page.locator(":focus"));
    await search.waitFor();
    assert.deepEqual(
      requested.filter((path) => path.startsWith("/api/")),
      ["/api/tracking-sources"],
    );
    const rows = page.locator(".page-name .menu-item");
    assert.deepEqual(
      (await rows.allInnerTexts()).slice(0, 4).map((text) => text.split("\n")[0]),
      ["Menu harbour", "Menu quay", "Menu 1", "Menu 2"],
    );
    await rows.first().getByText("harbour.example").waitFor();
    await rows.first().getByText("Failing").waitFor();
    assert.equal(
      await page.locator(".page-name [data-active]").textContent(),
      await rows.first().textContent(),
    );
    const selected = page.locator(".page-name .menu-item[aria-pressed=true]");
    assert.match((await selected.textContent())!, /^Menu quay/);
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`source-menu-${colorScheme}`);
    }
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      await shoot(`source-menu-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Menu harbour" }).waitFor();
    await menu.click();
    await search.fill("menu 3");
    await rows.getByText("Menu 30", { exact: true }).waitFor();
    assert.match((await rows.first().textContent())!, /^Menu 3(?!\d)/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Menu 3", exact: true }).waitFor();
  },
);

consoleTest(
  "Of 120 sources the failing one is the first row, says why, and leads to the attempts that were refused for this reason; once its origin is allowed, accepted ones follow.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: "Oldest shop" });
    for (let number = 1; number <= 119; number += 1) await world.createSource({ name: `Shop ${number}` });
    const origin = "https://other.example";
    assert.equal((await world.send(bootstrapPath(source), bootstrapBody(), { origin })).status, 403);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await open("/sources");
    const first = page.getByRole("row").nth(1);
    await first.getByText("Oldest shop").waitFor();
    assert.match((await first.textContent())!, /Failing.*Origin not allowed.*1 request refused/);
    const ofSources = requested.filter((path) => path.startsWith("/api/tracking-sources"));
    assert.deepEqual(ofSources, ["/api/tracking-sources"], "one request for a page of 50");
    assert.equal(await page.getByRole("row").count(), 51);
    await page.getByRole("button", { name: "Failing 1", exact: true }).waitFor();
    await shoot("sources-failing");
    const refusals = first.getByRole("link", { name: "1 request refused" });
    assert.match((await refusals.getAttribute("href"))!, /\/setup\/debug\?.*outcome=failed/);
    await first.getByRole("link", { name: "Origin not allowed" }).click();
    const attempts = page.getByRole("listbox", { name: "Requests" });
    await attempts
      .getByRole("option")
      .filter({ hasText: new URL(origin).host })
      .waitFor();
    assert.equal(new URL(page.url()).searchParams.get("code"), "origin_not_allowed");
    await page.getByRole("button", { name: `Allow ${origin}` }).click();
    await page.getByText(/^Allowed \d+:\d\d\s[AP]M$/).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).waitFor({ state: "detached" });
    assert.equal((await world.send(bootstrapPath(source), bootstrapBody(), { origin })).status, 200);
    await attempts.getByRole("option").filter({ hasText: "Session opened" }).waitFor();
  },
);

consoleTest(
  "Search, status and order are the API's and in the address; the whole row is the link.",
  async ({ world, page, open }) => {
    await world.createSource({ name: "Oldest shop" });
    for (let number = 1; number <= 55; number += 1) await world.createSource({ name: `Shop ${number}` });
    await open("/sources");
    await page.getByRole("link", { name: "Shop 55", exact: true }).waitFor();
    const search = page.getByRole("textbox", { name: "Search sources" });
    await search.fill("oldest");
    await page.getByRole("link", { name: "Oldest shop" }).waitFor();
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).searchParams.get("search"), "oldest");
    await search.fill("");
    await page.getByLabel("Order").selectOption("name");
    await page.getByRole("row").nth(1).getByText("Oldest shop").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("row").nth(56).waitFor();
    await page.getByRole("button", { name: "Waiting 56", exact: true }).click();
    await page.waitForURL(/status=waiting/);
    await page.goBack();
    await page.getByRole("button", { name: "All 56", exact: true, pressed: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("oldest install");
    await page.getByRole("button", { name: "Oldest shop: Install" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("row").nth(1).getByText("No events yet").click({ force: true });
    await page.waitForURL(/setup\/install/);
  },
);

consoleTest("The setup leaves once it is done, without a dismissal.", async ({ world, page, open }) => {
  const source = await world.createSource();
  await open("/sources");
  const setup = page.getByRole("region", { name: "Setup" });
  await setup.waitFor();
  const sessionId = await world.openSession(source);
  await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
  await setup.waitFor({ state: "detached" });
  await page.getByText("Receiving").waitFor();
});

consoleStatsTest(
  "Each source has its visitors of seven days, their change and a line of the days, from one request; nothing scrolls sideways.",
  async ({ world, page, open, shoot }) => {
    const busy = await world.createSource({ name: "Busy shop" });
    await world.createSource({ name: "متجر الكتب العربية في وسط المدينة القديمة" });
    await world.createSource({ name: `Long ${"name ".repeat(22)}` });
    const at = Date.now();
    await visits(world, busy, [
      { visitor: "a", at: at - 7 * DAY - MINUTE, paths: ["/"] },
      { visitor: "c", at: at - 7 * DAY - MINUTE, paths: ["/"] },
      { visitor: "d", at: at - 7 * DAY - MINUTE, paths: ["/"] },
      { visitor: "e", at: at - 7 * DAY - MINUTE, paths: ["/"] },
      { visitor: "a", at: at - DAY, paths: ["/"] },
      { visitor: "a", at: at - MINUTE, paths: ["/"] },
      { visitor: "b", at: at - MINUTE, paths: ["/"] },
    ]);
    let queries = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/stats/query")) queries += 1;
    });
    await open("/sources");
    const row = page.getByRole("row").filter({ hasText: "Busy shop" });
    await row.getByTitle("2 visitors in 7 days").waitFor();
    await row.getByText("-50%").and(row.getByTitle("4 in the previous 7 days")).waitFor();
    await row.getByRole("img", { name: /Visitors by day: (?:\d, ){6}\d/ }).waitFor();
    const points = async (line: string) =>
      (await row.locator(line).getAttribute("d"))?.match(/[ML]/g)?.length;
    assert.equal(await points(".week-line:not(.week-open)"), 6, "the days that are over");
    assert.equal(await points(".week-open"), 2, "from yesterday to today");
    assert.equal(queries, 1);
    for (const width of [1440, 1024, 390, 320])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(overflow, 0, `${width}`);
        await shoot(`sources-${width}-${colorScheme}`);
      }
    assert.deepEqual(await seriousFindings(page), []);
  },
);
