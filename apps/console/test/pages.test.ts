/** Every page, with data of people who mean harm, in light and in dark. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { consoleTest } from "./console-world.ts";
import { HOSTILE, memberToken, seed } from "./seed.ts";

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds of serious and critical things, each with the first place of it. */
async function seriousFindings(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  await page.evaluate(async () => {
    // what moves has the colours of its end
    await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const found = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const findings = (await page.evaluate(found)) as Finding[];
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** In the dark only colours are other. */
const SCHEMES = [
  { colorScheme: "light", rules: null },
  { colorScheme: "dark", rules: ["color-contrast"] },
] as const;

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
