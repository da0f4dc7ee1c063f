/** The install page's snippets, pasted unchanged. (All other browser tests use the browser snippet.) */
import assert from "node:assert/strict";
import { browserTest, waitForEarlierRequests } from "./browser.ts";
import { bundleReactApp, renderNextLayout } from "./react-app.ts";

browserTest("Under StrictMode the React example counts one view, and one per navigation.", async (visit) => {
  const { ingest, install, page, site } = visit;
  site.showHead("");
  const app = await bundleReactApp(install.reactExample);
  await page.goto(`${site.url}/`);
  await page.addScriptTag({ content: app });
  await ingest.until(() => ingest.events().length >= 2);
  await page.getByRole("button").click();
  await ingest.until(() => ingest.events().some(({ name }) => name === "clicked"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/", "before the script", "/next", "clicked"],
  );
  assert.deepEqual(ingest.events()[1]?.properties, { n: 1 });
});

browserTest("The Next.js example logs one warning when its script is blocked.", async (visit) => {
  const { ingest, install, page, site, warnings } = visit;
  site.showHead(await renderNextLayout(install.nextjsExample));
  await page.route(`${ingest.url}/sdk/**`, (route) => route.abort("blockedbyclient"));
  await Promise.all([visit.nextWarning(), page.goto(site.url)]);
  await waitForEarlierRequests(visit);
  assert.deepEqual(warnings, [
    `Headwater: ${ingest.url}/sdk/v2.js was blocked, so nothing is counted. Run \`npx headwater doctor\`.`,
  ]);
});
