/** The page of a session and of a visitor: what is stored, and the erasure from there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { propertiesOf } from "../src/pages/visitor/property-list.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { HOSTILE } from "./seed.ts";
import { noon, shopVisits, visits } from "./visits.ts";

const WIDTHS = [1440, 1024, 390];

test("A row shows the first properties of an event, those of nested objects with their path.", () => {
  const properties = {
    value: "49.00",
    revenue: { amount: 12.5, currency: "EUR" },
    cart: { size: 2 },
    tags: ["a", 1],
    none: null,
  };
  assert.deepEqual(
    propertiesOf(properties).map(({ name, value }) => `${name} ${value}`),
    ["value 49.00", "revenue €12.50", "cart.size 2", 'tags ["a",1]', "none null"],
  );
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`p${number}`, "x".repeat(500)]));
  assert.equal(propertiesOf(many).length, 12);
  assert.equal(propertiesOf(many)[0]?.value.length, 80);
});

consoleStatsTest(
  "A request of the debug page leads to its stored event, to the visitor, and to the visitor's erasure.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: `Shop ${HOSTILE}` });
    const report = { name: "engagement", properties: { seconds: 9 }, passive: true } as const;
    const earlier = { visitor: "ann", at: noon(2), paths: ["/earlier"], tracked: [report] };
    await visits(world, source, [earlier, ...shopVisits()]);
    const { eventAttempts } = (await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).body;
    const attempt = eventAttempts.find(({ anonymousId }: { anonymousId: string }) => anonymousId === "ann");
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}&attempt=${attempt.attemptId}`);
    const results = page.getByRole("region", { name: "Result per event" });
    await results.getByRole("link").first().click();
    await page
      .getByRole("heading", { name: "Stored event" })
      .or(page.getByText("Stored event"))
      .first()
      .waitFor();
    const shows = (name: string, text: RegExp) =>
      page.getByRole("region", { name, exact: true }).filter({ hasText: text }).waitFor();
    await shows("Session", /Page views2Custom events1Duration2m/);
    const signup = page.getByRole("button", { name: "signup" });
    assert.match((await signup.textContent()) ?? "", /^\d+:\d\d:\d\d\s[AP]Msignup\/pricingplan pro$/);
    await signup.click();
    await page.getByText('"plan": "pro"').first().waitFor();

    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${width} ${colorScheme}: ${one}`));
        await shoot(`visitor-${width}-${colorScheme}`);
      }
      const [timePx, namePx] = await signup.evaluate((row) => {
        const time = row.querySelector("time")!;
        time.textContent = "12:58:58 PM";
        const text = document.createRange();
        text.selectNodeContents(time);
        const name = row.querySelector(".visit-name")!;
        return [text.getBoundingClientRect().right, name.getBoundingClientRect().left] as const;
      });
      assert.ok(timePx < namePx, `the time ends at ${timePx} px, the name begins at ${namePx} px`);
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      assert.ok(await page.evaluate(fits), `fits ${width}`);
    }
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 1440, height: 1000 });

    await page.getByRole("link", { name: "ann", exact: true }).click();
    // the report of engagement is passive
    await shows("Visitor", /Sessions2Page views3Custom events1/);
    const newest = page.getByRole("region", { name: /^Session ses_/ }).first();
    await newest.filter({ hasText: /2 page views · 3 events · lasted 2m/ }).waitFor();
    await page.getByRole("link", { name: "Back to Session" }).click();
    await page.getByRole("link", { name: "Back to Debug" }).waitFor();
    await page.getByRole("link", { name: "ann", exact: true }).click();
    await page.getByRole("button", { name: "Erase visitor" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase this visitor?" });
    await dialog.getByText("All events, sessions and debug history of the visitor “ann”").waitFor();
    await shoot("visitor-erase");
    await dialog.getByRole("button", { name: "Erase visitor" }).click();
    await page.getByText("Receipt:").waitFor();
    await page.getByText("Erased", { exact: true }).waitFor({ timeout: 60_000 });
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&anonymousId=ann`);
    await page.getByRole("heading", { name: "No stored events" }).waitFor();
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&anonymousId=bob`);
    await shows("Visitor", /Sessions1Page views1Custom events0/);
    const short = page.getByRole("region", { name: "Sessions with one event" });
    await short.getByText("from Direct / unknown").waitFor();
    await page.getByRole("button", { name: "Copy ID" }).click();
    await page.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "bob");
    const tab = page.getByRole("navigation", { name: "Source pages" }).locator("[aria-current]");
    assert.equal(await tab.textContent(), "Stats", "a visitor belongs to the stats");
    await page.getByRole("link", { name: "Back to Stats" }).waitFor();
    await page.goto(`${page.url()}&from=debug`);
    await page.getByRole("link", { name: "Back to Debug" }).waitFor();
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
  },
);

consoleStatsTest(
  "Filtered by an event, the stats page leads to its latest events, and from there to the visit of each.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const id = "5d6430c4-0c2e-4c5e-9a53-1f2f3f4f5f6f";
    const tracked = Array.from({ length: 25 }, () => ({ name: "signup", properties: {} }));
    await visits(world, source, [...shopVisits(), { visitor: id, at: noon(2), paths: ["/"], tracked }]);
    await open(`/analytics/stats?sourceId=${source.sourceId}&event=signup`);
    await page.getByRole("link", { name: "Latest “signup” events" }).click();
    await page.getByRole("heading", { name: "Latest “signup” events" }).waitFor();
    const rows = page.getByRole("listitem").filter({ has: page.locator("time") });
    await rows.getByRole("link", { name: "5d6430c4", exact: true }).first().waitFor();
    assert.equal(await page.getByTitle(id).count(), 24, "the whole id is the title");
    assert.equal(await rows.filter({ hasText: "signup" }).count(), 0, "the heading says the name");
    const tab = page.getByRole("navigation", { name: "Source pages" }).locator("[aria-current]");
    assert.equal(await tab.textContent(), "Stats");
    await page.getByRole("link", { name: "Back to Stats" }).click();
    await page.getByRole("link", { name: "Latest “signup” events" }).click();
    await page.getByRole("heading", { name: "Latest “signup” events" }).waitFor();
    assert.equal(await rows.count(), 25);
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.nth(25).waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFindings(page, rules), [], `${width} ${colorScheme}`);
        await shoot(`latest-events-${width}-${colorScheme}`);
      }
    }
    await page.getByRole("link", { name: "ann", exact: true }).first().click();
    await page
      .getByRole("region", { name: "Session", exact: true })
      .filter({ hasText: "Page views2Custom events1" })
      .waitFor();
    assert.equal(await tab.textContent(), "Stats");
    await page.getByRole("link", { name: "Back to Latest “signup” events" }).click();
    await page.getByRole("link", { name: "Back to Stats" }).waitFor();
    await page.getByRole("link", { name: "Back to Stats" }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Find a visitor" }).click();
    await page.getByLabel("ID type").selectOption({ label: "Visitor ID" });
    await page.getByLabel("ID", { exact: true }).fill(" cid ");
    await page.getByRole("button", { name: "Show visitor" }).click();
    await page.waitForURL((url) => url.searchParams.get("anonymousId") === "cid");
    await page.getByText("/pricing").first().waitFor();
    await page.getByRole("link", { name: "Back to Stats" }).waitFor();
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&name=unknown`);
    await page.getByRole("heading", { name: "No stored events" }).waitFor();
    assert.equal(await tab.textContent(), "Events");
    await page.getByRole("link", { name: "Back to Events" }).waitFor();
  },
);
