/** The snippet in WebKit, the engine of Safari, against the real service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startSite } from "../../../../packages/sdk/test/server.ts";
import { skip, startWebkit, type Webkit } from "../../../../packages/sdk/test/webkit.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";

interface CountedEvent {
  /** The path of a view, or the name of an event. */
  readonly name: string;
  readonly anonymousId: string;
  readonly sessionId: string;
}

describe("In WebKit", { skip, timeout: 240_000 }, () => {
  let world: World;
  let webkit: Webkit;
  before(async () => {
    [world, webkit] = await Promise.all([openWorld(), startWebkit()]);
  });
  after(async () => {
    await webkit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** Opens a site of a new source. Its data in the browser are apart from those of other sites. */
  async function openCountedSite() {
    const site = await startSite();
    const source = await world.createSource({ allowedOrigins: [site.url], engagement: false });
    const { body: install } = await world.ask(`/api/tracking-sources/${source.sourceId}/install`);
    site.showHead(install.browserSnippet);
    /** Waits until `last` is counted. @returns what is counted until then, in the order of happening */
    const countedUpTo = (last: string) =>
      until(`${last} is counted`, async () => {
        const { text } = await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=ndjson`);
        const events = text
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
          .toSorted((one, other) => one.occurredAt.localeCompare(other.occurredAt))
          .map(
            ({ type, name, page, anonymousId, sessionId }): CountedEvent => ({
              name: type === "page" ? page.path : name,
              anonymousId,
              sessionId,
            }),
          );
        return events.some(({ name }) => name === last) && events;
      });
    const { publicKey, browserSnippet: snippet } = install as { publicKey: string; browserSnippet: string };
    return { ...site, publicKey, snippet, countedUpTo, [Symbol.dispose]: site.close };
  }
  const namesOf = (events: readonly CountedEvent[]) => events.map(({ name }) => name);
  /** Asserts that the events have one visitor and one session. */
  function assertOneVisit(events: readonly CountedEvent[]): void {
    assert.equal(new Set(events.map(({ anonymousId }) => anonymousId)).size, 1);
    assert.equal(new Set(events.map(({ sessionId }) => sessionId)).size, 1);
  }

  it("views, navigations within a page and events are counted once, as one visit.", async () => {
    using site = await openCountedSite();
    const tab = await webkit.newWindow();
    await tab.open(`${site.url}/one`);
    await tab.evaluate(`history.pushState(null, "", "/two")`);
    await tab.evaluate(`headwater("track", "signup")`);
    await tab.open(`${site.url}/three`);
    const events = await site.countedUpTo("/three");
    assert.deepEqual(namesOf(events), ["/one", "/two", "signup", "/three"]);
    assertOneVisit(events);
  });

  it("the last events arrive when the visitor follows a link and when the tab is closed.", async () => {
    using site = await openCountedSite();
    const tab = await webkit.newWindow();
    await tab.open(`${site.url}/one`);
    await site.countedUpTo("/one");
    // the next page cannot send what is left
    site.showHead("");
    await tab.evaluate(`headwater("track", "before the link"), location.assign("/elsewhere")`);
    await site.countedUpTo("before the link");
    site.showHead(site.snippet);
    await tab.open(`${site.url}/two`);
    await site.countedUpTo("/two");
    await tab.evaluate(`headwater("track", "before the end")`);
    await tab.close();
    const events = await site.countedUpTo("before the end");
    assert.deepEqual(namesOf(events), ["/one", "before the link", "/two", "before the end"]);
  });

  it("a page shown again from the back/forward cache counts a view.", async () => {
    using site = await openCountedSite();
    site.showHead(`${site.snippet}<script>addEventListener("pageshow", ({ persisted }) => {
      if (persisted) setTimeout(() => headwater("track", "kept"));
    })</script>`);
    const tab = await webkit.newWindow();
    for (const path of ["/one", "/two"]) {
      await tab.open(site.url + path);
      await site.countedUpTo(path);
      // the browser does not keep a page with an open request
      await tab.evaluate(`navigator.locks.request("headwater.${site.publicKey}.", () => {})`);
    }
    await tab.back();
    const events = await site.countedUpTo("kept");
    assert.deepEqual(namesOf(events), ["/one", "/two", "/one", "kept"]);
    assertOneVisit(events);
  });

  it("two tabs that a new visitor opens at once are one visitor: the second waits for the first.", async () => {
    using site = await openCountedSite();
    const name = `headwater.${site.publicKey}.`;
    site.showHead("");
    const [first, second] = [await webkit.newWindow(), await webkit.newWindow()];
    await first.open(`${site.url}/without-client`);
    await first.evaluate(`new Promise((held) => {
      navigator.locks.request("${name}", () => new Promise((release) => held(window.release = release)));
    })`);
    site.showHead(site.snippet);
    await second.open(`${site.url}/second`);
    await until("the client has started", () => second.evaluate("headwater.version"));
    const visitor = "f".repeat(32);
    await first.evaluate(`localStorage.setItem("${name}visitor", "${visitor}")`);
    // WebKit shows a write to other tabs a little later. A client writes its visitor before the request that holds the lock.
    const seenBySecond = () => second.evaluate(`localStorage.getItem("${name}visitor") === "${visitor}"`);
    await until("the second tab sees the visitor", seenBySecond);
    await first.evaluate("release()");
    await site.countedUpTo("/second");
    await first.open(`${site.url}/first`);
    const events = await site.countedUpTo("/first");
    assert.deepEqual(namesOf(events), ["/second", "/first"]);
    assertOneVisit(events);
    assert.equal(events[0]?.anonymousId, visitor);
  });

  it("nothing is sent or stored while consent is denied.", async () => {
    using site = await openCountedSite();
    site.showHead(
      site.snippet.replace("script.async = true;", `$& script.dataset.consent = "denied";`) +
        `<script>headwater("track", "denied")</script>`,
    );
    const tab = await webkit.newWindow();
    await tab.open(`${site.url}/one`);
    await until("the client has started", () => tab.evaluate("headwater.version"));
    await tab.evaluate(`headwater("flush")`);
    assert.deepEqual(await tab.evaluate("[localStorage.length, document.cookie]"), [0, ""]);
    await tab.evaluate(`headwater("setConsent", "granted"), headwater("track", "granted")`);
    assert.deepEqual(namesOf(await site.countedUpTo("granted")), ["granted"]);
  });
});
