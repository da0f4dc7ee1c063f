/** Addresses that lead to nothing: those without a page, and one of an attempt that is not there. */
import assert from "node:assert/strict";
import { OWNER_TOKEN } from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";
import { seed } from "./seed.ts";

consoleTest(
  "An address without a page says so and leads to the sources; axe finds nothing serious, and it fits a phone.",
  async ({ world, page, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(`${world.url}/sign-in?next=/nowhere%3Fa%3Db`);
    await page.getByLabel("Access token").fill(OWNER_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "There is nothing here" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/nowhere");
    assert.equal(await page.title(), "There is nothing here · Headwater");
    const found: string[] = [];
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      found.push(...(await seriousFindings(page, rules)));
      await shoot(`missing-${colorScheme}`);
    }
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 360, height: 800 });
    await shoot("missing-phone");
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= 360"));
    await page.getByRole("link", { name: "To the sources" }).click();
    await page.getByRole("heading", { name: "Sources" }).waitFor();
  },
);

consoleTest(
  "An attempt that an address names and the list has not is said to be missing.",
  async (started) => {
    const { world, page, open } = started;
    const { sourceId } = await seed(world);
    const debug = `/analytics/setup/debug?sourceId=${sourceId}`;
    const missed = page.getByText("The attempt of this address is not among these");
    await open(`${debug}&attempt=att_gone`);
    await missed.waitFor();
    await page.getByRole("option").filter({ hasText: "origin_not_allowed" }).click();
    await page.getByRole("region", { name: "The attempt" }).waitFor();
    assert.equal(await missed.count(), 0);
  },
);
