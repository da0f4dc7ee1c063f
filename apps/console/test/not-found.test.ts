/** URLs without a page, a slash at the end of one, and a link to an attempt that does not exist. */
import assert from "node:assert/strict";
import { OWNER_TOKEN } from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";
import { seed } from "./seed.ts";

consoleTest(
  "The not-found page links to the sources, is accessible, and fits a phone.",
  async ({ world, page, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const answer = await page.goto(`${world.url}/nowhere?a=b`);
    assert.equal(answer?.status(), 404);
    await page.evaluate((token) => sessionStorage.setItem("headwater.token", token), OWNER_TOKEN);
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/nowhere");
    assert.equal(await page.title(), "Page not found · Headwater");
    const found: string[] = [];
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await seriousFindings(page, rules)));
      await shoot(`missing-${colorScheme}`);
    }
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 360, height: 800 });
    await shoot("missing-phone");
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= 360"));
    await page.getByRole("link", { name: "Go to sources" }).click();
    await page.getByRole("heading", { name: "Sources", exact: true }).waitFor();
  },
);

consoleTest(
  "For a user who is signed in the not-found page keeps the navigation, and leads back to the last source.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    await page.getByRole("heading", { name: "Green shop" }).waitFor();
    await open("/nowhere");
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    assert.equal(await page.title(), "Page not found · Headwater");
    await page.getByRole("navigation", { name: "Pages", exact: true }).waitFor();
    await page.locator("code", { hasText: "/nowhere" }).waitFor();
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`missing-signed-in-${colorScheme}`);
    }
    await page.getByRole("link", { name: "Open Green shop" }).click();
    await page.waitForURL((url) => url.searchParams.get("sourceId") === sourceId);
    await page.getByRole("heading", { level: 1, name: "Green shop" }).waitFor();
  },
);

consoleTest("A link to an attempt that is not in the list shows a message.", async (started) => {
  const { world, page, open } = started;
  const { sourceId } = await seed(world);
  const debug = `/analytics/setup/debug?sourceId=${sourceId}`;
  const missed = page.getByText("The linked request is not in this list.");
  await open(`${debug}&attempt=att_gone`);
  await missed.waitFor();
  await page.getByRole("option").filter({ hasText: "Origin not allowed" }).click();
  await page.getByRole("region", { name: "Request", exact: true }).waitFor();
  assert.equal(await missed.count(), 0);
});

consoleTest("A slash at the end of a page's path is ignored.", async ({ world, page, open }) => {
  const { sourceId } = await world.createSource({ name: "Slashes" });
  await open(`/sources/settings/?sourceId=${sourceId}`);
  await page.getByRole("form", { name: "General" }).waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Slashes");
});
