import assert from "node:assert/strict";
import { test } from "node:test";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { skip, startFirefox } from "./firefox.ts";
import { startIngest, startSite } from "./server.ts";

test("In Firefox the snippet counts views, navigations and events, and sends the rest when the page closes.", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const [ingest, site, firefox] = await Promise.all([startIngest(), startSite(), startFirefox()]);
  t.after(async () => {
    ingest.close();
    site.close();
    await firefox.close();
  });
  const source = { sourceId: "src_test", publicKey: "pk_test", name: "Test", frameworkHint: null };
  site.showHead(installPayload(source, { baseUrl: ingest.url, appUrl: site.url }).browserSnippet);

  await firefox.open(`${site.url}/one`);
  await ingest.until((requests) => requests.length >= 1);
  await firefox.evaluate(`history.pushState(null, "", "/two")`);
  await firefox.evaluate(`headwater("track", "done", { n: 1 })`);
  await firefox.open("about:blank");
  await ingest.until(() => ingest.events().some(({ name }) => name === "done"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/one", "/two", "done"],
  );

  site.showHead(
    `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-hash-routing="true"></script>`,
  );
  await firefox.open(`${site.url}/app#/`);
  await ingest.until(() => ingest.events().some(({ page }) => page?.path === "/app"));
  await firefox.evaluate(`location.hash = "#/orders"`);
  await firefox.evaluate(`history.pushState(null, "", "#/orders/17")`);
  await ingest.until(() => ingest.events().some(({ page }) => page?.url.endsWith("#/orders/17")));
  assert.deepEqual(
    ingest.events().flatMap(({ page }) => (page?.hashRouting ? [page.url.slice(site.url.length)] : [])),
    ["/app#/", "/app#/orders", "/app#/orders/17"],
  );

  site.sendHeaders({ "Content-Security-Policy": "script-src 'nonce-abc'; connect-src *" });
  const hidden = ["title", "referrer", "currentScript", "querySelector", "createElement", "head"];
  site.showHead(`${hidden.map((name) => `<form name="${name}"></form>`).join("")}<form id="search"></form>
    <script nonce="abc" async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-extras="forms"></script>`);
  await firefox.open(`${site.url}/hostile`);
  const hostile = await ingest.until(() => ingest.events().find(({ page }) => page?.path === "/hostile"));
  assert.equal(hostile.page?.title, "Home");
  await firefox.evaluate(`new Promise((done) => {
    const look = () => window.headwaterExtras?.size === 1 ? done(true) : setTimeout(look, 10);
    look();
  })`);
  await firefox.evaluate(
    `Document.prototype.querySelector.call(document, "#search").dispatchEvent(new Event("submit", { bubbles: true }))`,
  );
  await ingest.until(() => ingest.events().some(({ name }) => name === "form_submit"));

  await firefox.open(`${site.url}/again`);
  await ingest.until(() => ingest.events().some(({ page }) => page?.path === "/again"));
  const [first, last] = [ingest.requests[0]!.body, ingest.requests.at(-1)!.body];
  assert.deepEqual([last.anonymousId, last.sessionId], [first.anonymousId, "ses_1"]);
});
