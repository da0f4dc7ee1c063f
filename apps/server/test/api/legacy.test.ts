import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import {
  bootstrapPath,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  issuesOf,
  outcomesOf,
  refused,
  type TestReply,
  trackEvent,
} from "../support/world.ts";

const { world, source, sessionId } = await openVisit();

describe("Legacy routes behave like the v2 routes", () => {
  const routes = INGEST_ROUTES.filter(({ legacy }) => legacy);
  const linkOf = ({ headers }: TestReply) => headers.get("link");
  const absent = { ingestVersion: undefined, sdkVersion: undefined };

  for (const route of routes) {
    const { kind } = route;
    const send = (over: Record<string, unknown>) =>
      world.send(route.path(source), route.body(sessionId, over));

    it(`${kind}: ingestVersion and sdkVersion may be absent or null`, async () => {
      for (const over of [{}, absent, { ingestVersion: null, sdkVersion: null }]) {
        assert.equal((await send(over)).status, 200);
      }
    });

    it(`${kind}: ingestVersion must be 2 and sdkVersion must have 1 to 200 characters, if present`, async () => {
      const reply = await send({ ingestVersion: 1, sdkVersion: "" });
      assert.deepEqual(issuesOf(reply), ["ingestVersion: invalid_value", "sdkVersion: too_short"]);
    });

    it(`${kind}: every answer has Deprecation; a Link leads only a client to the v2 route that it accepts`, async () => {
      const successor = `</api/ingest/v2/${source.publicKey}/${kind}>; rel="successor-version"`;
      for (const over of [{}, { anonymousId: 1 }]) {
        const reply = await send(over);
        assert.deepEqual([reply.headers.get("deprecation"), linkOf(reply)], ["@1767225600", successor]);
      }
      for (const over of [absent, { ingestVersion: null }, { sdkVersion: null }, { ingestVersion: 1 }]) {
        const reply = await send(over);
        assert.deepEqual([reply.headers.get("deprecation"), linkOf(reply)], ["@1767225600", null]);
      }
    });

    it(`${kind}: the attempt is marked legacy`, async () => {
      const { attemptId } = (await send({})).body;
      const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?kind=${kind}`);
      const attempts = [...body.bootstrapAttempts, ...body.eventAttempts];
      assert.equal(attempts.find((one) => one.attemptId === attemptId)?.legacy, true);
    });
  }

  for (const over of [{}, absent, { ingestVersion: null }, { sdkVersion: null }]) {
    it(`ingestUrl accepts the batch of a client that is as old: ${JSON.stringify(Object.keys(over))}`, async () => {
      const [bootstrap] = routes;
      const { body } = await world.send(bootstrap!.path(source), bootstrap!.body(sessionId, over));
      assert.deepEqual([body.ingestVersion, body.sessionId, body.sessionResumed], [2, sessionId, true]);
      const batch = { ...eventsBody(sessionId, [trackEvent()]), ...over };
      assert.deepEqual(outcomesOf(await world.send(body.ingestUrl, batch)), ["accepted"]);
    });
  }

  it("both routes use the same sessions", async () => {
    const body = () => eventsBody(sessionId, [trackEvent()]);
    assert.deepEqual(outcomesOf(await world.send(`/api/ingest/${source.publicKey}/events`, body())), [
      "accepted",
    ]);
    assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body())), ["accepted"]);
  });

  it("v2 routes have neither header", async () => {
    const { headers } = await world.send(bootstrapPath(source), "{}");
    assert.deepEqual([headers.get("deprecation"), headers.get("link")], [null, null]);
  });

  it("/api/ingest/v2/events is a legacy route with the unknown key `v2`", async () => {
    refused(await world.send("/api/ingest/v2/events", "{}"), 404, "unknown_public_key");
    refused(await world.send("/api/ingest/v3/pk_x/events", "{}"), 404, "route_not_found");
  });
});
