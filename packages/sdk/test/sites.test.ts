/** One visitor on the hosts of a site (`data-cross-subdomain`) and on other domains (`data-link-domains`). */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest } from "./browser.ts";
import { newVisitor } from "./chromium.ts";
import { bundlePackage } from "./react-app.ts";

type Host = "www.shop.test" | "app.shop.test" | "pay.other";
const urlOn = ({ site }: BrowserVisit, host: Host, path = "/") => `http://${host}:${site.port}${path}`;

const BOTH = 'data-cross-subdomain="true" data-link-domains="pay.other www.shop.test"';

/** Every page has the tag and a link to another domain. */
const showSite = ({ site, ingest }: BrowserVisit, attributes: string) =>
  site.showHead(`<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" ${attributes}></script>
    <a id="pay" href="http://pay.other:${site.port}/pay?order=%20a+b#now">pay</a>`);

/** Opens a page and waits until the service has answered for its view. */
async function visitPage(visit: BrowserVisit, host: Host, path = "/"): Promise<void> {
  await visit.page.goto(urlOn(visit, host, path));
  await settle(visit);
}

async function settle({ page }: BrowserVisit): Promise<void> {
  await page.waitForFunction(() => window.headwater?.version);
  await page.waitForFunction(() => Object.keys(localStorage).some((name) => name.endsWith(".session")));
  await page.waitForFunction(() => Object.keys(localStorage).every((name) => !name.includes(".event.")));
}

const command = ({ page }: BrowserVisit, ...call: unknown[]) =>
  page.evaluate((call) => window.headwater?.(...call), call);
const cookies = async ({ page }: BrowserVisit) => page.context().cookies();
const visitorsOf = ({ ingest }: BrowserVisit) => ingest.requests.map(({ body }) => body.anonymousId);
const sessionsOf = ({ ingest }: BrowserVisit) => ingest.requests.map(({ body }) => body.sessionId);
const follow = ({ page }: BrowserVisit) =>
  Promise.all([page.waitForURL(/pay\.other/), page.evaluate(() => document.getElementById("pay")?.click())]);

browserTest(
  "Subdomains and a linked domain are one visit of one visitor, with the first source.",
  async (visit) => {
    const { ingest, page } = visit;
    showSite(visit, BOTH);
    await visitPage(visit, "www.shop.test", "/?utm_source=newsletter");
    await command(visit, "identify", "user-7");
    await ingest.until((requests) => requests.some(({ body }) => body.userId === "user-7"));
    await visitPage(visit, "app.shop.test", "/cart");
    await follow(visit);
    await settle(visit);
    assert.equal(new Set(visitorsOf(visit)).size, 1);
    assert.deepEqual([...new Set(sessionsOf(visit))], [undefined, "ses_1"]);
    assert.equal(page.url(), urlOn(visit, "pay.other", "/pay?order=%20a+b#now"));
    const pages = ingest.events().map(({ page }) => page);
    assert.deepEqual(
      pages.map((page) => page?.url),
      [
        urlOn(visit, "www.shop.test", "/?utm_source=newsletter"),
        urlOn(visit, "app.shop.test", "/cart"),
        urlOn(visit, "pay.other", "/pay?order=%20a+b"),
      ],
    );
    assert.doesNotMatch(JSON.stringify(ingest.requests), /_hw=/);
    // The way back continues it too.
    await visitPage(visit, "www.shop.test", "/thanks");
    assert.equal(new Set(visitorsOf(visit)).size, 1);
    assert.equal(sessionsOf(visit).at(-1), "ses_1");

    const cookie = (await cookies(visit)).find(({ domain }) => domain.endsWith("shop.test"));
    assert.deepEqual(
      [cookie?.name, cookie?.domain, cookie?.path, cookie?.sameSite, cookie?.secure],
      ["headwater_pk_test", ".shop.test", "/", "Lax", false],
    );
    assert.match(cookie?.value ?? "", /^\w{32}\.\d+\.ses_1$/, "it has no user");
  },
);

browserTest("Without the options each host has its own visitor, and nothing is passed on.", async (visit) => {
  showSite(visit, "");
  await visitPage(visit, "www.shop.test");
  await visitPage(visit, "app.shop.test");
  await follow(visit);
  await settle(visit);
  assert.equal(new Set(visitorsOf(visit)).size, 3);
  assert.deepEqual(await cookies(visit), []);
});

for (const [title, attributes] of [
  ["denied", 'data-consent="denied"'],
  ["pending", 'data-consent="pending"'],
  ["refused by Global Privacy Control", 'data-respect-gpc="true"'],
] as const)
  browserTest(`While consent is ${title}, there is no cookie and no parameter.`, async (visit) => {
    const { ingest, page } = visit;
    await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    showSite(visit, `${BOTH} ${attributes}`);
    await page.goto(urlOn(visit, "www.shop.test"));
    await page.waitForFunction(() => window.headwater?.version);
    const requested = page.waitForRequest(/pay\.other/);
    await follow(visit);
    assert.equal((await requested).url(), urlOn(visit, "pay.other", "/pay?order=%20a+b"));
    assert.deepEqual(await cookies(visit), []);
    assert.equal(ingest.requests.length, 0);
  });

browserTest(
  "A grant sets the cookie, and a refusal, an opt-out and a reset remove what they must.",
  async (visit) => {
    const { page } = visit;
    showSite(visit, `${BOTH} data-consent="pending"`);
    const values = async () => (await cookies(visit)).map(({ value }) => value.slice(0, 32));
    await page.goto(urlOn(visit, "www.shop.test"));
    await page.waitForFunction(() => window.headwater?.version);
    await command(visit, "setConsent", "granted");
    await settle(visit);
    const [first] = await values();
    assert.equal(first, visitorsOf(visit)[0]);
    await command(visit, "reset");
    const [second] = await values();
    assert.notEqual(second, first);
    await command(visit, "setConsent", "denied");
    assert.deepEqual(await values(), []);
    await command(visit, "setConsent", "granted");
    await command(visit, "track", "again");
    await visit.ingest.until(() => visit.ingest.events().some(({ name }) => name === "again"));
    assert.equal((await values()).length, 1);
    await command(visit, "optOut");
    assert.deepEqual(await values(), []);
  },
);

for (const [title, change] of [
  ["older than two minutes", { late: true }],
  ["opened in another browser", { agent: true }],
  ["changed", { text: true }],
] as const)
  browserTest(`A link that is ${title} continues nothing, and its parameter is removed.`, async (visit) => {
    const { ingest, page } = visit;
    showSite(visit, BOTH);
    await visitPage(visit, "www.shop.test");
    const request = page.waitForRequest(/pay\.other.*_hw=/);
    await follow(visit);
    const url = (await request).url();
    // the page that was followed sends its requests before those of the other browser
    await settle(visit);
    assert.match(url, /\?order=%20a\+b&_hw=\w{32}\.ses_1\.\w+\.\w+$/);
    const other = await newVisitor("agent" in change ? { userAgent: "Another" } : {});
    const tab = await other.newPage();
    if ("late" in change)
      await tab.addInitScript(() => {
        const { now } = Date;
        Date.now = () => now() + 120_001;
      });
    const seen = ingest.requests.length;
    await tab.goto(
      "text" in change ? url.replace(/_hw=./, (start) => (start.endsWith("0") ? "_hw=1" : "_hw=0")) : url,
    );
    const late = await ingest.until((requests) => requests[seen]);
    await other.close();
    assert.notEqual(late.body.anonymousId, visitorsOf(visit)[0]);
    assert.equal(late.body.sessionId, undefined);
    assert.equal(late.body.events[0]?.page?.url, urlOn(visit, "pay.other", "/pay?order=%20a+b"));
  });

browserTest("The link is as before after the click.", async (visit) => {
  const { page } = visit;
  showSite(visit, BOTH);
  await visitPage(visit, "www.shop.test");
  const hrefs = await page.evaluate(async () => {
    const link = document.getElementById("pay") as HTMLAnchorElement;
    const seen: string[] = [];
    document.addEventListener("click", (event) => {
      event.preventDefault();
      seen.push(link.href);
    });
    link.click();
    await new Promise((resolve) => setTimeout(resolve));
    return [...seen, link.href];
  });
  assert.match(hrefs[0] ?? "", /_hw=/);
  assert.equal(hrefs[1], urlOn(visit, "pay.other", "/pay?order=%20a+b#now"));
});

browserTest("The package shares the visitor too.", async (visit) => {
  const { page, site, ingest, install } = visit;
  const options = { publicKey: install.publicKey, apiBaseUrl: ingest.url, crossSubdomain: true };
  site.showHead(`<script type="module">${await bundlePackage(options)}</script>`);
  for (const host of ["www.shop.test", "app.shop.test"] as const) {
    const seen = ingest.requests.length;
    await page.goto(urlOn(visit, host));
    await ingest.until((requests) => requests.length > seen);
    await page.waitForFunction(() => Object.keys(localStorage).some((name) => name.endsWith(".session")));
  }
  assert.equal(new Set(visitorsOf(visit)).size, 1);
  assert.equal(sessionsOf(visit).at(-1), "ses_1");
});
