import assert from "node:assert/strict";
import { browserTest, waitForEarlierRequests } from "./browser.ts";
import { plainHost } from "./chromium.ts";

browserTest(
  "The first page view costs one round trip, without a preflight.",
  async ({ ingest, site, open, track }) => {
    await open("/shop?utm_source=mail#token");
    await track("done");
    await ingest.until((requests) => requests.some(({ route }) => route === "events"));

    const [first] = ingest.requests;
    assert.deepEqual(
      ingest.requests.map(({ method, route }) => `${method} ${route}`),
      ["POST bootstrap", "POST events"],
    );
    assert.equal(first?.key, "pk_test");
    assert.match(first?.headers["content-type"] ?? "", /^text\/plain/);
    assert.equal(first?.headers.origin, site.url);
    const { batchId, sentAt, anonymousId, context, events, ...rest } = first!.body;
    const shown = { url: `${site.url}/shop?utm_source=mail`, path: "/shop", title: "Home", referrer: null };
    assert.deepEqual(rest, {
      ingestVersion: 2,
      sdkVersion: "headwater-js/0.1.0",
      joinSession: true,
      page: shown,
    });
    assert.ok(batchId && anonymousId);
    assert.equal(new Date(sentAt).toISOString(), sentAt);
    assert.deepEqual(Object.keys(context ?? {}), ["locale", "timezone", "screen"]);
    assert.match(String(context?.screen), /^\d+x\d+$/);
    assert.equal(events.length, 1);
    assert.equal(events[0]?.type, "page");
    assert.deepEqual(events[0]?.page, shown);

    const second = ingest.requests[1]!.body;
    assert.equal(second.sessionId, "ses_1");
    assert.equal(second.anonymousId, anonymousId);
    assert.equal(second.events[0]?.name, "done");
    assert.deepEqual(second.events[0]?.page, shown);
  },
);

/** Removes the Navigation API, which Firefox before 147 and Safari before 26.2 lack. */
const withoutNavigation = () => void Object.defineProperty(window, "navigation", { value: undefined });

for (const way of ["the Navigation API", "history alone"])
  browserTest(
    `Each navigation that changes path or query is one view, and nothing else is: by ${way}.`,
    async (visit) => {
      const { ingest, page, open } = visit;
      if (way === "history alone") await page.addInitScript(withoutNavigation);
      await open("/a");
      await page.evaluate(() => {
        history.replaceState({ scroll: 1 }, "", location.href);
        history.pushState(null, "", "/b");
        history.replaceState({ scroll: 2 }, "", "/b");
        history.pushState(null, "", "/b#part");
        history.pushState(null, "", "/b?page=2");
        history.replaceState(null, "", "/c");
        history.pushState({ same: true }, "", "/c");
      });
      await page.goBack();
      await page.goBack();
      await page.waitForFunction(() => location.search === "");
      await page.evaluate(() => window.headwater?.("track", "last"));
      await ingest.until(() => ingest.events().some(({ name }) => name === "last"));

      const views = ingest.events().filter(({ type }) => type === "page");
      assert.deepEqual(
        views.map(({ page }) => page!.url.slice(visit.site.url.length)),
        ["/a", "/b", "/b?page=2", "/c", "/b"],
      );
      assert.equal(views[1]?.page?.referrer, `${visit.site.url}/a`);
      assert.equal(ingest.events().length, 6);
    },
  );

for (const way of ["the Navigation API", "history alone"])
  browserTest(
    `With hash routing a navigation to another fragment is a view, by ${way}.`,
    async ({ site, ingest, page, open }) => {
      if (way === "history alone") await page.addInitScript(withoutNavigation);
      site.showHead(
        `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-hash-routing="true"></script>`,
      );
      await open("/app#/");
      await page.evaluate(() => {
        location.hash = "#/orders";
        location.hash = "#/orders";
        history.pushState(null, "", "#/orders/17?tab=1");
      });
      await page.goBack();
      await page.waitForFunction(() => location.hash === "#/orders");
      await page.evaluate(() => window.headwater?.("track", "last"));
      await ingest.until(() => ingest.events().some(({ name }) => name === "last"));
      const shown = ingest.events().map(({ page }) => page);
      assert.deepEqual(
        shown.map((page) => page?.url.slice(site.url.length)),
        ["/app#/", "/app#/orders", "/app#/orders/17?tab=1", "/app#/orders", "/app#/orders"],
      );
      assert.ok(shown.every((page) => page?.hashRouting === true));
      assert.equal(shown[1]?.referrer, `${site.url}/app#/`);
    },
  );

browserTest('With data-routing="path" a navigation to another query is no view.', async (visit) => {
  const { ingest, page, site } = visit;
  site.showHead(
    `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-routing="path"></script>`,
  );
  await visit.open("/search?q=a");
  await page.evaluate(() => {
    for (const query of ["ab", "abc"]) history.replaceState(null, "", `?q=${query}`);
    history.pushState(null, "", "?q=abc&page=2");
    history.pushState(null, "", "/found?q=abc");
  });
  await visit.track("last");
  await ingest.until(() => ingest.events().some(({ name }) => name === "last"));
  assert.deepEqual(
    ingest.events().map(({ name, page }) => name ?? page?.url.slice(site.url.length)),
    ["/search?q=a", "/found?q=abc", "last"],
  );
});

browserTest("A navigation with the Navigation API counts a view.", async ({ ingest, page, open }) => {
  await open("/a");
  await page.evaluate(async () => {
    navigation.addEventListener("navigate", (event) => event.intercept());
    await navigation.navigate("/b").finished;
    window.headwater?.("track", "last");
  });
  await ingest.until(() => ingest.events().some(({ name }) => name === "last"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/a", "/b", "last"],
  );
});

for (const [what, script] of [
  ["a list", "const navigation = ['home', 'shop'];"],
  ["an element, without the Navigation API", "delete window.navigation; document.title = 'x';"],
] as const) {
  browserTest(`A page may define its own "navigation": ${what}.`, async (visit) => {
    const { ingest, page, site, install } = visit;
    site.showHead(`<script>${script}</script>${install.browserSnippet}<nav id="navigation"></nav>`);
    await page.goto(`${site.url}/a`);
    await ingest.until(() => ingest.events()[0]);
    await page.evaluate(() => history.pushState(null, "", "/b"));
    await page.goBack();
    await ingest.until(() => ingest.events().length >= 3);
    assert.deepEqual(
      ingest.events().map((event) => event.page?.path),
      ["/a", "/b", "/a"],
    );
  });
}

browserTest(
  "A view has the title that the page sets after the navigation.",
  async ({ ingest, page, open }) => {
    await open();
    await page.evaluate(() => {
      history.pushState(null, "", "/late");
      document.title = "Late";
    });
    const view = await ingest.until(() => ingest.events().find((event) => event.page?.path === "/late"));
    assert.equal(view.page?.title, "Late");
  },
);

browserTest("The page's history methods still work.", async ({ page, open }) => {
  await open();
  const outcome = await page.evaluate(() => {
    history.pushState({ of: "page" }, "", "/own");
    try {
      history.pushState(null, "", "https://elsewhere.example/");
    } catch (error) {
      return [history.state, (error as Error).name];
    }
    return [];
  });
  assert.deepEqual(outcome, [{ of: "page" }, "SecurityError"]);
});

browserTest(
  "A page shown again from the back/forward cache counts a view.",
  async ({ ingest, page, open }) => {
    await open("/kept");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await ingest.until(() => ingest.events().length >= 2);
    assert.deepEqual(
      ingest.events().map((event) => event.page?.path),
      ["/kept", "/kept"],
    );
  },
);

browserTest("page() counts a view of the page that is shown.", async ({ ingest, page, open }) => {
  await open("/shown");
  await page.evaluate(() => window.headwater?.("page"));
  await ingest.until(() => ingest.events().length >= 2);
  assert.equal(ingest.events()[1]?.page?.path, "/shown");
});

browserTest("Calls made before the script has loaded are sent with the first view.", async (visit) => {
  const { ingest, install, page, site } = visit;
  site.showHead(`${install.browserSnippet}<script>
    const early = window.headwater;
    headwater("track", "early", { n: 1 });
  </script>`);
  await visit.open();
  await page.evaluate("early('track', 'through the old reference')");
  await ingest.until((requests) => requests.length >= 2);
  assert.deepEqual(
    ingest.requests.map(({ body }) => body.events.map((event) => event.name ?? event.type)),
    [["page", "early"], ["through the old reference"]],
  );
  assert.deepEqual(ingest.events()[1]?.properties, { n: 1 });
});

browserTest("A script loaded twice counts once.", async (visit) => {
  const { ingest, install, page, site } = visit;
  site.showHead(install.browserSnippet + install.browserSnippet);
  await visit.open();
  await page.addScriptTag({ url: `${ingest.url}/sdk/v2.js` });
  await page.evaluate(() => history.pushState(null, "", "/once"));
  await visit.track("end");
  await ingest.until(() => ingest.events().some(({ name }) => name === "end"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/", "/once", "end"],
  );
});

browserTest("An API URL with a trailing slash is the same URL.", async (visit) => {
  const { ingest, site } = visit;
  const tag = (api: string) =>
    `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-api="${api}"></script>`;
  site.showHead(tag(ingest.url) + tag(`${ingest.url}/`));
  await visit.open();
  await visit.page.waitForLoadState();
  await visit.track("end");
  await ingest.until(() => ingest.events().some(({ name }) => name === "end"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/", "end"],
  );
});

browserTest("A tag with only the key uses its own URL for the API.", async (visit) => {
  visit.site.showHead(`<script async src="${visit.ingest.url}/sdk/v2.js" data-key="pk_plain/tag"></script>`);
  await visit.open();
  assert.equal(visit.ingest.requests[0]?.key, "pk_plain/tag");
});

browserTest("A script that an optimizer runs without its tag finds the tag.", async (visit) => {
  await visit.page.addInitScript(() => Object.defineProperty(document, "currentScript", { value: null }));
  await visit.open();
  assert.equal(visit.ingest.requests[0]?.key, "pk_test");
});

browserTest("A prerendered page counts a view when it is shown.", async (visit) => {
  const { ingest, page, site } = visit;
  await page.addInitScript(() =>
    Object.defineProperty(document, "prerendering", { value: true, configurable: true }),
  );
  await page.goto(site.url);
  await page.evaluate(() => history.replaceState(null, "", "/shown"));
  await waitForEarlierRequests(visit);
  assert.equal(ingest.requests.length, 0);
  await page.evaluate(() => {
    Object.defineProperty(document, "prerendering", { value: false });
    document.dispatchEvent(new Event("prerenderingchange"));
    window.headwater?.("track", "last");
  });
  await ingest.until(() => ingest.events().some(({ name }) => name === "last"));
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.page?.path),
    ["/shown", "last"],
  );
});

browserTest("Without a key the script only logs a warning.", async (visit) => {
  visit.site.showHead(`<script async src="${visit.ingest.url}/sdk/v2.js"></script>`);
  const warning = visit.nextWarning();
  await visit.page.goto(visit.site.url);
  assert.match((await warning).text(), /no data-key/);
  await waitForEarlierRequests(visit);
  assert.equal(visit.ingest.requests.length, 0);
});

browserTest("The client works on plain http, without crypto.randomUUID.", async (visit) => {
  const { ingest, page, site } = visit;
  await page.goto(`http://${plainHost}:${site.port}/`);
  await ingest.until(() => ingest.events().length >= 1);
  assert.equal(await page.evaluate(() => isSecureContext || "randomUUID" in crypto), false);
  assert.match(ingest.events()[0]!.id, /^[0-9a-f]{32}~1000000$/);
});

browserTest("Visitor and session persist between page loads.", async ({ ingest, open }) => {
  await open("/one");
  await open("/two");
  const [first, second] = ingest.requests.map(({ body }) => body);
  assert.equal(first?.sessionId, undefined);
  assert.equal(second?.sessionId, "ses_1");
  assert.equal(second?.anonymousId, first?.anonymousId);
});

browserTest(
  "When storage throws, the visitor lives as long as the page.",
  async ({ ingest, page, open, track }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
    });
    await open();
    await track("kept in memory");
    await ingest.until((requests) => requests.length >= 2);
    const [first, second] = ingest.requests.map(({ body }) => body);
    assert.equal(second?.sessionId, "ses_1");
    assert.equal(second?.anonymousId, first?.anonymousId);
  },
);

browserTest("When storage is full, events are kept as long as the page is open.", async (visit) => {
  const { ingest, page, open } = visit;
  await page.addInitScript(() => {
    for (let size = 2 ** 22; size >= 1; size /= 2) {
      try {
        for (let n = 0; ; n += 1) localStorage.setItem(`full.${size}.${n}`, "x".repeat(size));
      } catch {
        // half the size may still fit
      }
    }
  });
  await open();
  await page.evaluate(() => {
    for (let n = 0; n < 30; n += 1) window.headwater?.("track", `event ${n}`);
  });
  await ingest.until(() => ingest.events().length >= 31);
  assert.deepEqual(
    ingest.events().map((event) => event.name ?? event.type),
    ["page", ...Array.from({ length: 30 }, (_, n) => `event ${n}`)],
  );
  assert.equal(new Set(ingest.requests.map(({ body }) => body.anonymousId)).size, 1);
  assert.equal(ingest.requests.at(-1)?.body.sessionId, "ses_1");
  const kept = await page.evaluate(() =>
    Object.keys(localStorage).filter((name) => name.startsWith("headwater")),
  );
  assert.deepEqual(kept, []);
});

browserTest("An invalid stored visitor id is replaced.", async ({ ingest, page, open }) => {
  await page.addInitScript(() => localStorage.setItem("headwater.pk_test.visitor", "x".repeat(1000)));
  await open();
  assert.match(ingest.requests[0]!.body.anonymousId, /^[0-9a-f]{32}$/);
});

browserTest("Invalid arguments neither throw nor hold back events.", async (visit) => {
  const { ingest, page, open } = visit;
  await open();
  await page.evaluate(() => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const call = window.headwater!;
    call("track", "cycle", cycle);
    call("track", "bigint", { n: 1n });
    call("track", "getter", {
      get trap() {
        throw new Error("a trap");
      },
    });
    const later = { n: 1 };
    call("track", "copied", later);
    later.n = 2;
    call();
    call("no such command");
    call(Symbol("command"));
    call("track", "last");
  });
  await ingest.until(() => ingest.events().some(({ name }) => name === "last"));
  assert.deepEqual(
    ingest.events().map(({ name, properties }) => [name, properties]),
    [
      [undefined, undefined],
      ["cycle", undefined],
      ["bigint", undefined],
      ["getter", undefined],
      ["copied", { n: 1 }],
      ["last", undefined],
    ],
  );
});
