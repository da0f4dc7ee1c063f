/** The back/forward cache and prerendering in a real Chromium. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { chromiumPath, launchKeepingPages, skip } from "./chromium.ts";
import { startIngest, startSite } from "./server.ts";

const timeout = 180_000;
const source = { sourceId: "src_test", publicKey: "pk_test", name: "Test", frameworkHint: null };

async function openIngest(t: TestContext) {
  const ingest = await startIngest();
  t.after(() => {
    if (t.signal.aborted) t.diagnostic(`timed out after ${ingest.summary()}`);
    ingest.close();
  });
  const { browserSnippet } = installPayload(source, { baseUrl: ingest.url, appUrl: ingest.url });
  // A page that closes before its response leaves its events to the next page; the server recognizes them by id.
  const receivedNames = () => {
    const events = new Map(ingest.events().map((event) => [event.id, event]));
    return [...events.values()].map(({ name, page }) => name ?? page?.path);
  };
  return { ingest, browserSnippet, receivedNames };
}

/**
 * After the response no request is open that would keep the page out of the back/forward cache. Unlike `evaluate`, `waitForFunction`
 * goes on in the page that a navigation shows meanwhile.
 */
const untilNoRequest = (page: Page) =>
  page.waitForFunction(() => navigator.locks.request("headwater.pk_test.", () => true));

test("A page shown again from the back/forward cache counts a view.", { skip, timeout }, async (t) => {
  const { ingest, browserSnippet, receivedNames } = await openIngest(t);
  const site = await startSite();
  t.after(site.close);
  site.showHead(`${browserSnippet}<script>addEventListener("pageshow", ({ persisted }) => {
    headwater("track", persisted ? "kept" : "loaded");
    headwater("flush");
  });</script>`);
  const browser = await launchKeepingPages();
  t.after(() => browser.close());
  const page = await browser.newPage();
  const count = (...names: string[]) =>
    receivedNames().filter((name) => names.includes(name as string)).length;
  const shows = () => count("loaded", "kept");
  const show = async (navigate: () => Promise<unknown>) => {
    const before = shows();
    await navigate();
    await ingest.until(() => shows() > before && count("/first", "/second") >= shows());
    await untilNoRequest(page);
  };
  await show(() => page.goto(`${site.url}/first`));
  // Chromium loads a page anew when it was slow to freeze
  while (count("kept") === 0) {
    await show(() => page.goto(`${site.url}/second`));
    await show(() => page.evaluate(() => history.back()));
  }
  assert.equal(count("/first", "/second"), shows(), "one view for each time a page is shown");
  assert.equal(new Set(ingest.requests.map(({ body }) => body.anonymousId)).size, 1);
});

test("Frames of a page without the client count one view when it is shown again.", {
  skip,
  timeout,
}, async (t) => {
  const { ingest, browserSnippet, receivedNames } = await openIngest(t);
  const site = await startSite();
  t.after(site.close);
  const browser = await launchKeepingPages();
  t.after(() => browser.close());
  const page = await browser.newPage();
  const count = (name: string) => receivedNames().filter((one) => one === name).length;
  const content = `${browserSnippet}<script>addEventListener("pageshow", ({ persisted }) => {
    headwater("track", persisted ? "kept" : "loaded");
    headwater("flush");
  });</script>`;
  const addFrame = async () => {
    const loads = count("loaded");
    const outer = page.frames().at(-1)!;
    await outer.evaluate((html) => {
      const frame = document.createElement("iframe");
      frame.srcdoc = html;
      document.body.append(frame);
    }, content);
    await ingest.until(() => count("loaded") > loads);
  };
  const isKept = () => page.evaluate(() => frames.length > 0);
  let opened = 0;
  // Chromium loads a page anew when it was slow to freeze
  do {
    await page.goto(`${site.url}/outer`);
    opened++;
    await addFrame();
    await addFrame();
    await untilNoRequest(page);
    await page.goto(`${site.url}/second`);
    await page.evaluate(() => history.back());
    await page.waitForFunction(() => location.pathname === "/outer");
  } while (!(await isKept()));
  await ingest.until(() => count("kept") === 2);
  await untilNoRequest(page);
  assert.equal(count("/outer"), opened + 1, "a view of each opened page, and of the kept one");
});

/** A site whose first page prerenders the second and goes to it after its scripts have run; it reloads when Chromium does not prerender. */
async function startPrerenderingSite(t: TestContext, browserSnippet: string): Promise<string> {
  const first = `<script type="speculationrules">
    {"prerender": [{"source": "list", "urls": ["/second"], "eagerness": "immediate"}]}</script>
    <script>fetch("/when-prerendered", { signal: AbortSignal.timeout(15_000) })
      .then(() => { location.href = "/second"; }, () => location.reload());</script>`;
  const second = `<script>
    headwater("ready", () => {
      if (!document.prerendering) return;
      history.replaceState(null, "", "/second/ready");
      fetch("/prerendered");
    });
    document.addEventListener("prerenderingchange", () => {
      headwater("track", "shown");
      headwater("flush");
    });</script>`;
  const prerendered = Promise.withResolvers<void>();
  const show = (response: ServerResponse, head = "") => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<!doctype html><title>Page</title>${browserSnippet}${head}`);
  };
  const server = createServer(async ({ url }, response) => {
    if (url === "/first") return show(response, first);
    if (url === "/second") return show(response, second);
    if (url === "/prerendered") prerendered.resolve();
    if (url === "/when-prerendered") await prerendered.promise;
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("A prerendered page counts one view, with its URL at the time it is shown.", {
  skip,
  timeout,
}, async (t) => {
  const { ingest, browserSnippet, receivedNames } = await openIngest(t);
  const url = await startPrerenderingSite(t, browserSnippet);
  const profile = await mkdtemp(join(tmpdir(), "headwater-prerender-"));
  // Without a debugger connection, which would prevent prerendering.
  const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"];
  const place = `--user-data-dir=${profile}`;
  const browser = spawn(chromiumPath, [...words, place, `${url}/first`], { stdio: "ignore" });
  const ended = once(browser, "exit");
  t.after(async () => {
    browser.kill("SIGTERM");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const ofSecond = () => receivedNames().filter((name) => name !== "/first");
  await ingest.until(() => ofSecond().length >= 2);
  assert.deepEqual(ofSecond().sort(), ["/second/ready", "shown"]);
});
