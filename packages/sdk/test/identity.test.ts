import assert from "node:assert/strict";
import { browserTest, untilInPage } from "./browser.ts";
import { type ReceivedRequest, refusal, type ScriptedResponse } from "./server.ts";

browserTest(
  "identify sets the user of later events, and of earlier events of the page that are not sent yet.",
  async (visit) => {
    const { ingest, page, open } = visit;
    await open();
    await page.evaluate(() => {
      window.headwater?.("track", "before");
      window.headwater?.("identify", "user-1");
    });
    await ingest.until(() => ingest.events().some(({ name }) => name === "before"));
    assert.equal(ingest.requests[1]?.route, "bootstrap");
    assert.equal(ingest.requests[1]?.body.userId, "user-1");
    await open("/later");
    // events of the first page without a response are sent again unchanged
    const isLater = ({ body }: ReceivedRequest) =>
      body.events.some(({ page }) => page?.url.endsWith("/later"));
    await ingest.until((requests) => requests.some(isLater));
    assert.equal(ingest.requests.find(isLater)?.body.userId, "user-1");
  },
);

browserTest(
  "After reset the next event has a new visitor, and earlier events keep theirs.",
  async (visit) => {
    const { ingest, page, open, track } = visit;
    await open();
    await page.evaluate(() => {
      window.headwater?.("identify", "user-1");
      window.headwater?.("track", "signed out");
      window.headwater?.("reset");
    });
    await track("somebody");
    await ingest.until(() => ingest.events().some(({ name }) => name === "somebody"));
    const [out, next] = ["signed out", "somebody"].map(
      (name) => ingest.requests.find(({ body }) => body.events.some((event) => event.name === name))!.body,
    );
    assert.equal(out?.userId, "user-1");
    assert.equal(next?.userId, undefined);
    assert.notEqual(next?.sessionId, "ses_1");
    assert.notEqual(next?.anonymousId, out?.anonymousId);
  },
);

browserTest(
  "While consent is pending, reset applies at once, under every key that has the visitor.",
  async (visit) => {
    const { ingest, page, site, open, track } = visit;
    await open();
    const kept = () =>
      page.evaluate(() => ["test", "old", "other"].map((key) => localStorage[`headwater.pk_${key}.visitor`]));
    await page.evaluate(() => {
      localStorage["headwater.pk_old.visitor"] = `${localStorage["headwater.pk_test.visitor"]} user-1`;
      localStorage["headwater.pk_other.visitor"] = "f".repeat(32);
    });
    const tag = (attributes: string) =>
      `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" ${attributes}></script>`;
    site.showHead(tag('data-consent="pending"'));
    await page.goto(site.url);
    await page.waitForFunction(() => window.headwater?.version);
    await page.evaluate(() => window.headwater?.("reset"));
    assert.deepEqual(await kept(), [undefined, undefined, "f".repeat(32)]);
    assert.equal(await page.evaluate(() => localStorage.getItem("headwater.pk_test.session")), null);
    await page.evaluate(() => window.headwater?.("setConsent", "granted"));
    await track("somebody");
    await ingest.until(() => ingest.events().some(({ name }) => name === "somebody"));
    const [first, ...later] = ingest.requests.map(({ body }) => body.anonymousId);
    assert.ok(!later.includes(first!));
  },
);

browserTest("A denied consent removes the visitor under every key of the site.", async (visit) => {
  const { page, open } = visit;
  await open();
  await page.evaluate(() => {
    localStorage["headwater.pk_old.visitor"] = localStorage["headwater.pk_test.visitor"];
    window.headwater?.("setConsent", "denied");
  });
  assert.equal(await page.evaluate(() => localStorage.length), 0);
});

browserTest(
  "Unsent events keep their visitor, even when another user has signed in since.",
  async (visit) => {
    const { ingest, page, open, track } = visit;
    await open();
    await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.session"));
    const answer = Promise.withResolvers<ScriptedResponse>();
    ingest.plan(answer.promise);
    await track("before");
    await ingest.until((requests) => requests.length > 1);
    await page.evaluate(() => {
      window.headwater?.("reset");
      window.headwater?.("identify", "user-2");
      window.headwater?.("track", "after");
    });
    answer.resolve({ status: 503 });
    await ingest.until(() => ingest.events().some(({ name }) => name === "after"));
    const [first, , before, after] = ingest.requests;
    const { anonymousId, sessionId, userId, events } = before!.body;
    assert.deepEqual(
      [before?.route, anonymousId, sessionId, userId, events.length],
      ["events", first?.body.anonymousId, "ses_1", undefined, 1],
    );
    assert.equal(events[0]?.userId, undefined);
    assert.deepEqual(
      [after?.route, after?.body.sessionId, after?.body.userId],
      ["bootstrap", undefined, "user-2"],
    );
    assert.notEqual(after?.body.anonymousId, anonymousId);
  },
);

browserTest(
  "Unsent events of a previous visitor in an expired session open a session of their own.",
  async (visit) => {
    const { ingest, page, open, track } = visit;
    await open();
    await page.waitForFunction(() => localStorage.getItem("headwater.pk_test.session"));
    const answer = Promise.withResolvers<ScriptedResponse>();
    ingest.plan(answer.promise, refusal(403, "session_expired"));
    await track("before");
    await ingest.until((requests) => requests.length > 1);
    await page.evaluate(() => {
      window.headwater?.("reset");
      window.headwater?.("track", "after");
    });
    answer.resolve({ status: 503 });
    await ingest.until(() => ingest.events().some(({ name }) => name === "after"));
    const [first, , refused, before, after] = ingest.requests.map(({ route, body }) => ({ route, ...body }));
    assert.deepEqual([refused?.route, before?.route, after?.route], ["events", "bootstrap", "bootstrap"]);
    assert.deepEqual([before?.anonymousId, before?.sessionId], [first?.anonymousId, undefined]);
    assert.equal(after?.sessionId, undefined);
    assert.notEqual(after?.anonymousId, first?.anonymousId);
  },
);

browserTest("A user identified during the first bootstrap is sent at once.", async (visit) => {
  const { ingest, page, site } = visit;
  const answer = Promise.withResolvers<ScriptedResponse>();
  ingest.plan(answer.promise);
  await page.goto(site.url);
  await ingest.until((requests) => requests.length > 0);
  await page.evaluate(() => window.headwater?.("identify", "user-1"));
  answer.resolve({ status: 200, body: { ok: true, sessionId: "ses_first" } });
  const second = await ingest.until((requests) => requests[1]);
  const { userId, sessionId, events } = second.body;
  assert.deepEqual([second.route, userId, sessionId, events], ["bootstrap", "user-1", "ses_first", []]);
});

browserTest(
  "Each event has the visitor and the session of the time of its call.",
  async ({ ingest, open, track }) => {
    await open();
    await track("stamped");
    await ingest.until(() => ingest.events().length >= 2);
    const { anonymousId, sessionId } = ingest.events()[1]!;
    assert.deepEqual([anonymousId, sessionId], [ingest.requests[0]?.body.anonymousId, "ses_1"]);
  },
);

browserTest(
  "After 30 idle minutes the client makes a new bootstrap.",
  async ({ ingest, page, open, track }) => {
    await open();
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 1_800_001;
    });
    await track("much later");
    await ingest.until((requests) => requests.length >= 2);
    assert.deepEqual(
      [ingest.requests[1]?.route, ingest.requests[1]?.body.sessionId],
      ["bootstrap", undefined],
    );
  },
);

browserTest(
  "An event with a session that the server does not know is sent again without it.",
  async (visit) => {
    const { ingest, open, track } = visit;
    await open();
    ingest.plan(({ body }) => ({
      status: 200,
      body: { ok: true, results: body.events.map(() => ({ status: "rejected", code: "session_mismatch" })) },
    }));
    await track("kept");
    await ingest.until((requests) => requests.length >= 3);
    assert.deepEqual(
      ingest.requests.slice(1).map(({ body }) => body.events[0]?.sessionId),
      ["ses_1", undefined],
    );
  },
);

browserTest("A rejected event is dropped with a warning.", async (visit) => {
  const { ingest, open, track } = visit;
  await open();
  const rejected = { status: "rejected", code: "event_too_large", message: "It is too large." };
  ingest.plan({ status: 200, body: { ok: true, results: [rejected] } });
  const warning = visit.nextWarning();
  await track("large");
  assert.match((await warning).text(), /dropped\. It is too large\./);
  assert.equal(
    await visit.page.evaluate(() => Object.keys(localStorage).some((name) => name.includes("event"))),
    false,
  );
});

browserTest(
  "A Content-Security-Policy that blocks the connection causes one warning, and the client stops.",
  async (visit) => {
    const { ingest, page, site } = visit;
    site.sendHeaders({ "Content-Security-Policy": "connect-src 'self'" });
    const warning = visit.nextWarning();
    await page.goto(site.url);
    assert.match((await warning).text(), /Headwater: stopped\. The CSP lacks connect-src http/);
    await visit.track("never");
    await page.evaluate(() => window.headwater?.("flush"));
    assert.equal(visit.warnings.length, 1);
    assert.equal(ingest.requests.length, 0);
  },
);

browserTest(
  "The snippet runs under a Content-Security-Policy with a nonce, extended as the install page says.",
  async (visit) => {
    const { ingest, install, site, open } = visit;
    const { scriptSrc, connectSrc } = install.csp;
    site.sendHeaders({
      "Content-Security-Policy": `script-src 'nonce-abc' ${scriptSrc.join(" ")}; connect-src ${connectSrc.join(" ")}`,
    });
    site.showHead(install.browserSnippet.replace("<script>", '<script nonce="abc">'));
    await open();
    assert.equal(ingest.events().length, 1);
  },
);

browserTest("The warning also appears when the API is on a path of the site itself.", async (visit) => {
  const { ingest, site, page } = visit;
  site.sendHeaders({ "Content-Security-Policy": "connect-src 'none'" });
  site.showHead(`<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-api="/hw"></script>`);
  const warning = visit.nextWarning();
  await page.goto(site.url);
  assert.equal((await warning).text(), `Headwater: stopped. The CSP lacks connect-src ${site.url}/hw/`);
});

browserTest(
  "The script and its optional parts run under a Content-Security-Policy with a nonce.",
  async (visit) => {
    const { ingest, page, site } = visit;
    site.sendHeaders({ "Content-Security-Policy": "script-src 'nonce-abc'; connect-src *" });
    site.showHead(
      `<script nonce="abc" async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-extras="forms outbound-links"></script>
    <form id="search" onsubmit="return false"></form>`,
    );
    await page.goto(site.url);
    await untilInPage(page, "window.headwaterExtras && headwaterExtras.size === 2");
    await page.evaluate(() => document.forms[0]?.dispatchEvent(new Event("submit", { bubbles: true })));
    const event = await ingest.until(() => ingest.events().find(({ name }) => name === "form_submit"));
    assert.deepEqual(event.properties, { id: "search", path: "/" });
  },
);

browserTest("A refusal of a later batch also causes one warning and stops the client.", async (visit) => {
  const { ingest, open, track } = visit;
  await open();
  ingest.plan(refusal(403, "source_inactive"));
  const warning = visit.nextWarning();
  await track("one");
  await warning;
  await track("two");
  await visit.page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
  assert.equal(ingest.requests.length, 2);
});

browserTest(
  "identify takes text and finite numbers, and ignores anything else with a warning.",
  async (visit) => {
    const { ingest, page, open, warnings } = visit;
    await open();
    await page.evaluate(() => {
      const { headwater } = window;
      for (const id of [
        { id: 7 },
        Number.NaN,
        Number.POSITIVE_INFINITY,
        true,
        [7],
        null,
        undefined,
        "",
        7n,
        new Date(0),
      ])
        headwater?.("identify", id);
      headwater?.("track", "nobody");
    });
    await ingest.until(() => ingest.events().some(({ name }) => name === "nobody"));
    assert.ok(ingest.requests.every(({ body }) => body.userId === undefined));
    assert.equal(warnings.length, 10);
    assert.match(warnings[0] ?? "", /^Headwater: no user id/);
    await page.evaluate(() => window.headwater?.("identify", 42));
    await ingest.until((requests) => requests.some(({ body }) => body.userId === "42"));
    await page.evaluate(() => window.headwater?.("identify", "user-7"));
    await ingest.until((requests) => requests.some(({ body }) => body.userId === "user-7"));
  },
);
