/** Every page, with data of people who mean harm, in light and in dark. */
import assert from "node:assert/strict";
import { consoleTest } from "./console-world.ts";
import { SCHEMES, seriousFindings } from "./findings.ts";
import { HOSTILE, memberToken, seed } from "./seed.ts";

consoleTest(
  "On every page hostile data is text, no script of it runs, and axe finds nothing serious in light and dark.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await seed(world);
    await memberToken(world, "viewer", HOSTILE.slice(0, 100));
    await world.ask(`/api/tracking-sources/${sourceId}/regenerate-key`, { method: "POST" });
    const pages = [
      { path: "/sources", text: HOSTILE },
      { path: "/sources/new", text: "Create a source" },
      { path: `/sources/settings?sourceId=${sourceId}`, text: "None of the latest attempts" },
      { path: `/analytics/setup/install?sourceId=${sourceId}`, text: "Through your own site" },
      { path: `/analytics/setup/debug?sourceId=${sourceId}`, text: "other.example" },
      { path: `/analytics/stats?sourceId=${sourceId}`, text: "This service has no warehouse" },
      { path: "/team", text: HOSTILE.slice(0, 100) },
      { path: "/tokens", text: "ends in" },
      { path: "/audit", text: "source.created" },
      { path: "/usage", text: "Accepted events by day" },
      { path: "/sign-in", text: "Access token" },
    ];
    await page.emulateMedia({ reducedMotion: "reduce" });
    const found: string[] = [];
    for (const { path, text } of pages) {
      await open(path);
      await page.getByText(text).first().waitFor();
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${path} in ${colorScheme}: ${one}`));
        await shoot(`page${path.split("?")[0]!.replaceAll("/", "-")}-${colorScheme}`);
      }
    }
    await open(`/analytics/setup/debug?sourceId=${sourceId}`);
    const rows = page.getByRole("listbox", { name: "Attempts" }).getByRole("option");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 5);
    for (let row = 0; row < 5; row += 1) {
      await rows.nth(row).click();
      await page.getByRole("region", { name: "As it came, JSON" }).waitFor();
      found.push(...(await seriousFindings(page)));
      await shoot(`attempt-${row}`);
    }
    assert.deepEqual(found, []);
    assert.ok(await page.getByText(HOSTILE).first().isVisible());
    assert.equal(await page.evaluate("window.ran"), undefined, "no script of the data has run");
  },
);
