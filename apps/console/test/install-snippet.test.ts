/** The HTML snippet of the install page, its options, and the page once events arrive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startSite } from "../../../packages/sdk/test/server.ts";
import { installPayload } from "../../server/src/install/install.ts";
import { bootstrapBody, bootstrapPath, pageEvent } from "../../server/test/support/world.ts";
import { optionsOf, withOptions } from "../src/pages/install/snippet-options.ts";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

const snippetOf = (engagement: boolean, requireConsent: boolean) =>
  installPayload(
    {
      sourceId: "src_1",
      publicKey: "pk_1",
      name: "Shop",
      frameworkHint: null,
      engagement,
      privacy: { respectGpc: true, requireConsent },
    },
    { baseUrl: "https://hw.example", appUrl: "" },
  ).browserSnippet;

test("The snippet of the install page is that of the command line, and an option adds one line to it.", () => {
  for (const engagement of [true, false])
    for (const consent of [true, false]) {
      const snippet = snippetOf(engagement, consent);
      const options = optionsOf(snippet);
      assert.deepEqual([options.has("engagement"), options.has("consent")], [engagement, consent]);
      assert.equal(withOptions(snippet, options), snippet);
    }
  const snippet = snippetOf(true, true);
  const lines = withOptions(snippet, new Set(["vitals", "forms", "hash", "subdomains", "storage"])).split(
    "\n",
  );
  const before = snippet.split("\n");
  assert.deepEqual(
    lines.filter((line) => !before.includes(line)),
    [
      '  script.src = trusted("https://hw.example/sdk/v2.js");',
      '  script.dataset.extras = "web-vitals forms";',
      '  script.dataset.hashRouting = "true";',
      '  script.dataset.crossSubdomain = "true";',
      '  script.dataset.persistence = "none";',
    ],
  );
  assert.deepEqual(
    before.filter((line) => !lines.includes(line)),
    [
      '  script.src = trusted("https://hw.example/sdk/v2.js?with=engagement");',
      '  script.dataset.consent = "pending";',
    ],
  );
});

consoleTest(
  "A switch adds its option to the snippet, and the snippet counts a page with it.",
  async ({ world, context, page, open, shoot }) => {
    const shop = await startSite();
    const source = await world.createSource({ allowedOrigins: [shop.url] });
    await open(`/analytics/setup/install?sourceId=${source.sourceId}`);
    await page.getByText("On: Measure engagement").click();
    await page.getByRole("switch", { name: "Outbound links" }).click({ force: true });
    await page.getByText("On: Measure engagement, Outbound links").waitFor();
    const tag = page.getByRole("region", { name: "HTML snippet" });
    await tag.getByText("outbound-links").waitFor({ state: "attached" });
    const heightOf = async () => (await tag.boundingBox())!.height;
    const folded = await heightOf();
    assert.ok(folded < 130, `the long snippet is folded: ${folded}`);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("button", { name: "Show all" }).waitFor({ state: "detached" });
    assert.ok((await heightOf()) > 2 * folded);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("install-tag");
    const copy = page.getByRole("button", { name: "Copy snippet" });
    await copy.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    shop.showHead(`${snippet}<script>headwater("track", "early")</script>`);
    const visit = await context.newPage();
    await visit.goto(shop.url);
    await page.getByText("Receiving events").waitFor();
    await visit.close();
    shop.close();
  },
);

consoleTest(
  "Opening the site follows the snippet on the first screen; the options are open for a source that has more than the usual one.",
  async ({ world, page, open }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const usual = await world.createSource();
    await open(`/analytics/setup/install?sourceId=${usual.sourceId}`);
    const next = page.getByText("Open a page on one of the allowed origins.");
    await next.waitFor();
    const { y, height } = (await next.boundingBox())!;
    assert.ok(y + height < 900, `${y + height}`);
    assert.equal(await page.getByRole("switch").count(), 0);

    const careful = await world.createSource({ privacy: { respectGpc: false, requireConsent: true } });
    await open(`/analytics/setup/install?sourceId=${careful.sourceId}`);
    assert.ok(await page.getByRole("switch", { name: "Require consent" }).isChecked());
  },
);

consoleTest(
  "The snippet can be copied as a message to a developer, with what to do and the address of the page.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    await page.getByRole("button", { name: "Copy for a developer" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const message = await page.evaluate(() => navigator.clipboard.readText());
    const { body } = await world.ask(`/api/tracking-sources/${sourceId}/install`);
    assert.ok(message.includes(body.browserSnippet.trim()));
    assert.match(message, /Paste this into the <head> of every page/);
    assert.ok(message.includes(page.url()));
  },
);

consoleTest(
  "Until it is known whether events arrive, the page does not say that they are awaited.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await world.send(bootstrapPath(source), bootstrapBody({ ...withEvents() }));
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/debug\?/, async (route) => {
      asked();
      await isAnswered;
      await route.continue();
    });
    await open(`/analytics/setup/install?sourceId=${source.sourceId}`);
    await isAsked;
    await page.getByRole("heading", { name: "1. Add the snippet" }).waitFor();
    await page.getByRole("status", { name: "Loading" }).waitFor();
    assert.equal(await page.getByText("Waiting for the first event").count(), 0);
    answer();
    await page.getByText("Receiving events").waitFor();
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
