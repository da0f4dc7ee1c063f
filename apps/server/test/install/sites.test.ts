/** One visitor over subdomains and domains, in a real Chromium against the real service. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

interface SiteEvent {
  readonly name: string;
  readonly anonymousId: string;
  readonly sessionId: string;
  readonly source: string | null;
}

for (const [title, options, visits] of [
  ["With the options, three hosts", 'script.dataset.crossSubdomain = "true";', 1],
  ["Without the options, two hosts", "", 2],
] as const)
  test(`${title} are ${visits === 1 ? "one visit, whose source is the first one" : "two visits"}.`, {
    skip,
  }, async (t) => {
    let head = "";
    const site = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Shop</title>${head}`);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    const { port } = site.address() as AddressInfo;
    const context = await newVisitor();
    t.after(async () => {
      await context.close();
      site.closeAllConnections();
      site.close();
    });
    const hosts = ["www.shop.test", "app.shop.test", "pay.other"].map((host) => `http://${host}:${port}`);
    const [www = "", app = "", pay = ""] = hosts;
    const { sourceId } = await world.createSource({ allowedOrigins: hosts, engagement: false });
    const about = `/api/tracking-sources/${sourceId}`;
    const { browserSnippet } = (await world.ask(`${about}/install`)).body;
    const links = options && 'script.dataset.linkDomains = "pay.other";';
    head = `${browserSnippet.replace("script.onerror", `${options}${links} script.onerror`)}<a href="${pay}/pay">pay</a>`;

    const page = await context.newPage();
    const stored = async (count: number): Promise<SiteEvent[]> =>
      until(`${count} views are in the debug data`, async () => {
        const { bootstrapAttempts } = (await world.ask(`${about}/debug`)).body;
        const events = bootstrapAttempts
          .toReversed()
          .flatMap(({ normalized }: { normalized: SiteEvent[] }) => normalized);
        return events.length >= count && events;
      });
    await page.goto(`${www}/?utm_source=newsletter`);
    await stored(1);
    await page.waitForFunction("Object.keys(localStorage).some((name) => name.endsWith('.session'))");
    await page.goto(`${app}/cart`);
    let events = await stored(2);
    if (options) {
      await page.waitForFunction("Object.keys(localStorage).some((name) => name.endsWith('.session'))");
      await Promise.all([page.waitForURL(`${pay}/pay`), page.click("a")]);
      events = await stored(3);
    }
    for (const member of ["anonymousId", "sessionId"] as const)
      assert.equal(new Set(events.map((event) => event[member])).size, visits, member);
    // A visit has the source of its first event.
    const [first, ...others] = events.map(({ source }) => source);
    assert.equal(first, "newsletter");
    assert.deepEqual([...new Set(others)], [null]);
  });
