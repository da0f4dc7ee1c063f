/** Tabs that send one at a time with Web Locks, and browsers without them. */
import assert from "node:assert/strict";
import { browserTest } from "./browser.ts";

browserTest("When the lock is refused, events are sent anyway.", async ({ ingest, page, open, track }) => {
  await page.addInitScript(() => {
    navigator.locks.request = () => Promise.reject(new DOMException("Refused.", "SecurityError"));
  });
  await open();
  await track("sent");
  await ingest.until(() => ingest.events().some(({ name }) => name === "sent"));
  assert.deepEqual(
    ingest.requests.map(({ route }) => route),
    ["bootstrap", "events"],
  );
});

browserTest("Without Web Locks a page also sends what other pages have left.", async (visit) => {
  const { ingest, page, site, open, track } = visit;
  await page.context().addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "locks"));
  await open();
  await track("first");
  await ingest.until(() => ingest.events().some(({ name }) => name === "first"));
  ingest.plan("wait");
  await track("stuck");
  await ingest.until(() => ingest.events().some(({ name }) => name === "stuck"));

  const other = await page.context().newPage();
  await other.goto(`${site.url}/other`);
  await ingest.until(() => ingest.events().filter(({ name }) => name === "stuck").length > 1);
});
