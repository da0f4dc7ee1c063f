/** Sending when the page is hidden or closed. */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, stopTimers, waitForEarlierRequests } from "./browser.ts";
import { refusal, type ScriptedResponse } from "./server.ts";

/** Hides the page, as when the visitor leaves it. */
const leave = ({ page }: BrowserVisit) =>
  page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
const names = ({ ingest }: BrowserVisit) =>
  ingest.requests.map(({ body }) => body.events.map(({ name }) => name));

/** A page that failed to send "first" and does not retry by itself. */
async function fail(visit: BrowserVisit, answer: ScriptedResponse): Promise<void> {
  const { ingest, page, open, track } = visit;
  await page.addInitScript(stopTimers);
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  await page.evaluate(() => window.headwater?.("debug"));
  const failure = page.waitForEvent("console", (message) => message.type() === "log");
  ingest.plan(answer);
  await track("first");
  await leave(visit);
  await failure;
  await track("second");
}

browserTest("A closing page does not wait for its backoff.", async (visit) => {
  // A response without CORS headers counts as none. (After a closed connection the browser itself would retry.)
  await fail(visit, { status: 200, headers: { "Access-Control-Allow-Origin": "https://other.example" } });
  await leave(visit);
  await visit.ingest.until((requests) => requests.length > 2);
  assert.deepEqual(names(visit).slice(1), [["first"], ["first", "second"]]);
});

browserTest("A closing page respects Retry-After.", async (visit) => {
  await fail(visit, { status: 503, headers: { "Retry-After": "60" } });
  await leave(visit);
  await waitForEarlierRequests(visit);
  assert.deepEqual(names(visit).slice(1), [["first"]]);
});

browserTest("The last request outlives its page, with non-Latin text too.", async (visit) => {
  const { page, ingest, open } = visit;
  await page.addInitScript(stopTimers);
  await page.addInitScript(() => {
    const { fetch } = window;
    const kept: boolean[] = [];
    Object.assign(window, {
      kept,
      fetch(url: string, init: RequestInit) {
        kept.push(Boolean(init.keepalive));
        return fetch(url, init);
      },
    });
  });
  await open();
  // the first view has its response, so no request is open
  await page.waitForFunction(() => Object.keys(localStorage).every((name) => !name.includes(".event.")));
  await page.waitForFunction(() => Object.keys(localStorage).some((name) => name.endsWith(".session")));
  await page.evaluate(() => {
    for (let n = 0; n < 6; n += 1) window.headwater?.("track", `${n}`, { text: "漢".repeat(9_000) });
  });
  await leave(visit);
  await ingest.until((requests) => requests.length > 1);
  assert.deepEqual(names(visit)[1], ["0", "1"]);
  assert.deepEqual(await page.evaluate("kept"), [true, true]);
});

browserTest("A large batch on leaving does not increase later batches.", async (visit) => {
  const { ingest, page, open } = visit;
  await open();
  const first = Promise.withResolvers<ScriptedResponse>();
  ingest.plan(first.promise, refusal(413, "payload_too_large"));
  const track = (count: number) =>
    page.evaluate((count) => {
      for (let n = 0; n < count; n += 1) window.headwater?.("track", "event");
    }, count);
  await track(20);
  await ingest.until((requests) => requests.length > 1);
  await track(100);
  await leave(visit);
  await ingest.until((requests) => requests.length > 2);
  first.resolve({ status: 200, body: { ok: true } });
  await ingest.until(() => ingest.events().length >= 1 + 20 + 100 + 100);
  assert.deepEqual(
    ingest.requests.map(({ body }) => body.events.length),
    [1, 20, 100, 20, 20, 20, 20, 20],
  );
});
