/** The framework of a source, and the snippet that its install page shows. */
import assert from "node:assert/strict";
import { FRAMEWORK_HINTS, INSTALL_EXAMPLES, type InstallFramework } from "@headwater/contract";
import { splitSnippet } from "../src/pages/install/snippet-notes.ts";
import { seriousFindings } from "./accessibility.ts";
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
      const snippet = splitSnippet(INSTALL_EXAMPLES[framework](body));
      assert.equal(await code.textContent(), snippet.code, framework);
      assert.doesNotMatch(snippet.code, /^\s*(?:\/\/|\{?\/\*|#|---)/, `${framework} begins with code`);
      await page.getByRole("region", { name: snippet.file ?? "HTML snippet" }).waitFor();
    };
    for (const hint of FRAMEWORK_HINTS) await checkSnippet(hint, hint);
    for (const hint of [null, "cobol"]) await checkSnippet(hint, "html");

    const framework = page.getByLabel("Framework");
    await framework.selectOption("curl");
    await page.getByRole("region", { name: "curl snippet" }).waitFor();
    await shoot("install-framework");
  },
);

consoleTest(
  "The snippet of Next.js begins with code below its file, its comment is prose around it, and the whole text is copied.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ frameworkHint: "nextjs" });
    const { body } = await world.ask(`/api/tracking-sources/${sourceId}/install`);
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    const block = page.getByRole("region", { name: "app/layout.tsx" });
    await block.waitFor();
    assert.match((await block.textContent()) ?? "", /^<script/);
    const places = await Promise.all(
      [page.getByText("Add this to the <body>"), block, page.getByText("Page views are counted")].map(
        async (part) => (await part.boundingBox())!.y,
      ),
    );
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    );
    await page.getByText('window.headwater?.("track", "signup", { plan: "pro" })', { exact: true }).waitFor();
    const types = page.getByRole("region", { name: "For TypeScript, add this to the file too" });
    assert.match(
      (await types.textContent()) ?? "",
      /^declare global \{\n {2}interface Window \{\n {4}headwater/,
    );
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("install-nextjs");
    await page.getByRole("button", { name: "Copy snippet" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), body.nextjsExample);
  },
);
