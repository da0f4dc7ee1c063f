/** Storage that other scripts use and clear. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type BrowserVisit, browserTest, stopTimers, waitForEarlierRequests } from "./browser.ts";
import { refusal, type ScriptedResponse } from "./server.ts";

const names = ({ ingest }: BrowserVisit) => ingest.events().map((event) => event.name ?? event.page?.path);
const leave = ({ page }: BrowserVisit) =>
  page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));

browserTest("No event of an open page is lost when the site clears its storage.", async (visit) => {
  const { ingest, page, open } = visit;
  await page.addInitScript(stopTimers);
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  await page.evaluate(() => {
    window.headwater?.("track", "signed out");
    localStorage.clear();
    window.headwater?.("track", "afterwards");
  });
  // As in browsers, the page is hidden first. A request has events of one visitor only.
  await leave(visit);
  await leave(visit);
  await ingest.until(() => names(visit).includes("afterwards"));
  const [out, after] = ["signed out", "afterwards"].map(
    (name) => ingest.events().find((event) => event.name === name)!,
  );
  assert.equal(out?.anonymousId, ingest.requests[0]?.body.anonymousId);
  assert.notEqual(after?.anonymousId, out?.anonymousId);
});

browserTest("An event older than a day is dropped and not restored.", async (visit) => {
  const { page, open } = visit;
  await page.addInitScript(stopTimers);
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  const found = await page.evaluate(async () => {
    window.headwater?.("track", "late");
    // The visitor is removed too, so that the event belongs to another visitor than the current one.
    localStorage.clear();
    const now = Date.now();
    Date.now = () => now + 86_400_001;
    const held = () => Object.keys(localStorage).filter((name) => name.includes("event.")).length;
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      dispatchEvent(new PageTransitionEvent("pagehide"));
      counts.push(held());
    }
    const writes: string[] = [];
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name, value) {
      writes.push(name);
      setItem.call(this, name, value);
    };
    dispatchEvent(new PageTransitionEvent("pagehide"));
    return { counts, writes: writes.filter((name) => name.includes("event.")) };
  });
  await waitForEarlierRequests(visit);
  assert.deepEqual(found, { counts: [0, 0, 0], writes: [] });
  assert.ok(!names(visit).includes("late"));
});

browserTest("Events cleared from storage during a failure still outlive the page.", async (visit) => {
  const { ingest, page, open, track } = visit;
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  const answer = Promise.withResolvers<ScriptedResponse>();
  ingest.plan(answer.promise, "wait", "wait");
  await track("held");
  await ingest.until(() => names(visit).includes("held"));
  await page.evaluate(() => localStorage.clear());
  answer.resolve({ status: 503, headers: { "Retry-After": "1" } });
  await ingest.until(() => names(visit).filter((name) => name === "held").length > 1);
  await page.reload();
  await ingest.until(() => names(visit).filter((name) => name === "held").length > 2);
});

/** Waits until the page itself sees an empty queue: another tab's changes reach its storage some time later. */
const untilQueueIsEmpty = (page: Page) =>
  page.waitForFunction(
    () =>
      localStorage.getItem("headwater.pk_test.session") &&
      !Object.keys(localStorage).some((name) => name.includes("event.")),
  );

browserTest("Events sent by another tab are not sent again.", async (visit) => {
  const { ingest, page, site, open, track } = visit;
  await page.addInitScript(stopTimers);
  await open();
  await untilQueueIsEmpty(page);
  await track("shared");
  const other = await page.context().newPage();
  await other.goto(`${site.url}/other`);
  await ingest.until(() => names(visit).includes("shared"));
  await page.bringToFront();
  await untilQueueIsEmpty(page);
  await leave(visit);
  await waitForEarlierRequests(visit);
  assert.equal(names(visit).filter((name) => name === "shared").length, 1);
});

/** A page with two sources; the second has the attributes. */
function showTwo({ site, ingest }: BrowserVisit, attributes: string): void {
  const tag = (key: string, more = "") =>
    `<script async src="${ingest.url}/sdk/v2.js" data-key="${key}" ${more}></script>`;
  site.showHead(tag("pk_test") + tag("pk_other", attributes));
}
const stored = ({ page }: BrowserVisit, key: string) =>
  page.evaluate((key) => Object.keys(localStorage).filter((name) => name.includes(`.${key}.`)), key);
const from = ({ ingest }: BrowserVisit, key: string) =>
  ingest.requests.filter((request) => request.key === key);

for (const consent of ["denied", "pending"]) {
  browserTest(`The consent "${consent}" of one source removes no data of another.`, async (visit) => {
    const { page, ingest } = visit;
    await page.addInitScript(stopTimers);
    await visit.open();
    await page.evaluate(() => window.headwater?.("track", "waits"));
    showTwo(visit, `data-consent="${consent}"`);
    const visitor = await page.evaluate(() => localStorage.getItem("headwater.pk_test.visitor"));
    await page.goto(`${visit.site.url}/two`);
    await ingest.until(() => names(visit).includes("/two") && names(visit).includes("waits"));
    await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.session"));
    assert.equal(await page.evaluate(() => localStorage.getItem("headwater.pk_test.visitor")), visitor);
    assert.deepEqual(await stored(visit, "pk_other"), []);
    assert.equal(from(visit, "pk_other").length, 0);
    assert.equal(new Set(from(visit, "pk_test").map(({ body }) => body.anonymousId)).size, 1);
  });
}

browserTest(
  "A source that requires consent does not remove the session and visitor of another.",
  async (visit) => {
    const { page, ingest } = visit;
    showTwo(visit, "");
    const careful: ScriptedResponse = ({ key, body }) => ({
      status: 200,
      body: {
        ok: true,
        sessionId: `ses_${key}`,
        results: body.events.map(() => ({ status: "accepted" })),
        privacy: { requireConsent: key === "pk_other" },
      },
    });
    ingest.plan(careful, careful);
    await page.goto(visit.site.url);
    await ingest.until((requests) => requests.length >= 2);
    await page.waitForFunction(
      () =>
        localStorage.getItem("headwater.pk_test.session") &&
        !Object.keys(localStorage).some((name) => name.includes("pk_other")),
    );
    assert.deepEqual((await stored(visit, "pk_test")).sort(), [
      "headwater.pk_test.session",
      "headwater.pk_test.visitor",
    ]);
  },
);

browserTest("A source that refuses events loses no event of another source.", async (visit) => {
  const { page, ingest } = visit;
  showTwo(visit, "");
  const oneOff: ScriptedResponse = ({ key }) =>
    key === "pk_other"
      ? refusal(403, "source_inactive")
      : { status: 200, body: { ok: true, sessionId: "s" } };
  ingest.plan(oneOff, oneOff);
  await page.goto(visit.site.url);
  await ingest.until((requests) => requests.length >= 2);
  await page.evaluate(() => {
    for (const client of Object.values(window.headwaterClients ?? {})) client.track("both");
  });
  await ingest.until(() => names(visit).includes("both"));
  assert.ok(from(visit, "pk_test").some(({ body }) => body.events.some(({ name }) => name === "both")));
});

browserTest("Visitor and user survive a key rotation.", async (visit) => {
  const { page, ingest, open, site } = visit;
  await open();
  await page.evaluate(() => window.headwater?.("identify", "user-1"));
  await ingest.until((requests) => requests.length >= 2);
  site.showHead(`<script async src="${ingest.url}/sdk/v2.js" data-key="pk_new"></script>`);
  await page.goto(`${site.url}/rotated`);
  const rotated = await ingest.until(() => from(visit, "pk_new")[0]);
  assert.equal(rotated.body.anonymousId, ingest.requests[0]?.body.anonymousId);
  assert.equal(rotated.body.userId, "user-1");
});

browserTest("An opt-out removes the stored data of every source of the site.", async (visit) => {
  const { page, ingest } = visit;
  showTwo(visit, "");
  await page.goto(visit.site.url);
  await ingest.until((requests) => requests.length >= 2);
  await page.waitForFunction(() =>
    ["pk_test", "pk_other"].every((key) => localStorage.getItem(`headwater.${key}.session`)),
  );
  await page.evaluate(() => window.headwater?.("optOut"));
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ["headwaterOptOut"]);
});

browserTest(
  'With `persistence="none"` the browser stores nothing, and every visitor is `$none`.',
  async (visit) => {
    const { ingest, page, site, open } = visit;
    site.showHead(
      `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-persistence="none" data-extras="forms outbound-links"></script>`,
    );
    for (const path of ["/one", "/two", "/three"]) {
      await open(path);
      await page.evaluate(() => {
        window.headwater?.("identify", "user-1");
        window.headwater?.("track", "signed in");
        return window.headwater?.("flush");
      });
      await ingest.until((requests) =>
        requests.some(({ body }) => body.events.some(({ page }) => page?.url.endsWith(path))),
      );
    }
    await page.evaluate(() => {
      window.headwater?.("reset");
      window.headwater?.("track", "signed out");
      return window.headwater?.("flush");
    });
    const find = () =>
      ingest.requests.find(({ body }) => body.events.some(({ name }) => name === "signed out"));
    await ingest.until(() => find() !== undefined);
    assert.equal(find()?.body.userId, undefined);
    assert.ok(ingest.requests.some(({ body }) => body.userId === "user-1"));
    for (const { body } of ingest.requests) {
      assert.equal(body.anonymousId, "$none");
      for (const event of body.events) assert.equal(event.anonymousId, "$none");
    }
    const stored = await page.evaluate(async () => [
      localStorage.length,
      sessionStorage.length,
      document.cookie,
      (await indexedDB.databases()).length,
      // the pages of the tests are not secure, so that some browsers have no caches
      "caches" in window ? (await caches.keys()).length : 0,
    ]);
    assert.deepEqual(stored, [0, 0, "", 0, 0]);
    assert.deepEqual(await page.context().cookies(), []);
  },
);
