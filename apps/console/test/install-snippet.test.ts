/** The script tag of the install page, its options, and the page once events arrive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startSite } from "../../../packages/sdk/test/server.ts";
import { bootstrapBody, bootstrapPath, pageEvent } from "../../server/test/support/world.ts";
import { optionsOf, toScriptTag } from "../src/pages/install/script-tag.ts";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

test("The tag has the source's settings and the chosen options, and quotes cannot leave an attribute.", () => {
  const browserSnippet = [
    'script.src = "https://hw.example/sdk/v2.js?with=engagement";',
    'script.dataset.respectGpc = "true";',
    'script.dataset.consent = "pending";',
  ].join("\n");
  const install = { apiBaseUrl: "https://hw.example", publicKey: 'pk_"x', browserSnippet };
  const options = optionsOf(browserSnippet);
  assert.deepEqual([...options], ["engagement", "consent"]);
  assert.equal(
    toScriptTag(install, new Set([...options, "vitals", "hash"])),
    [
      "<script",
      "  defer",
      '  src="https://hw.example/sdk/v2.js"',
      '  data-key="pk_&quot;x"',
      '  data-respect-gpc="true"',
      '  data-extras="engagement web-vitals"',
      '  data-hash-routing="true"',
      '  data-consent="pending"',
      "></script>",
    ].join("\n"),
  );
});

consoleTest(
  "A switch adds its option to the tag, and the tag counts a page with it.",
  async ({ world, context, page, open, shoot }) => {
    const shop = await startSite();
    const source = await world.createSource({ allowedOrigins: [shop.url] });
    await open(`/analytics/setup/install?sourceId=${source.sourceId}`);
    await page.getByRole("switch", { name: "Outbound links" }).click({ force: true });
    const tag = page.getByRole("region", { name: "HTML snippet" });
    await tag.getByText("outbound-links").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("install-tag");
    const copy = page.getByRole("button", { name: "Copy snippet" });
    await copy.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    shop.showHead(await page.evaluate(() => navigator.clipboard.readText()));
    const visit = await context.newPage();
    await visit.goto(shop.url);
    await page.getByText("Receiving events").waitFor();
    await visit.close();
    shop.close();
  },
);

consoleTest(
  "Once events arrive, a refused request of another origin is a notice, and the page stays green.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await open(`/analytics/setup/install?sourceId=${source.sourceId}`);
    await page.getByText("Waiting for the first event").waitFor();
    await world.send(bootstrapPath(source), bootstrapBody({ ...withEvents() }));
    await page.getByText("Receiving events").waitFor();
    const origin = "https://evil.example";
    await world.send(bootstrapPath(source), bootstrapBody(), { origin });
    await page.getByText(`A later request from ${origin} was refused (origin_not_allowed).`).waitFor();
    assert.equal(await page.getByText("Receiving events").count(), 1);
    assert.equal(await page.getByRole("button", { name: "Allow" }).count(), 0);
  },
);

const withEvents = () => ({
  batchId: "batch-install",
  sentAt: new Date().toISOString(),
  events: [pageEvent()],
});
