import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, waitForEarlierRequests } from "./browser.ts";

const names = ({ ingest }: BrowserVisit) => ingest.events().map((event) => event.name ?? event.type);
const command = ({ page }: BrowserVisit, ...call: unknown[]) =>
  page.evaluate((call) => window.headwater?.(...call), call);
const storage = ({ page }: BrowserVisit) => page.evaluate(() => Object.keys(localStorage).sort());

/** The snippet's script tag with additional attributes. */
const showTag = ({ site, ingest }: BrowserVisit, attributes: string) =>
  site.showHead(`<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" ${attributes}></script>`);

/** Opens the page and waits until the script has run. */
async function load({ page, site }: BrowserVisit, path = "/") {
  await page.goto(site.url + path);
  await page.waitForFunction(() => window.headwater?.version);
}

const withGpc = ({ page }: BrowserVisit) =>
  page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));

browserTest(
  "While consent is pending nothing is sent or stored; after a grant everything is.",
  async (visit) => {
    const { ingest } = visit;
    showTag(visit, 'data-consent="pending"');
    await load(visit, "/landing");
    await visit.track("early", { n: 1 });
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.equal(ingest.requests.length, 0);
    assert.deepEqual(await storage(visit), []);

    await command(visit, "setConsent", "granted");
    await ingest.until(() => ingest.events().length >= 2);
    assert.deepEqual(names(visit), ["page", "early"]);
    assert.equal(ingest.events()[0]?.page?.path, "/landing");
    assert.ok((await storage(visit)).includes("headwater.pk_test.visitor"));
  },
);

for (const word of ["", "Granted", "yes", "null"]) {
  browserTest(`The consent value "${word}" counts as pending.`, async (visit) => {
    const { ingest } = visit;
    showTag(visit, `data-consent="${word}"`);
    await load(visit);
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.equal(ingest.requests.length, 0);
    assert.deepEqual(await storage(visit), []);
    await command(visit, "setConsent", "granted");
    await ingest.until(() => ingest.events().length >= 1);
    await command(visit, "setConsent", undefined);
    await visit.track("unknown again");
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.deepEqual(names(visit), ["page"]);
  });
}

browserTest(
  "When consent is denied nothing is sent or stored, and stored data is removed.",
  async (visit) => {
    const { ingest } = visit;
    await visit.open();
    assert.notDeepEqual(await storage(visit), []);
    await command(visit, "setConsent", "denied");
    await visit.track("never");
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.deepEqual(names(visit), ["page"]);
    assert.deepEqual(await storage(visit), []);
    await command(visit, "setConsent", "granted");
    await visit.track("again");
    await command(visit, "flush");
    await ingest.until(() => names(visit).includes("again"));
    assert.deepEqual(names(visit), ["page", "again"]);
  },
);

browserTest(
  "A source that requires consent gets nothing after its first response until consent is granted.",
  async (visit) => {
    const { ingest } = visit;
    ingest.setPrivacy({ requireConsent: true });
    await visit.open();
    await visit.page.waitForFunction(() => localStorage.length === 0);
    await visit.track("held");
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.deepEqual(names(visit), ["page"]);
    assert.deepEqual(await storage(visit), []);
    await command(visit, "setConsent", "granted");
    await ingest.until(() => names(visit).includes("held"));
    await visit.open();
    await command(visit, "setConsent", "granted");
    await visit.track("again");
    await ingest.until(() => names(visit).includes("again"));
    const visitors = new Set(ingest.requests.map(({ body }) => body.anonymousId));
    assert.equal(visitors.size, 1, "the visitor is the same one before and after");
    assert.equal(ingest.requests.at(-1)?.body.sessionId, "ses_1");
  },
);

browserTest("An opt-out holds for this browser until the opt-in.", async (visit) => {
  const { ingest } = visit;
  await visit.open();
  await command(visit, "optOut");
  await visit.track("never");
  await load(visit);
  await visit.track("never either");
  await command(visit, "flush");
  await waitForEarlierRequests(visit);
  assert.deepEqual(names(visit), ["page"]);
  assert.deepEqual(await storage(visit), ["headwaterOptOut"]);
  await command(visit, "optIn");
  await visit.track("back");
  await command(visit, "flush");
  await ingest.until(() => names(visit).includes("back"));
});

browserTest(
  "An opt-out survives a site that clears its storage, and an opt-in revokes it in every tab.",
  async (visit) => {
    const { ingest, page, site } = visit;
    await visit.open();
    const other = await page.context().newPage();
    await other.goto(site.url);
    await ingest.until((requests) => requests.length >= 2);
    await command(visit, "optOut");
    for (const tab of [other, page])
      await tab.evaluate(() => {
        window.headwater?.("track", "never");
        localStorage.clear();
        window.headwater?.("track", "never either");
        window.headwater?.("flush");
      });
    await waitForEarlierRequests(visit);
    assert.deepEqual(names(visit), ["page", "page"]);
    assert.deepEqual(await storage(visit), ["headwaterOptOut"]);
    await other.evaluate(() => window.headwater?.("optIn"));
    await page.waitForFunction(() => localStorage.getItem("headwaterOptOut") === "0");
    await visit.track("back");
    await command(visit, "flush");
    await ingest.until(() => names(visit).includes("back"));
    assert.deepEqual(names(visit).slice(2), ["back"]);
  },
);

browserTest('Global Privacy Control: with data-respect-gpc="false" nothing waits.', async (visit) => {
  const { ingest } = visit;
  showTag(visit, 'data-respect-gpc="false"');
  ingest.plan("wait");
  await withGpc(visit);
  await load(visit);
  const first = await ingest.until((requests) => requests[0]);
  assert.deepEqual(
    first.body.events.map(({ type }) => type),
    ["page"],
  );
});

for (const attribute of ["true", "", "yes"].map((word) => `data-respect-gpc="${word}"`).concat("")) {
  browserTest(
    `Global Privacy Control: with the attribute ${attribute || "missing"} no request is sent.`,
    async (visit) => {
      const { ingest } = visit;
      showTag(visit, attribute);
      await withGpc(visit);
      await load(visit);
      await visit.track("never");
      await command(visit, "flush");
      await waitForEarlierRequests(visit);
      assert.equal(ingest.requests.length, 0);
      assert.deepEqual(await storage(visit), []);
      await command(visit, "setConsent", "granted");
      await visit.track("granted");
      await ingest.until(() => names(visit).includes("granted"));
    },
  );
}

browserTest(
  "Global Privacy Control: a tag with an old setting follows a source that respects it now.",
  async (visit) => {
    const { ingest } = visit;
    showTag(visit, 'data-respect-gpc="false"');
    ingest.setPrivacy({ respectGpc: true });
    await withGpc(visit);
    await load(visit);
    await ingest.until((requests) => requests.length >= 1);
    await visit.page.waitForFunction(() => localStorage.length === 0);
    await visit.track("never");
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.deepEqual(names(visit), ["page"]);
  },
);

for (const persistence of ["memory", "session"] as const) {
  browserTest(`With persistence "${persistence}" nothing is written to localStorage.`, async (visit) => {
    showTag(visit, `data-persistence="${persistence}"`);
    await load(visit);
    await visit.ingest.until((requests) => requests.length >= 1);
    await visit.track("event");
    assert.deepEqual(await storage(visit), []);
    const inSession = await visit.page.evaluate(() => sessionStorage.length > 0);
    assert.equal(inSession, persistence === "session");
  });
}

browserTest('With data-auto-page-views="false" the page counts its own views.', async (visit) => {
  const { ingest, page } = visit;
  showTag(visit, 'data-auto-page-views="false"');
  await load(visit, "/one");
  await page.evaluate(() => history.pushState(null, "", "/two"));
  await command(visit, "page", "Second", { n: 2 });
  await ingest.until(() => ingest.events().length >= 1);
  const [view] = ingest.events();
  assert.equal(view?.page?.path, "/two");
  assert.deepEqual(view?.properties, { name: "Second", n: 2 });
});

for (const withdrawn of [true, false]) {
  browserTest(
    `A page from the back/forward cache ${withdrawn ? "sends nothing when consent was withdrawn meanwhile" : "sends events while consent is granted"}.`,
    async (visit) => {
      const { ingest, page } = visit;
      await visit.open();
      await command(visit, "setConsent", "granted");
      await command(visit, "flush");
      await waitForEarlierRequests(visit);
      // Simulates another page in which the visitor withdraws consent.
      if (withdrawn) await page.evaluate(() => localStorage.clear());
      await page.evaluate(() => {
        dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
        window.headwater?.("track", "seen again");
        window.headwater?.("flush");
      });
      await waitForEarlierRequests(visit);
      if (!withdrawn) await ingest.until(() => names(visit).includes("seen again"));
      assert.deepEqual(names(visit), withdrawn ? ["page"] : ["page", "page", "seen again"]);
      assert.equal((await storage(visit)).length > 0, !withdrawn);
    },
  );
}
