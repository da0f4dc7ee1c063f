import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { storedEvents } from "../ledger/reader.ts";
import { fresh, ORIGIN, openWorld, refused, type TestSource, type World } from "../support/world.ts";

describe("What clients of Segment and RudderStack ask beside their events", () => {
  const BASE_URL = "https://hw.example.com";
  let world: World;
  let source: TestSource;
  const at = (rest: string) => `/api/compat/${source.publicKey}/segment/${rest}`;
  const get = (path: string, headers = {}) => world.ask(path, { token: null, headers });
  const attempts = async ({ sourceId } = source) =>
    (await world.ask(`/api/tracking-sources/${sourceId}/debug`)).body.eventAttempts;

  before(async () => {
    world = await openWorld({ BASE_URL, INGEST_ALIAS: "/shop" });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  it("the settings of a Segment client name this service, under the alias that was asked, and no metrics", async () => {
    for (const alias of ["", "/shop"])
      for (const slash of ["", "/"]) {
        const asked = `${alias}${at(`v1/projects/old-key/settings${slash}`)}`;
        const { status, body, headers } = await get(asked, { origin: "https://other.example" });
        assert.equal(status, 200);
        assert.equal(headers.get("access-control-allow-origin"), "https://other.example");
        const apiHost = `hw.example.com${alias}${at("v1")}`;
        assert.deepEqual(body, {
          integrations: { "Segment.io": { apiKey: "old-key", apiHost, protocol: "https" } },
          plan: {},
          metrics: { sampleRate: 0 },
        });
      }
  });

  it("the configuration of a RudderStack client is that of an enabled source without destinations", async () => {
    for (const asked of ["sourceConfig/?p=npm&v=3.0.0&writeKey=old-key", "sourceConfig?writeKey=old-key"]) {
      const { status, body } = await get(at(asked), { authorization: "Basic b2xkLWtleTo=" });
      assert.equal(status, 200);
      const { enabled, destinations, writeKey, config } = body.source;
      assert.deepEqual([enabled, destinations, writeKey], [true, [], "old-key"]);
      const { errors, metrics } = config.statsCollection;
      assert.deepEqual([errors.enabled, metrics.enabled], [false, false]);
    }
  });

  it("a client's report about itself is answered, in any encoding, and is neither an event nor an attempt", async () => {
    const series = [{ type: "Counter", metric: "analytics_js.invoke", value: 1, tags: {} }];
    for (const body of [{ series }, gzipSync(JSON.stringify({ series })), "not JSON"]) {
      const headers = body instanceof Uint8Array ? { "content-encoding": "gzip" } : {};
      const { status, body: answer } = await world.send(at("v1/m"), body, headers);
      assert.deepEqual([status, answer], [200, { success: true }]);
    }
    assert.deepEqual(await attempts(), []);
    assert.deepEqual(storedEvents(world.dataDir), []);
  });

  it("an unknown and a rotated key are refused, and a rotated one is in the debug view", async () => {
    const unknown = await get("/api/compat/pk_unknown/segment/v1/projects/k/settings");
    refused(unknown, 404, "unknown_public_key");
    const own = await world.createSource();
    const path = `/api/tracking-sources/${own.sourceId}/regenerate-key`;
    assert.equal((await world.ask(path, { method: "POST" })).status, 200);
    const reply = await get(`/api/compat/${own.publicKey}/segment/sourceConfig`);
    refused(reply, 404, "rotated_public_key");
    assert.equal((await attempts(own))[0].code, "rotated_public_key");
  });

  it("`import` is a batch, also with a slash at its end, compressed, and in chunks", async () => {
    const track = () => ({ type: "track", event: "Imported", userId: "u", messageId: fresh("m") });
    for (const call of ["v1/import", "v1/import/", "v1/b"]) {
      const bytes = gzipSync(JSON.stringify({ batch: [track(), track()], sentAt: new Date().toISOString() }));
      const chunks = new ReadableStream({
        start(controller) {
          for (let start = 0; start < bytes.length; start += 50)
            controller.enqueue(bytes.subarray(start, start + 50));
          controller.close();
        },
      });
      const headers = { "content-encoding": "gzip", "content-type": "text/plain", origin: ORIGIN };
      const init = { method: "POST", headers, body: chunks, duplex: "half" };
      const response = await fetch(world.url + at(call), init as RequestInit);
      const answer = (await response.json()) as { accepted: number };
      assert.deepEqual([response.status, answer.accepted], [200, 2], call);
    }
    refused(await world.send(at("v1/import"), { batch: [] }), 422, "invalid_payload");
  });
});
