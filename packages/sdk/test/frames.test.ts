/** Frames of a page, and several tabs that a new visitor opens at once. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { type BrowserVisit, browserTest, untilInPage } from "./browser.ts";

/** The content of a frame: the snippet, and an event. */
const content = ({ install }: BrowserVisit, settings = "") =>
  `<title>Frame</title>${install.browserSnippet.replace("  script.onerror", `${settings}  script.onerror`)}
  <script>headwater("track", "in the frame")</script>`;

const kinds = ["srcdoc", "blob", "path"] as const;

/** Adds a frame to the page, or to a frame of it, and waits for its event. */
async function addFrame(
  visit: BrowserVisit,
  kind: (typeof kinds)[number],
  html: string,
  around: Frame = visit.page.mainFrame(),
): Promise<Frame> {
  const { site, ingest } = visit;
  if (kind === "path") site.showHead(html);
  const seen = ingest.events().length;
  await around.evaluate(
    ([kind, html, url]) => {
      const frame = document.createElement("iframe");
      if (kind === "srcdoc") frame.srcdoc = html;
      else if (kind === "blob") frame.src = URL.createObjectURL(new Blob([html], { type: "text/html" }));
      else frame.src = url;
      document.body.append(frame);
    },
    [kind, html, `${site.url}/inner`] as const,
  );
  await ingest.until(() =>
    ingest.events().some(({ name }, index) => index >= seen && name === "in the frame"),
  );
  return around.childFrames().at(-1)!;
}

/** The views by path, and the events by name. A page that replaces another sends again what was not answered before. */
const received = ({ ingest }: BrowserVisit) =>
  [...new Map(ingest.events().map((event) => [event.id, event])).values()].map(
    ({ name, page }) => name ?? page?.path,
  );

async function openWithoutClient({ page, site }: BrowserVisit): Promise<void> {
  site.showHead("");
  await page.goto(`${site.url}/outer`);
}

for (const kind of kinds) {
  browserTest(`A frame by ${kind} shows the page around it, which counts once.`, async (visit) => {
    const { ingest, site } = visit;
    await visit.open("/outer");
    await addFrame(visit, kind, content(visit));
    assert.deepEqual(
      ingest.events().map(({ type, page }) => [type, page?.url, page?.title]),
      [
        ["page", `${site.url}/outer`, "Home"],
        ["track", `${site.url}/outer`, "Home"],
      ],
    );
    assert.equal(new Set(ingest.requests.map(({ body }) => body.anonymousId)).size, 1);
  });

  browserTest(`A frame by ${kind} in a page without the client counts once.`, async (visit) => {
    const { ingest } = visit;
    await openWithoutClient(visit);
    await addFrame(visit, kind, content(visit));
    assert.deepEqual(
      ingest.events().map(({ type, page }) => [type, page?.path]),
      [
        ["page", "/outer"],
        ["track", "/outer"],
      ],
    );
  });

  browserTest(`Frames in a frame by ${kind} of a page without the client count once.`, async (visit) => {
    await openWithoutClient(visit);
    const middle = await addFrame(visit, kind, content(visit));
    for (const inner of kinds) await addFrame(visit, inner, content(visit), middle);
    assert.deepEqual(received(visit), ["/outer", ...Array(4).fill("in the frame")]);
  });

  browserTest(`Each frame in a frame by ${kind} can be a page of its own.`, async (visit) => {
    const settings = '  script.dataset.autoPageViews = "true";\n';
    await openWithoutClient(visit);
    const middle = await addFrame(visit, kind, content(visit, settings));
    await addFrame(visit, "path", content(visit, settings), middle);
    const [first, ...others] = received(visit);
    assert.deepEqual(others, ["in the frame", "/inner", "in the frame"]);
    if (kind === "path") assert.equal(first, "/inner");
  });
}

browserTest(
  "Frames beside each other in a page without the client count each address once.",
  async (visit) => {
    await openWithoutClient(visit);
    for (const path of ["/outer", "/next"]) {
      await visit.page.evaluate((path) => history.replaceState(null, "", path), path);
      for (const kind of kinds) await addFrame(visit, kind, content(visit));
    }
    const frames = Array(3).fill("in the frame");
    assert.deepEqual(received(visit), ["/outer", ...frames, "/next", ...frames]);
  },
);

browserTest("A frame of a page without the client that navigates counts once.", async (visit) => {
  const { ingest, site } = visit;
  await openWithoutClient(visit);
  const frame = await addFrame(visit, "path", content(visit));
  await frame.goto(`${site.url}/other`);
  await ingest.until(() => received(visit).length > 2);
  assert.deepEqual(received(visit), ["/outer", "in the frame", "in the frame"]);
});

browserTest("A client that starts after one of a frame counts the next view of the page.", async (visit) => {
  const { ingest, install, page } = visit;
  await openWithoutClient(visit);
  await addFrame(visit, "srcdoc", content(visit));
  await page.evaluate(
    (code) => {
      const script = document.createElement("script");
      script.text = code;
      document.head.append(script);
    },
    install.browserSnippet.replaceAll(/<.?script>/g, ""),
  );
  await untilInPage(page, "window.headwater?.version");
  await page.evaluate(() => history.pushState(null, "", "/next"));
  await visit.track("late");
  await ingest.until(() => ingest.events().some(({ name }) => name === "late"));
  assert.deepEqual(received(visit), ["/outer", "in the frame", "/next", "late"]);
});

browserTest('With data-auto-page-views="true" a frame is a page of its own.', async (visit) => {
  const { ingest } = visit;
  await visit.open("/outer");
  await addFrame(visit, "path", content(visit, '  script.dataset.autoPageViews = "true";\n'));
  assert.deepEqual(
    ingest.events().map(({ type, page }) => [type, page?.path]),
    [
      ["page", "/outer"],
      ["page", "/inner"],
      ["track", "/inner"],
    ],
  );
});

browserTest("A frame of another origin is a page of its own.", async (visit) => {
  const { ingest, page, site } = visit;
  await visit.open("/outer");
  site.showHead(content(visit));
  await page.evaluate(
    (url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
    },
    `${site.url.replace("127.0.0.1", "localhost")}/inner`,
  );
  await ingest.until(() => ingest.events().some(({ name }) => name === "in the frame"));
  assert.deepEqual(
    ingest.events().map(({ page }) => page?.path),
    ["/outer", "/inner", "/inner"],
  );
});

browserTest("A new visitor who opens four tabs at once is one visitor.", async (visit) => {
  const { ingest, page, site, install } = visit;
  site.showHead("");
  await page.goto(site.url);
  site.showHead(install.browserSnippet);
  await page.evaluate(() => {
    for (let n = 1; n <= 4; n += 1) window.open(`/tab${n}`);
  });
  await ingest.until(() => ingest.events().length >= 4);
  assert.equal(new Set(ingest.requests.map(({ body }) => body.anonymousId)).size, 1);
  assert.deepEqual(
    ingest
      .events()
      .map(({ page }) => page?.path)
      .sort(),
    ["/tab1", "/tab2", "/tab3", "/tab4"],
  );
});

browserTest("A new visitor's tab waits until the tab that makes the id has stored it.", async (visit) => {
  const { ingest, page, site, install } = visit;
  site.showHead("");
  await page.goto(site.url);
  await page.evaluate(
    () =>
      new Promise<void>((held) => {
        void navigator.locks.request("headwater.pk_test.", () => {
          held();
          return new Promise((release) => Object.assign(window, { release }));
        });
      }),
  );
  site.showHead(install.browserSnippet);
  const tab = await page.context().newPage();
  await tab.goto(`${site.url}/tab`);
  await tab.waitForFunction(() => window.headwater?.version);
  await page.evaluate(() => {
    localStorage.setItem("headwater.pk_test.visitor", "f".repeat(32));
    (window as unknown as { release(): void }).release();
  });
  const first = await ingest.until((requests) => requests[0]);
  assert.equal(first.body.anonymousId, "f".repeat(32));
});

browserTest("A first page that is left before it has the lock sends its view.", async (visit) => {
  const { ingest, page, site } = visit;
  await page.addInitScript(() => {
    navigator.locks.request = () => new Promise(() => {});
  });
  await page.goto(`${site.url}/short`);
  await page.waitForFunction(() => window.headwater?.version);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
  await ingest.until(() => ingest.events().some(({ page }) => page?.path === "/short"));
});
