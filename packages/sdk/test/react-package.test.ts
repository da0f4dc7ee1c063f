/** The React entry point under StrictMode in a real Chromium. */
import assert from "node:assert/strict";
import { browserTest } from "./browser.ts";
import { bundleNextModule, bundleStrictApp } from "./react-app.ts";

/** Renders a component that tracks on mount, inside the providers of `wrap`. */
const app = (apiBaseUrl: string, wrap: (inner: string) => string) => `
  import { useEffect } from "react";
  import { AnalyticsProvider, useAnalytics } from "../../src/react.ts";
  const options = { publicKey: "pk_test", apiBaseUrl: ${JSON.stringify(apiBaseUrl)} };
  const Provider = ({ children }) => <AnalyticsProvider {...options}>{children}</AnalyticsProvider>;
  function Inner() {
    const analytics = useAnalytics();
    useEffect(() => { globalThis.clients = [...(globalThis.clients ?? []), analytics]; }, [analytics]);
    const navigate = () => { history.pushState(null, "", "/next"); analytics.track("clicked"); };
    return <button onClick={navigate}>Next</button>;
  }
  export const App = () => ${wrap("<Inner />")};`;

for (const [title, wrap] of [
  ["A provider", (inner: string) => `<Provider>${inner}</Provider>`],
  [
    "A provider in another of the same source",
    (inner: string) => `<Provider><Provider>${inner}</Provider></Provider>`,
  ],
] as const) {
  browserTest(`${title} gives one client, which counts one view and the navigations.`, async (visit) => {
    const { ingest, page, site } = visit;
    site.showHead("");
    const code = await bundleStrictApp(app(ingest.url, wrap));
    await page.goto(`${site.url}/`);
    await page.addScriptTag({ content: code });
    await page.getByRole("button").click();
    await ingest.until(() => ingest.events().some(({ name }) => name === "clicked"));
    assert.deepEqual(
      ingest.events().map((event) => event.name ?? event.page?.path),
      ["/", "/next", "clicked"],
    );
    // StrictMode runs the effect twice
    assert.deepEqual(await page.evaluate("[clients.length, new Set(clients).size]"), [2, 1]);
  });
}

browserTest("A provider passes changes of its consent to the client.", async (visit) => {
  const { ingest, page, site } = visit;
  site.showHead("");
  const code = await bundleStrictApp(`
    import { useState } from "react";
    import { AnalyticsProvider } from "../../src/react.ts";
    const options = { publicKey: "pk_test", apiBaseUrl: ${JSON.stringify(ingest.url)} };
    export function App() {
      const [consent, setConsent] = useState("pending");
      return <AnalyticsProvider {...options} consent={consent}>
        <button onClick={() => setConsent("granted")}>Agree</button>
      </AnalyticsProvider>;
    }`);
  await page.goto(`${site.url}/`);
  await page.addScriptTag({ content: code });
  await page.getByRole("button").click();
  await ingest.until(() => ingest.events().some(({ type }) => type === "page"));
  assert.equal(ingest.events().length, 1);
});

/** The Next.js provider around a component that tracks on mount, after `start`. */
const nextApp = (apiBaseUrl: string, start: string, more = {}) =>
  bundleNextModule(`
    import { createElement as h, useEffect } from "react";
    import { createRoot } from "react-dom/client";
    import { createClient } from "../../src/index.ts";
    import { AnalyticsProvider, startAnalytics, useAnalytics } from "../../src/next.ts";
    const options = ${JSON.stringify({ publicKey: "pk_test", apiBaseUrl, ...more })};
    function Inner() {
      const analytics = useAnalytics();
      useEffect(() => { setTimeout(() => analytics.track("mounted")); }, [analytics]);
      return null;
    }
    ${start}
    createRoot(document.getElementById("root")).render(h(AnalyticsProvider, options, h(Inner)));`);

for (const [title, start] of [
  ["has counted by itself", "createClient(options);"],
  ["was made not to count", "createClient({ ...options, autoPageViews: false }); startAnalytics(options);"],
] as const) {
  browserTest(`The Next.js provider with a client that ${title} counts one view.`, async (visit) => {
    const { ingest, page, site } = visit;
    site.showHead("");
    const code = await nextApp(ingest.url, start);
    await page.goto(`${site.url}/`);
    await page.addScriptTag({ content: code });
    await ingest.until(() => ingest.events().some(({ name }) => name === "mounted"));
    assert.deepEqual(
      ingest.events().map((event) => event.name ?? event.page?.path),
      ["/", "mounted"],
    );
  });
}

for (const [title, options, views] of [
  ["shows the page around it, which counts once", {}, ["/"]],
  ["is a page of its own with autoPageViews: true", { autoPageViews: true }, ["/", "/inner"]],
] as const) {
  browserTest(`A frame with the Next.js provider ${title}.`, async (visit) => {
    const { ingest, page, site } = visit;
    const code = await nextApp(ingest.url, "", options);
    site.showHead(`<script defer src="data:text/javascript,${encodeURIComponent(code)}"></script>`);
    await page.goto(`${site.url}/`);
    const arrived = (count: number) =>
      ingest.until(() => ingest.events().filter(({ name }) => name === "mounted").length === count);
    await arrived(1);
    await page.evaluate(() => {
      const frame = document.createElement("iframe");
      frame.src = "/inner";
      document.body.append(frame);
    });
    await arrived(2);
    assert.deepEqual(
      ingest.events().flatMap(({ type, page }) => (type === "page" ? [page?.path] : [])),
      views,
    );
  });
}
