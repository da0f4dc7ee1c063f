/** Counting without consent (`data-without-consent`), and the signals of consent platforms. */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, waitForEarlierRequests } from "./browser.ts";
import { bundlePackage } from "./react-app.ts";

const command = ({ page }: BrowserVisit, ...call: unknown[]) =>
  page.evaluate((call) => window.headwater?.(...call), call);
const stored = ({ page }: BrowserVisit) => page.evaluate(() => Object.keys(localStorage).sort());
const visitorIn = ({ page }: BrowserVisit) =>
  page.evaluate(() => localStorage.getItem("headwater.pk_test.visitor"));
/** The stored session, which a page has once it has read the answer to its first request. */
const sessionIn = async ({ page }: BrowserVisit) =>
  (
    await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.session")?.split(" ")[1])
  ).jsonValue();
const MODE = 'data-without-consent="none" data-consent="pending" data-respect-gpc="true"';

const show = ({ site, install, ingest }: BrowserVisit, attributes = MODE, more = "") => {
  const stub = /if \(typeof window\.headwater[\s\S]*?\n {2}\}/.exec(install.browserSnippet)?.[0];
  site.showHead(`<script>${stub}</script>${more}
    <script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" ${attributes}></script>`);
};

async function load({ page, site }: BrowserVisit, path = "/"): Promise<void> {
  await page.goto(site.url + path);
  await page.waitForFunction(() => window.headwater?.version);
}

interface Labelled {
  readonly context?: { readonly consent?: string };
}
/** Each event with the consent that it had, and whether its visitor has an id. */
const counted = ({ ingest }: BrowserVisit) =>
  ingest
    .events()
    .map((event) => [
      event.name ?? event.type,
      (event as Labelled).context?.consent,
      event.anonymousId === "$none" ? "nobody" : "visitor",
    ]);
const arrives = ({ ingest }: BrowserVisit, name: string) =>
  ingest.until(() => ingest.events().some((event) => event.name === name));

async function track(visit: BrowserVisit, name: string): Promise<void> {
  await visit.track(name);
  await command(visit, "flush");
  await arrives(visit, name);
}

browserTest(
  "Until consent events count without storage, and then with it, without a second view.",
  async (visit) => {
    show(visit);
    await load(visit);
    await track(visit, "before");
    assert.deepEqual(await stored(visit), []);
    await command(visit, "setConsent", "granted");
    await track(visit, "after");
    assert.deepEqual(counted(visit), [
      ["page", "pending", "nobody"],
      ["before", "pending", "nobody"],
      ["after", "granted", "visitor"],
    ]);
    const visitor = await visitorIn(visit);
    const requests = visit.ingest.requests.map(({ route, body }) => [
      route,
      body.anonymousId,
      body.sessionId,
    ]);
    assert.deepEqual(requests.at(-1), ["bootstrap", visitor, undefined]);
    const session = await sessionIn(visit);

    await load(visit, "/next");
    await command(visit, "setConsent", "granted");
    await track(visit, "again");
    assert.equal(await visitorIn(visit), visitor, "the visitor is the stored one");
    assert.equal(visit.ingest.events().at(-1)?.anonymousId, visitor);
    assert.equal(visit.ingest.requests.at(-1)?.body.sessionId, session, "and so is the session");
  },
);

browserTest("After a refusal events count without storage, and stored data is removed.", async (visit) => {
  show(visit, MODE.replace("pending", "granted"));
  await load(visit);
  await command(visit, "identify", "user-7");
  await track(visit, "known");
  assert.ok((await visitorIn(visit))?.endsWith(" user-7"));
  await command(visit, "setConsent", "denied");
  await track(visit, "refused");
  assert.deepEqual(await stored(visit), []);
  assert.deepEqual(counted(visit), [
    ["page", "granted", "visitor"],
    ["known", "granted", "visitor"],
    ["refused", "denied", "nobody"],
  ]);
  assert.equal(visit.ingest.requests.at(-1)?.body.userId, undefined);
  await command(visit, "optOut");
  await visit.track("never");
  await command(visit, "flush");
  await waitForEarlierRequests(visit);
  assert.equal(counted(visit).length, 3);
});

browserTest(
  "A refusal on a later page removes what an earlier page has stored, and loses no event.",
  async (visit) => {
    show(visit);
    await load(visit);
    await command(visit, "setConsent", "granted");
    await track(visit, "agreed");
    assert.ok(await visitorIn(visit));
    await load(visit, "/later");
    await visit.track("before the refusal");
    await command(visit, "setConsent", "denied");
    await track(visit, "refused");
    assert.deepEqual(await stored(visit), []);
    assert.deepEqual(counted(visit).slice(2), [
      ["page", "pending", "nobody"],
      ["before the refusal", "pending", "nobody"],
      ["refused", "denied", "nobody"],
    ]);
  },
);

browserTest("A user who was identified before the consent is the stored visitor.", async (visit) => {
  show(visit);
  await load(visit);
  await command(visit, "setConsent", "granted");
  await track(visit, "agreed");
  const visitor = await visitorIn(visit);
  await load(visit, "/later");
  await command(visit, "identify", "user-7");
  await command(visit, "setConsent", "granted");
  assert.equal(await visitorIn(visit), `${visitor} user-7`);
});

browserTest("A decision before the script has loaded applies to the first view.", async (visit) => {
  show(visit, MODE, `<script>headwater("track", "early"); headwater("setConsent", "granted");</script>`);
  await load(visit);
  await command(visit, "flush");
  await arrives(visit, "early");
  assert.deepEqual(counted(visit), [
    ["page", "granted", "visitor"],
    ["early", "granted", "visitor"],
  ]);
});

browserTest("Without the attribute data-consent, consent is pending.", async (visit) => {
  show(visit, 'data-without-consent="none"');
  await load(visit);
  await track(visit, "before");
  assert.deepEqual(counted(visit)[0], ["page", "pending", "nobody"]);
  assert.deepEqual(await stored(visit), []);
});

browserTest(
  "A visitor with a respected Global Privacy Control is not counted without consent.",
  async (visit) => {
    await visit.page.addInitScript(() =>
      Object.defineProperty(navigator, "globalPrivacyControl", { value: true }),
    );
    show(visit);
    await load(visit);
    await command(visit, "flush");
    await waitForEarlierRequests(visit);
    assert.equal(visit.ingest.requests.length, 0);
    assert.deepEqual(await stored(visit), []);
  },
);

browserTest("The cookie of the site is set with the consent, and removed with it.", async (visit) => {
  const cookies = async () => (await visit.page.context().cookies()).length;
  show(visit, `${MODE} data-cross-subdomain="true"`);
  await visit.page.goto(`http://www.shop.test:${visit.site.port}/`);
  await visit.page.waitForFunction(() => window.headwater?.version);
  await track(visit, "before");
  assert.equal(await cookies(), 0);
  await command(visit, "setConsent", "granted");
  await track(visit, "after");
  assert.equal(await cookies(), 1);
  await command(visit, "setConsent", "denied");
  await track(visit, "refused");
  assert.equal(await cookies(), 0);
});

browserTest("The package counts without consent too.", async (visit) => {
  const { page, site, ingest, install } = visit;
  const { publicKey } = install;
  const options = { publicKey, apiBaseUrl: ingest.url, withoutConsent: "none" };
  site.showHead(`<script type="module">${await bundlePackage(options)}</script>`);
  await page.goto(site.url);
  await arrives(visit, "from the package");
  assert.deepEqual(counted(visit)[0], ["page", "pending", "nobody"]);
});

/** A consent platform of the page, as a script before the client's. `window.decide(true)` is the visitor's choice. */
const PLATFORMS: Record<string, string> = {
  "IAB TCF v2": `let listen, id = 0;
    const tell = (eventStatus, isAllowed) => listen?.({ gdprApplies: true, eventStatus, listenerId: ++id,
      purpose: { consents: isAllowed ? { 1: true, 8: true } : { 1: true } } }, true);
    window.__tcfapi = (command, version, run) => { listen = run; tell("cmpuishown", true); };
    window.decide = (isAllowed) => tell("useractioncomplete", isAllowed);`,
  "IAB GPP": `let listen;
    window.__gpp = (command, run) => { listen = run; run({ eventName: "listenerRegistered", pingData: { signalStatus: "not ready" } }, true); };
    window.decide = (isAllowed) => listen({ eventName: "signalStatus", pingData: { signalStatus: "ready",
      parsedSections: { usnat: [{ Version: 1, SaleOptOut: isAllowed ? 2 : 1 }] } } }, true);`,
  "Google Consent Mode": `window.dataLayer = [{ event: "gtm.js" }];
    function gtag() { dataLayer.push(arguments); }
    gtag("consent", "default", { analytics_storage: "denied" });
    window.decide = (isAllowed) => gtag("consent", "update", { analytics_storage: isAllowed ? "granted" : "denied" });`,
};

for (const [platform, script] of Object.entries(PLATFORMS))
  browserTest(`The part consent-signals follows ${platform}.`, async (visit) => {
    const { page } = visit;
    show(visit, `${MODE} data-extras="consent-signals"`, `<script>${script}</script>`);
    await load(visit);
    await page.waitForFunction("window.headwaterExtras && headwaterExtras.size === 1");
    const decide = (isAllowed: boolean) => page.evaluate(`decide(${isAllowed})`);
    await track(visit, "undecided");
    await decide(false);
    await track(visit, "refused");
    await decide(true);
    await track(visit, "agreed");
    await decide(false);
    await track(visit, "revoked");
    assert.deepEqual(counted(visit), [
      ["page", "pending", "nobody"],
      ["undecided", "pending", "nobody"],
      ["refused", "denied", "nobody"],
      ["agreed", "granted", "visitor"],
      ["revoked", "denied", "nobody"],
    ]);
    assert.deepEqual(await stored(visit), []);
  });
