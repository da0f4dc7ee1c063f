/** Retries: when the client sends again, and which events. */
import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, stopTimers, waitForEarlierRequests } from "./browser.ts";
import { refusal, type ScriptedResponse } from "./server.ts";

const page = (status: number): ScriptedResponse => ({
  status,
  body: "<!doctype html><title>Blocked</title>",
});
const command = ({ page }: BrowserVisit, ...call: unknown[]) =>
  page.evaluate((call) => window.headwater?.(...call), call);
const namesOf = ({ ingest }: BrowserVisit) =>
  ingest.requests.map(({ body }) => body.events.map(({ name }) => name));
const arrives = ({ ingest }: BrowserVisit, name: string) =>
  ingest.until(() => ingest.requests.find(({ body }) => body.events.some((event) => event.name === name)));
const leave = ({ page }: BrowserVisit) =>
  page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));

for (const status of [200, 302, 401, 403, 404, 422]) {
  browserTest(
    `A response ${status} that is not from the service loses no event and logs one warning.`,
    async (visit) => {
      const { ingest, open, track, warnings } = visit;
      await open();
      await command(visit, "flush");
      ingest.plan(page(status), page(status), { status, body: { code: "FORBIDDEN" } });
      await track("kept");
      await ingest.until((requests) => requests.length >= 5);
      await track("afterwards");
      await arrives(visit, "afterwards");
      assert.deepEqual(namesOf(visit).slice(1, 5), [["kept"], ["kept"], ["kept"], ["kept"]]);
      const waits = `Headwater: waits. ${status} from ${ingest.url}/api/ingest/v2/pk_test`;
      assert.deepEqual(warnings, [waits, `${waits} FORBIDDEN`]);
    },
  );
}

browserTest("A batch that always fails does not hold up other events.", async (visit) => {
  const { ingest, open } = visit;
  await open();
  await command(visit, "flush");
  const filter: ScriptedResponse = ({ body }) =>
    body.events.some(({ name }) => name === "poison") ? page(403) : { status: 200, body: { ok: true } };
  ingest.plan(...Array.from({ length: 200 }, () => filter));
  await visit.page.evaluate(() => {
    for (const name of ["before", "poison", "after"]) window.headwater?.("track", name);
  });
  const alone = (name: string) =>
    ingest.until(() => ingest.requests.find(({ body }) => body.events.length > 0 && namesIn(body, name)));
  const namesIn = ({ events }: { events: { name?: string }[] }, name: string) =>
    events.some((event) => event.name === name) && events.every((event) => event.name !== "poison");
  await Promise.all([alone("before"), alone("after")]);
});

browserTest("A Retry-After that arrives during a backoff is respected.", async (visit) => {
  const { ingest, page, open, track } = visit;
  await page.addInitScript(stopTimers);
  await open();
  await command(visit, "flush");
  ingest.plan({ status: 500 }, { status: 503, headers: { "Retry-After": "60" } });
  const answered = (status: number) => page.waitForResponse((response) => response.status() === status);
  const failure = answered(500);
  await track("first");
  await leave(visit);
  await (await failure).finished();
  const refused = answered(503);
  await leave(visit);
  await (await refused).finished();
  await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.wait"));
  await leave(visit);
  await waitForEarlierRequests(visit);
  assert.deepEqual(namesOf(visit).slice(1), [["first"], ["first"]]);
});

browserTest("A Retry-After for one tab applies to all tabs, and ends in time.", async (visit) => {
  const { ingest, page, site, open, track } = visit;
  await open();
  await command(visit, "flush");
  ingest.plan({ status: 503, headers: { "Retry-After": "60" } });
  await track("first");
  await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.wait"));
  const seen = ingest.requests.length;

  const other = await page.context().newPage();
  await other.goto(`${site.url}/other`);
  await other.waitForFunction(() => window.headwater?.version);
  await other.evaluate(() => {
    window.headwater?.("track", "second");
    window.headwater?.("flush");
    dispatchEvent(new PageTransitionEvent("pagehide"));
  });
  await waitForEarlierRequests({ ...visit, page: other });
  assert.equal(ingest.requests.length, seen);

  await other.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + 60_001;
  });
  await other.goto(`${site.url}/later`);
  await arrives(visit, "second");
});

browserTest("A stored wait beyond the maximum is ignored: the clock was set back.", async (visit) => {
  await visit.page.addInitScript(() => {
    localStorage.setItem("headwater.pk_test.wait", `${Date.now() + 86_400_000}`);
  });
  await visit.open();
  assert.equal(visit.ingest.events().length, 1);
});

browserTest("A page open for a day with nothing to send stops retrying.", async (visit) => {
  const { ingest, page } = visit;
  await visit.open();
  await command(visit, "flush");
  await page.evaluate(() => {
    performance.now = () => 86_400_001;
    const timers: { run: () => void; delayMs: number }[] = [];
    const setTimeout = (run: () => void, delayMs: number) => timers.push({ run, delayMs });
    Object.assign(window, { timers, setTimeout });
  });
  // The server is told the user by a request without events. It fails and a retry is due.
  ingest.plan({ status: 503 });
  await command(visit, "identify", "user-7");
  await page.waitForFunction("timers.some(({ delayMs }) => delayMs <= 1000)");
  const seen = ingest.requests.length;
  await page.evaluate("timers.find(({ delayMs }) => delayMs <= 1000).run()");
  await command(visit, "flush");
  await waitForEarlierRequests(visit);
  assert.equal(ingest.requests.length, seen);
});

browserTest("A page without events opens no session; its first event does.", async (visit) => {
  const { ingest, page, site } = visit;
  site.showHead(
    `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-auto-page-views="false"></script>`,
  );
  await page.goto(site.url);
  await page.waitForFunction(() => window.headwater?.version);
  await command(visit, "flush");
  await waitForEarlierRequests(visit);
  assert.equal(ingest.requests.length, 0);
  await command(visit, "page");
  await command(visit, "flush");
  const first = await ingest.until((requests) => requests[0]);
  assert.deepEqual([first.route, first.body.events.length], ["bootstrap", 1]);
});

browserTest("A suspended page that holds the lock does not keep other pages from sending.", async (visit) => {
  const { ingest, page } = visit;
  await page.goto(`${visit.site.url}/`);
  const frozen = await page.context().newPage();
  await frozen.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await frozen.goto(visit.site.url);
  await frozen.evaluate(() => {
    const held = Promise.withResolvers<void>();
    void navigator.locks.request("headwater.pk_test.", () => {
      held.resolve();
      return new Promise(() => {});
    });
    return held.promise;
  });
  await visit.open("/beside");
  assert.ok(ingest.events().some(({ page }) => page?.path === "/beside"));
});

browserTest("A refusal by the service still stops the page.", async (visit) => {
  const { ingest, open, track } = visit;
  await open();
  await command(visit, "flush");
  ingest.plan(page(403), refusal(403, "source_inactive"));
  await track("one");
  await ingest.until((requests) => requests.length >= 3);
  await track("two");
  await command(visit, "flush");
  await waitForEarlierRequests(visit);
  assert.equal(ingest.requests.length, 3);
});
