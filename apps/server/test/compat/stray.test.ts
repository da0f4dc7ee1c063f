import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BROWSER, ORIGIN, openWorld, refused, type TestSource, type World } from "../support/world.ts";

describe("A path below a public key that no tool has", () => {
  let world: World;
  let source: TestSource;
  before(async () => {
    world = await openWorld({ INGEST_ALIAS: "/shop" });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  const latest = async () =>
    (await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).body.eventAttempts[0];

  const PATHS: Readonly<Record<string, RegExp>> = {
    "ga4/g/collect?v=2&tid=G-1": /gtag\.js.*POST ga4\/mp\/collect/,
    "ga4/gtag/js": /gtag\.js/,
    "ga4/mp": /POST ga4\/mp\/collect/,
    "g/collect": /gtag\.js.*POST ga4\/mp\/collect/,
    "posthog/batch/": /PostHog.*own client/,
    "posthog/i/v0/e/": /PostHog/,
    "snowplow/com.snowplowanalytics.snowplow/tp2": /Snowplow/,
    "mixpanel/track": /Mixpanel/,
    "amplitude/2/httpapi": /Amplitude/,
    "matomo/piwik.php": /GET matomo\/matomo\.php/,
    "piwik.php": /POST matomo\/matomo\.php/,
    "plausible/event": /POST plausible\/api\/event/,
    "umami/send": /POST umami\/api\/:call/,
    "segment/track": /POST segment\/v1\/:call/,
    "rudderstack/v1/track": /POST segment\/v1\/:call/,
    "segment/v2/track": /POST segment\/v1\/:call/,
    "nobody/knows": /segment\/v1.*plausible\/api\/event.*umami.*ga4.*matomo/,
    "%zz/..%2f": /segment\/v1/,
    "": /segment\/v1/,
  };
  for (const [path, hint] of Object.entries(PATHS))
    it(`${path || "(empty)"}: the page can read the hint, and the debug view has the attempt`, async () => {
      const asked = `/api/compat/${source.publicKey}/${path}`;
      const bodies = { POST: { any: "thing" }, GET: undefined, PUT: "text" };
      for (const [method, body] of Object.entries(bodies)) {
        const headers = { origin: ORIGIN, "user-agent": BROWSER };
        const alias = method === "PUT" ? "/shop" : "";
        const reply = await world.ask(alias + asked, { method, token: null, body, headers });
        refused(reply, 404, "route_not_found");
        assert.equal(reply.headers.get("access-control-allow-origin"), ORIGIN);
        assert.match(reply.body.hint, hint);
        const { attemptId, code, hint: shown, httpStatus } = await latest();
        assert.deepEqual([attemptId, code, httpStatus], [reply.body.attemptId, "route_not_found", 404]);
        assert.equal(shown, reply.body.hint);
      }
      const headers = { origin: ORIGIN, "access-control-request-method": "POST" };
      const preflight = await world.ask(asked, { method: "OPTIONS", token: null, headers });
      const allowed = preflight.headers.get("access-control-allow-origin");
      assert.deepEqual([preflight.status, allowed], [204, ORIGIN]);
    });

  it("names its tool in the debug view, if it has one", async () => {
    const shown: unknown[] = [];
    for (const path of ["matomo/piwik.php", "posthog/batch/"]) {
      await world.send(`/api/compat/${source.publicKey}/${path}`, {});
      shown.push((await latest()).endpoint);
    }
    assert.deepEqual(shown, ["matomo", null]);
  });

  it("is checked like any other request first: its key, its origin", async () => {
    refused(await world.send("/api/compat/pk_unknown/posthog/batch/", {}), 404, "unknown_public_key");
    const path = `/api/compat/${source.publicKey}/posthog/batch/`;
    const headers = { origin: "https://other.example" };
    refused(await world.send(path, {}, headers), 403, "origin_not_allowed");
  });

  it("has the same hint as a call that its tool does not have", async () => {
    for (const path of ["segment/v1/poke", "umami/api/poke"]) {
      const reply = await world.send(`/api/compat/${source.publicKey}/${path}`, {});
      refused(reply, 404, "route_not_found");
      assert.match(reply.body.hint, /:call/);
    }
  });
});
