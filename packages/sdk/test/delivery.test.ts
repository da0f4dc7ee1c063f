import assert from "node:assert/strict";
import { type BrowserVisit, browserTest, stopTimers, waitForEarlierRequests } from "./browser.ts";
import { refusal, type ScriptedResponse } from "./server.ts";

const later = (status: number): ScriptedResponse => ({
  status,
  headers: { "Retry-After": "2" },
  body: { ok: false },
});
const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id);

/** Enough events to fill a batch. */
const trackTwenty = ({ page }: BrowserVisit) =>
  page.evaluate(() => {
    for (let n = 0; n < 20; n += 1) window.headwater?.("track", `event ${n}`);
  });

browserTest("An event over a megabyte is dropped, and the next ones are sent.", async (visit) => {
  const { ingest, page, open } = visit;
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  await page.evaluate(() => {
    window.headwater?.("track", "huge", { data: "x".repeat(1_100_000) });
    window.headwater?.("track", "next");
  });
  await ingest.until(() => ingest.events().some(({ name }) => name === "next"));
  assert.ok(!ingest.events().some(({ name }) => name === "huge"));
});

browserTest("flush() waits for everything that was tracked before it.", async (visit) => {
  const { ingest, page, open } = visit;
  await open();
  await page.evaluate(() => window.headwater?.("flush"));
  const held = Promise.withResolvers<ScriptedResponse>();
  ingest.plan(held.promise);
  const trackMany = (count: number) => {
    for (let number = 0; number < count; number++) window.headwater?.("track", "one of many");
  };
  await page.evaluate(trackMany, 20);
  await ingest.until(() => ingest.events().length > 20);
  await page.evaluate(trackMany, 25);
  const waiting = page.evaluate(async () => {
    await new Promise<void>((done) =>
      window.headwater?.("ready", (client: { flush(): Promise<void> }) => client.flush().then(done)),
    );
    return Object.keys(localStorage).filter((name) => name.includes("event.")).length;
  });
  held.resolve({ status: 200, body: { ok: true, sessionId: "ses_1" } });
  assert.equal(await waiting, 0);
});

browserTest(
  "Twenty events are sent at once; fewer wait for two seconds.",
  async (visit) => {
    const { ingest, open } = visit;
    await open();
    await trackTwenty(visit);
    await visit.track("twenty-first");
    await ingest.until((requests) => requests.length >= 3);
    assert.deepEqual(
      ingest.requests.map(({ body }) => body.events.length),
      [1, 20, 1],
    );
    const [, full, rest] = ingest.requests;
    assert.ok(rest!.receivedAtMs - full!.receivedAtMs > 1000, "only the incomplete batch waited");
  },
  { timers: "real" },
);

browserTest(
  "Waiting events are sent when the visitor leaves the page.",
  async ({ ingest, page, open, track }) => {
    await page.addInitScript(stopTimers);
    await open();
    await track("left");
    await page.goto("about:blank");
    await ingest.until(() => ingest.events().some(({ name }) => name === "left"));
    const last = ingest.requests.at(-1)!;
    assert.match(last.headers["content-type"] ?? "", /^text\/plain/);
    assert.ok(ingest.requests.every(({ method }) => method === "POST"));
    assert.equal(ingest.events().filter(({ name }) => name === "left").length, 1);
  },
);

browserTest("Waiting events are sent when the page is hidden.", async ({ ingest, page, open }) => {
  await page.addInitScript(stopTimers);
  await open();
  await page.evaluate(() => {
    window.headwater?.("track", "hidden");
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await ingest.until(() => ingest.events().some(({ name }) => name === "hidden"));
});

browserTest(
  "An event tracked before the bootstrap's response is not lost when the page closes.",
  async (visit) => {
    const { ingest, page, site, track } = visit;
    ingest.plan("wait");
    await page.goto(site.url);
    await ingest.until((requests) => requests.length >= 1);
    await track("quick");
    await page.goto("about:blank");
    await ingest.until(() => ingest.events().some(({ name }) => name === "quick"));
  },
);

for (const [failure, answer] of [
  ["a broken connection", "hang up"],
  ["429", later(429)],
  ["503", later(503)],
] as const) {
  browserTest(
    `After ${failure} the same events are sent again, with a new sentAt.`,
    async ({ ingest, page, site }) => {
      ingest.plan(answer, answer);
      await page.goto(site.url);
      await ingest.until((requests) => requests.length >= 3);
      const [first, second, third] = ingest.requests;
      assert.deepEqual(second?.body.events, first?.body.events);
      assert.deepEqual(third?.body.events, first?.body.events);
      assert.equal(new Set(ingest.requests.map(({ body }) => body.sentAt)).size, 3);
      if (answer === "hang up") return;
      assert.ok(second!.receivedAtMs - first!.receivedAtMs >= 1990, "the client waited as Retry-After says");
    },
    { timers: "real" },
  );
}

browserTest(
  "Without a response the client keeps the oldest megabyte of events, sends it later and reports the rest.",
  async (visit) => {
    const { ingest, page, open } = visit;
    await open();
    const answer = Promise.withResolvers<ScriptedResponse>();
    ingest.plan(answer.promise);
    await trackTwenty(visit);
    await ingest.until((requests) => requests.length > 1);
    await page.evaluate(() => {
      const data = "x".repeat(5_000);
      for (let n = 20; n < 300; n += 1) window.headwater?.("track", `event ${n}`, { data });
    });
    answer.resolve({ status: 503 });
    await ingest.until(() => ingest.events().length > 200);
    await page.evaluate(() => window.headwater?.("flush"));
    await visit.track("last");
    const last = await ingest.until(() => ingest.events().find(({ name }) => name === "last"));
    const sent = ingest.requests.slice(2).flatMap(({ body }) => body.events.map(({ name }) => name));
    const kept = sent.length - 1;
    const lost = last.lost?.match(/queue_full/g)?.length;
    assert.deepEqual(sent, [...Array.from({ length: kept }, (_, n) => `event ${n}`), "last"]);
    assert.equal(kept + lost!, 300);
    assert.ok(kept > 200 && kept < 210);
  },
  // No request may finish before the page has tracked all events, even on a slow machine.
  { timers: "real" },
);

for (const code of ["invalid_session", "session_expired"]) {
  browserTest(`After ${code} the client makes one new bootstrap with the same events.`, async (visit) => {
    const { ingest, open } = visit;
    await open();
    ingest.plan(refusal(403, code), (request) => ({
      status: 200,
      body: { ok: true, sessionId: `new_${request.route}` },
    }));
    await visit.track("carried over");
    await ingest.until((requests) => requests.length >= 3);
    await visit.track("afterwards");
    await ingest.until((requests) => requests.length >= 4);
    assert.deepEqual(
      ingest.requests.map(({ route }) => route),
      ["bootstrap", "events", "bootstrap", "events"],
    );
    assert.deepEqual(ids(ingest.requests[2]!.body.events), ids(ingest.requests[1]!.body.events));
    assert.equal(ingest.requests[3]?.body.sessionId, "new_bootstrap");
    assert.deepEqual(visit.warnings, []);
  });
}

for (const [status, code] of [
  [403, "origin_not_allowed"],
  [403, "origin_missing"],
  [403, "source_inactive"],
  [404, "unknown_public_key"],
  [404, "rotated_public_key"],
] as const) {
  browserTest(`After ${status} ${code} the client stops, with one warning.`, async (visit) => {
    const { ingest, page, site } = visit;
    ingest.plan(refusal(status, code));
    const warning = visit.nextWarning();
    await page.goto(site.url);
    assert.equal(
      (await warning).text(),
      `Headwater: stopped. What is wrong: ${code}. What to do about ${code}. ${code} https://debug.example`,
    );
    await trackTwenty(visit);
    await page.evaluate(() => history.pushState(null, "", "/next"));
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
    await waitForEarlierRequests(visit);
    assert.equal(ingest.requests.length, 1);
    assert.equal(visit.warnings.length, 1);
  });
}

browserTest(
  "A web server's own page is not accepted as a response, and the request is retried.",
  async (visit) => {
    visit.ingest.plan({ status: 200, body: "<!doctype html><title>Welcome</title>" });
    const warning = visit.nextWarning();
    await visit.page.goto(visit.site.url);
    assert.match((await warning).text(), /200 from .*pk_test/);
    const [first, second] = await visit.ingest.until((requests) => requests[1] && requests);
    assert.deepEqual(second?.body.events, first?.body.events);
  },
);

for (const body of [
  '{"ok":true}',
  '{"ok":true,"results":null}',
  '{"ok":true,"results":[]}',
  '{"ok":"yes","results":[{}]}',
]) {
  browserTest(`A response of ${body} to one event is not accepted.`, async (visit) => {
    visit.ingest.plan({ status: 200, body });
    const warning = visit.nextWarning();
    await visit.page.goto(visit.site.url);
    assert.match((await warning).text(), /200 from .*pk_test/);
    const [first, second] = await visit.ingest.until((requests) => requests[1] && requests);
    assert.deepEqual(second?.body.events, first?.body.events);
  });
}

browserTest(
  "After 422 the client drops the events that the issues name and sends the rest.",
  async (visit) => {
    const { ingest, page, open } = visit;
    await open();
    const invalid: ScriptedResponse = ({ body }) =>
      refusal(422, "invalid_payload", {
        issues: [
          {
            path: ["events", 0, "name"],
            eventId: body.events[0]?.id,
            code: "required",
            message: "The name is missing.",
          },
          { path: [], eventId: body.events[2]?.id, code: "invalid_type", message: "No object." },
        ],
      });
    ingest.plan(invalid);
    const warning = visit.nextWarning();
    await page.evaluate(() => {
      for (const name of ["spoilt", "good", "spoilt too", "good too"]) window.headwater?.("track", name);
    });
    await ingest.until((requests) => requests.length >= 3);
    assert.match((await warning).text(), /Headwater: dropped\. What is wrong: invalid_payload\./);
    await visit.track("afterwards");
    await ingest.until((requests) => requests.length >= 4);
    assert.deepEqual(
      ingest.requests.slice(1).map(({ body }) => body.events.map(({ name }) => name)),
      [["spoilt", "good", "spoilt too", "good too"], ["good", "good too"], ["afterwards"]],
    );
    assert.deepEqual(
      ids(ingest.requests[2]!.body.events),
      [1, 3].map((n) => ingest.requests[1]!.body.events[n]!.id),
    );
  },
);

browserTest("After 422 without an issue about an event, the client stops.", async (visit) => {
  const { ingest, page, site } = visit;
  ingest.plan(
    refusal(422, "invalid_payload", { issues: [{ path: ["page"], code: "too_long", message: "Too long." }] }),
  );
  const warning = visit.nextWarning();
  await page.goto(site.url);
  assert.match((await warning).text(), /Headwater: stopped/);
  await trackTwenty(visit);
  await waitForEarlierRequests(visit);
  assert.equal(ingest.requests.length, 1);
});

browserTest("After 413 the client halves the batch until it is accepted.", async (visit) => {
  const { ingest, open } = visit;
  await open();
  const atMostFive: ScriptedResponse = (request) =>
    request.body.events.length > 5 ? refusal(413, "payload_too_large") : { status: 200, body: { ok: true } };
  ingest.plan(atMostFive, atMostFive);
  await trackTwenty(visit);
  await ingest.until((requests) => requests.length >= 7);
  assert.deepEqual(
    ingest.requests.slice(1).map(({ body }) => body.events.length),
    [20, 10, 5, 5, 5, 5],
  );
});

browserTest("A body over the keepalive limit is sent without keepalive.", async ({ ingest, page, open }) => {
  await open();
  await page.evaluate(() => window.headwater?.("track", "large", { text: "é".repeat(40_000) }));
  const event = await ingest.until(() => ingest.events().find(({ name }) => name === "large"));
  assert.equal(String(event.properties?.text).length, 40_000);
});
