/** Pages of a site that send in turn, and those that cannot. */
import assert from "node:assert/strict";
import { browserTest, settle } from "./browser.ts";

browserTest("Where locks are refused it is sent all the same.", async ({ ingest, page, open, track }) => {
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

browserTest(
  "Where there are no locks a page leaves what another is about to send alone, for a minute.",
  async (visit) => {
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
    await ingest.until(() => ingest.events().some(({ page }) => page?.path === "/other"));
    await settle(visit);
    assert.equal(ingest.events().filter(({ name }) => name === "stuck").length, 1);

    await other.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 60_001;
    });
    await other.goto(`${site.url}/later`);
    await ingest.until(() => ingest.events().filter(({ name }) => name === "stuck").length > 1);
  },
);
