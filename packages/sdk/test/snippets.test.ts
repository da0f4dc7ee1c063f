/** The install page's snippets, pasted as they are. (The browser snippet carries every other browser test.) */
import assert from "node:assert/strict";
import { browserTest } from "./browser.ts";
import { bundleReactApp } from "./react-app.ts";

browserTest("The React example counts one view under StrictMode, and the navigations.", async (visit) => {
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
