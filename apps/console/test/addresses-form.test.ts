/** The form for the page URLs of a source: query parameters and rules for paths. */
import assert from "node:assert/strict";
import { SCHEMES } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "The form for page URLs saves query parameters and path rules, and shows what the service refuses.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}#page-urls`);
    const form = page.getByRole("form", { name: "Page URLs" });
    const save = async () => {
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
    };
    const choice = form.getByLabel("Query parameters");
    assert.equal(await choice.inputValue(), "campaign");

    await choice.selectOption("Only these");
    const names = form.getByLabel("Parameter names");
    await names.fill(" page \n\nfilter_*");
    await form.getByLabel("Remove index files").check({ force: true });
    await form.getByLabel("Lowercase paths").check({ force: true });
    await form.getByLabel("Merged paths").fill("/orders/*\n\n/docs/**\n");
    await save();
    const first = await read();
    assert.deepEqual(first.queryParameters, ["page", "filter_*"]);
    const rules = { removeIndex: true, removeTrailingSlash: false, lowerCase: true };
    assert.deepEqual(first.pathRules, { ...rules, patterns: ["/orders/*", "/docs/**"] });

    await names.fill("page\na b");
    await form.getByLabel("Merged paths").fill("/orders/*\norders");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByText("Line 2 (a b): A name contains no spaces, &, =, ? or #.").waitFor();
    await form.getByText("Line 2 (orders): A path starts with / and contains no spaces").waitFor();
    assert.deepEqual(await read(), first, "nothing is saved");

    await choice.selectOption("All");
    assert.equal(await names.count(), 0);
    await form.getByLabel("Merged paths").fill("");
    await form.getByLabel("Lowercase paths").uncheck({ force: true });
    await save();
    const last = await read();
    assert.equal(last.queryParameters, "all");
    assert.deepEqual(last.pathRules, { ...rules, lowerCase: false, patterns: [] });
    await page.reload();
    assert.equal(await choice.inputValue(), "all");
    assert.ok(await form.getByLabel("Remove index files").isChecked());
  },
);

consoleTest(
  "The form for page URLs and the install page fit every width in both colour schemes.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({
      queryParameters: ["page", "filter_*"],
      pathRules: { patterns: ["/orders/*", "/shop/**/reviews"] },
    });
    for (const [name, address, hash, shown] of [
      ["addresses", "/sources/settings", "#page-urls", page.getByRole("form", { name: "Page URLs" })],
      ["install", "/analytics/setup/install", "", page.locator("pre").first()],
    ] as const) {
      await open(`${address}?sourceId=${sourceId}${hash}`);
      for (const width of [380, 800, 1400]) {
        await page.setViewportSize({ width, height: 1000 });
        for (const { colorScheme } of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          await shown.scrollIntoViewIfNeeded();
          await shoot(`${name}-${width}-${colorScheme}`);
          const isInside = await page.evaluate(`document.documentElement.scrollWidth <= ${width}`);
          assert.ok(isInside, `${name} at ${width}`);
        }
      }
    }
  },
);
