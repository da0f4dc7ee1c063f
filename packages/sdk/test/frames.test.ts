/** Frames of a page, and several tabs that a new visitor opens at once. */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest } from "./browser.ts";

/** The content of a frame: the snippet, and an event. */
const content = ({ install }: BrowserVisit, settings = "") =>
  `<title>Frame</title>${install.browserSnippet.replace("  script.onerror", `${settings}  script.onerror`)}
  <script>headwater("track", "in the frame")</script>`;

/** Adds a frame to the page and waits for its event. */
async function addFrame(visit: BrowserVisit, kind: "srcdoc" | "blob" | "path", html: string): Promise<void> {
  const { page, site, ingest } = visit;
  if (kind === "path") site.showHead(html);
  const seen = ingest.events().length;
  await page.evaluate(
    ([kind, html]) => {
      const frame = document.createElement("iframe");
      if (kind === "srcdoc") frame.srcdoc = html;
      else if (kind === "blob") frame.src = URL.createObjectURL(new Blob([html], { type: "text/html" }));
      else frame.src = "/inner";
      document.body.append(frame);
    },
    [kind, html] as const,
  );
  await ingest.until(() =>
    ingest.events().some(({ name }, index) => index >= seen && name === "in the frame"),
  );
}

for (const kind of ["srcdoc", "blob", "path"] as const) {
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
    const { ingest, page, site } = visit;
    site.showHead("");
    await page.goto(`${site.url}/outer`);
    await addFrame(visit, kind, content(visit));
    assert.deepEqual(
      ingest.events().map(({ type, page }) => [type, page?.path]),
      [
        ["page", "/outer"],
        ["track", "/outer"],
      ],
    );
  });
}

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
