/** The page of a session and of a visitor: what is stored, and the erasure from there. */
import assert from "node:assert/strict";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { HOSTILE } from "./seed.ts";
import { noon, shopVisits, visits } from "./visits.ts";

const WIDTHS = [1440, 1024, 390];

consoleStatsTest(
  "A request of the debug page leads to its stored event, to the visitor, and to the visitor's erasure.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: `Shop ${HOSTILE}` });
    await visits(world, source, shopVisits());
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
    await page.getByRole("region", { name: "Session", exact: true }).getByText("3 events").waitFor();
    await page.getByRole("button", { name: "signup" }).click();
    await page.getByText('"plan": "pro"').first().waitFor();

    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${width} ${colorScheme}: ${one}`));
        await shoot(`visitor-${width}-${colorScheme}`);
      }
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      assert.ok(await page.evaluate(fits), `fits ${width}`);
    }
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 1440, height: 1000 });

    await page.getByRole("link", { name: "ann", exact: true }).click();
    await page.getByRole("region", { name: "Visitor", exact: true }).getByText("3 events").waitFor();
    await page.getByRole("button", { name: "Erase visitor" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase this visitor?" });
    await dialog.getByText("Everything of the visitor “ann”").waitFor();
    await shoot("visitor-erase");
    await dialog.getByRole("button", { name: "Erase visitor" }).click();
    await page.getByText("Receipt:").waitFor();
    await page.getByText("Erased", { exact: true }).waitFor({ timeout: 60_000 });
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&anonymousId=ann`);
    await page.getByRole("heading", { name: "No stored events" }).waitFor();
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&anonymousId=bob`);
    await page.getByRole("region", { name: "Visitor", exact: true }).getByText("1 event").waitFor();
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
    assert.equal(await rows.count(), 25);
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.nth(25).waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        assert.deepEqual(await seriousFindings(page, rules), [], `${width} ${colorScheme}`);
        await shoot(`latest-events-${width}-${colorScheme}`);
      }
    }
    await page.getByRole("link", { name: "ann", exact: true }).first().click();
    await page.getByRole("region", { name: "Session", exact: true }).getByText("3 events").waitFor();
    await page.goto(`${world.url}/analytics/visitor?sourceId=${source.sourceId}&name=unknown`);
    await page.getByRole("heading", { name: "No stored events" }).waitFor();
  },
);
