/** The framework of a source, and the snippet that its install page shows. */
import assert from "node:assert/strict";
import { FRAMEWORK_HINTS, INSTALL_EXAMPLES, type InstallFramework } from "@headwater/contract";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "Every framework that a source can have opens the install page with its own snippet.",
  async ({ world, page, open, shoot }) => {
    await open("/sources/new");
    const options = page.getByLabel("Framework").locator("option");
    await options.first().waitFor({ state: "attached" });
    const offered = await options.evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""));
    assert.deepEqual(offered.toSorted(), ["", ...FRAMEWORK_HINTS].toSorted());

    const checkSnippet = async (hint: string | null, framework: InstallFramework) => {
      const { sourceId } = await world.createSource({ frameworkHint: hint });
      const { body } = await world.ask(`/api/tracking-sources/${sourceId}/install`);
      await open(`/analytics/setup/install?sourceId=${sourceId}`);
      const code = page.locator("pre").first();
      await code.waitFor({ state: "attached" });
      assert.equal((await code.textContent())?.trim(), INSTALL_EXAMPLES[framework](body).trim(), framework);
    };
    for (const hint of FRAMEWORK_HINTS) await checkSnippet(hint, hint);
    for (const hint of [null, "cobol"]) await checkSnippet(hint, "html");

    const framework = page.getByLabel("Framework");
    await framework.selectOption("curl");
    await page.getByRole("region", { name: "curl snippet" }).waitFor();
    await shoot("install-framework");
  },
);
