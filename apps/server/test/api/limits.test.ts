import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { SETTINGS } from "../../src/config/settings.ts";
import { storedEvents } from "../ledger/reader.ts";
import {
  bootstrapPath,
  type CreatedSource,
  drivenClock,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  issuesOf,
  openWorld,
  outcomesOf,
  refused,
  type TestReply,
  trackEvent,
  type World,
} from "../support/world.ts";

async function withLimits(world: World, limits: Record<string, number>): Promise<CreatedSource> {
  const { organizationId, sourceId } = await world.createSource();
  const patch = { method: "PATCH", body: { organizationId, limits } };
  const { status, body } = await world.ask(`/api/tracking-sources/${sourceId}`, patch);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

describe("The debug view", () => {
  it("shows which of the source's own limits refused a request, the actual value, and the public key", async () => {
    await using world = await openWorld({}, { clock: drivenClock().clock });
    const source = await withLimits(world, { maxBatchSize: 2, maxPayloadBytes: 2_000 });
    const path = eventsPath(source);
    const send = (events: object[]) => world.send(path, eventsBody("ses_none", events));
    const tooLarge = eventsBody("ses_none", [trackEvent({ properties: { text: "x".repeat(2_000) } })]);
    refused(await send([trackEvent(), trackEvent(), trackEvent()]), 413, "batch_too_large");
    refused(await world.send(path, tooLarge), 413, "payload_too_large");
    refused(await send([trackEvent()]), 403, "invalid_session");

    const slow = await withLimits(world, { clientRatePerSecond: 1 });
    let last: TestReply;
    do last = await world.send(eventsPath(slow), eventsBody("ses_none", [trackEvent()]));
    while (last.status === 403);
    refused(last, 429, "rate_limited");
    assert.match(last.body.hint, /the source's `limits.clientRatePerSecond` \(now 1\)/);
    const shownOf = async ({ sourceId }: CreatedSource) => {
      const { body } = await world.ask(`/api/tracking-sources/${sourceId}/debug?kind=events`);
      return Object.fromEntries(
        body.eventAttempts.map(({ code, limit, publicKey }: Record<string, unknown>) => [
          code,
          [limit, publicKey],
        ]),
      );
    };
    const actual = Buffer.byteLength(JSON.stringify(tooLarge));
    assert.deepEqual(await shownOf(source), {
      batch_too_large: [{ name: "maxBatchSize", value: 2, actual: 3 }, source.publicKey],
      payload_too_large: [{ name: "maxPayloadBytes", value: 2_000, actual }, source.publicKey],
      invalid_session: [null, source.publicKey],
    });
    assert.deepEqual((await shownOf(slow)).rate_limited, [
      { name: "clientRatePerSecond", value: 1, actual: null },
      slow.publicKey,
    ]);
  });
});

describe("413", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());
  const sized = ({ body }: TestReply) => [body.limit, body.actual];
  const events = (count: number) => Array.from({ length: count }, () => trackEvent());

  for (const route of INGEST_ROUTES) {
    const name = route.path({ publicKey: ":publicKey" });
    it(`payload_too_large: the body exceeds the source's limit; the answer has limit and actual: ${name}`, async () => {
      const source = await world.createSource();
      const text = JSON.stringify(route.body(await world.openSession(source)));
      const exactly = text.padStart(524_288);
      assert.equal((await world.send(route.path(source), exactly)).status, 200);
      const reply = await world.send(route.path(source), ` ${exactly}`);
      refused(reply, 413, "payload_too_large");
      assert.deepEqual(sized(reply), [524_288, 524_289]);
    });

    it(`batch_too_large: the batch exceeds the source's limit; the answer has limit and actual: ${name}`, async () => {
      const source = await withLimits(world, { maxPayloadBytes: 1_000_000 });
      const sessionId = await world.openSession(source);
      const body = (count: number) =>
        route.body(sessionId, { events: events(count), batchId: "b", sentAt: new Date().toISOString() });
      assert.equal((await world.send(route.path(source), body(500))).body.accepted, 500);
      const before = storedEvents(world.dataDir).length;
      const reply = await world.send(route.path(source), body(501));
      refused(reply, 413, "batch_too_large");
      assert.deepEqual(sized(reply), [500, 501]);
      assert.equal(storedEvents(world.dataDir).length, before);
    });
  }

  it("a source's own limits replace the defaults, lower or higher", async () => {
    const small = await withLimits(world, { maxBatchSize: 2, maxPayloadBytes: 2_048 });
    const sessionId = await world.openSession(small);
    const send = (body: unknown) => world.send(eventsPath(small), body);
    assert.equal((await send(eventsBody(sessionId, events(2)))).status, 200);
    assert.deepEqual(sized(await send(eventsBody(sessionId, events(3)))), [2, 3]);
    assert.deepEqual(sized(await send("x".repeat(2_049))), [2_048, 2_049]);
    const large = await withLimits(world, { maxBatchSize: 5_000, maxPayloadBytes: 5_242_880 });
    const session = await world.openSession(large);
    const reply = await world.send(eventsPath(large), eventsBody(session, events(5_000)));
    assert.equal(reply.body.accepted, 5_000);
  });

  it("a body far above the limit is answered too, with a known and with an unknown key", async () => {
    const source = await world.createSource();
    const body = "x".repeat(2_097_152);
    refused(await world.send(eventsPath(source), body), 413, "payload_too_large");
    refused(await world.send(eventsPath({ publicKey: "pk_nobody" }), body), 404, "unknown_public_key");
    assert.equal(
      (await world.send(eventsPath(source), body, { origin: "https://evil.example" })).status,
      403,
    );
  });
});

describe("Content-Encoding", () => {
  let world: World;
  let source: CreatedSource;
  let sessionId: string;
  before(async () => {
    world = await openWorld();
    source = await world.createSource();
    sessionId = await world.openSession(source);
  });
  after(() => world[Symbol.asyncDispose]());
  const send = (body: string | Uint8Array, encoding: string) =>
    world.send(eventsPath(source), body, { "content-encoding": encoding });
  const text = () => JSON.stringify(eventsBody(sessionId, [trackEvent()]));

  it("gzip is accepted with any content type, in any case and in several members", async () => {
    for (const encoding of ["gzip", "GZIP", "x-gzip"]) {
      assert.deepEqual(outcomesOf(await send(gzipSync(text()), encoding)), ["accepted"]);
    }
    const body = text();
    const members = Buffer.concat([gzipSync(body.slice(0, 100)), gzipSync(body.slice(100))]);
    assert.deepEqual(outcomesOf(await send(members, "gzip")), ["accepted"]);
    assert.deepEqual(outcomesOf(await send(text(), "identity")), ["accepted"]);
  });

  it("limits count decompressed bytes, so data that hardly compresses has the same limit", async () => {
    const own = await withLimits(world, { maxPayloadBytes: 4_096 });
    const session = await world.openSession(own);
    const fill = (length: number) => {
      const head = JSON.stringify(eventsBody(session, [trackEvent()], { surplus: "@" }));
      const noise = randomBytes(length)
        .toString("latin1")
        .replace(/[^!#-[\]-~]/g, "x");
      return head.replace("@", () => noise.slice(0, length - head.length + 1));
    };
    const post = (body: string) =>
      world.send(eventsPath(own), gzipSync(body, { level: 0 }), { "content-encoding": "gzip" });
    assert.deepEqual(outcomesOf(await post(fill(4_096))), ["accepted"]);
    refused(await post(fill(4_097)), 413, "payload_too_large");
  });

  it("a decompression bomb is decompressed only up to the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    assert.ok(bomb.length < 200_000);
    refused(await send(bomb, "gzip"), 413, "payload_too_large");
  });

  it("unknown, doubled and corrupt encodings are 422 invalid_encoding", async () => {
    const whole = gzipSync(text());
    const corrupt = Buffer.from(whole).fill(0xff, 20, 40);
    const cases: [body: string | Uint8Array, encoding: string][] = [
      [text(), "br"],
      [text(), "deflate"],
      [text(), "zstd"],
      [text(), "gzip"],
      [gzipSync(whole), "gzip, gzip"],
      [corrupt, "gzip"],
      [whole.subarray(0, -5), "gzip"],
      [whole.subarray(0, 10), "gzip"],
      ["", "gzip"],
    ];
    for (const [body, encoding] of cases)
      assert.deepEqual(issuesOf(await send(body, encoding)), [": invalid_encoding"]);
    assert.deepEqual(
      issuesOf(await send(gzipSync(whole), "gzip")),
      [": invalid_encoding"],
      "packed twice, said once",
    );
  });
});

describe("429", () => {
  const time = drivenClock();
  const rateOf = ({ headers }: TestReply) =>
    ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map((name) =>
      headers.get(name),
    );

  it("requests of one address to one source are limited; after Retry-After the next one is accepted", async () => {
    const settings = { CLIENT_RATE_PER_SECOND: "2", CLIENT_RATE_BURST: "3", TRUST_PROXY: "1" };
    await using world = await openWorld(settings, { clock: time.clock });
    const source = await world.createSource();
    const ask = (to = source, address = "192.0.2.1") =>
      world.send(bootstrapPath(to), "{}", { "x-forwarded-for": address });
    for (let count = 0; count < 3; count += 1) assert.equal((await ask()).status, 422);
    const reply = await ask();
    refused(reply, 429, "rate_limited");
    assert.deepEqual(rateOf(reply), ["3", "0", "2", "1"]);
    assert.equal(reply.body.retryable, true);
    assert.equal((await ask(source, "192.0.2.2")).status, 422, "another address is not held up");
    assert.equal((await ask(await world.createSource())).status, 422, "nor the same one at another source");
    time.advance(1_000);
    assert.deepEqual([(await ask()).status, (await ask()).status, (await ask()).status], [422, 422, 429]);
  });

  it("with the default rates, a client that does not pace itself is not limited", async () => {
    const rates = Object.entries(SETTINGS).filter(([name]) => /_RATE_|_PER_MINUTE$/.test(name));
    const defaults = Object.fromEntries(rates.map(([name, setting]) => [name, setting.default]));
    await using world = await openWorld(defaults, { clock: time.clock });
    const source = await world.createSource();
    const calls: Record<string, () => Promise<TestReply>> = {
      "422 ingest": () => world.send(bootstrapPath(source), "{}"),
      "200 workspace": () => world.ask("/api/organizations"),
      "401 wrong token": () => world.ask("/api/organizations", { token: "x".repeat(40) }),
    };
    for (const [expected, call] of Object.entries(calls)) {
      const replies = await Promise.all(Array.from({ length: 300 }, call));
      const limited = replies.filter(({ status }) => status !== Number(expected.slice(0, 3)));
      assert.deepEqual([expected, limited.length], [expected, 0]);
    }
  });

  it("an IPv6 client is counted by its /64", async () => {
    const settings = { CLIENT_RATE_PER_SECOND: "1", CLIENT_RATE_BURST: "1", TRUST_PROXY: "1" };
    await using world = await openWorld(settings, { clock: time.clock });
    const source = await world.createSource();
    const ask = async (address: string) =>
      (await world.send(bootstrapPath(source), "{}", { "x-forwarded-for": address })).status;
    assert.equal(await ask("2001:db8:0:1::1"), 422);
    assert.equal(await ask("2001:db8:0:1:ffff::2"), 429);
    assert.equal(await ask("2001:db8:0:2::1"), 422);
  });

  it("a source's own rate replaces the default", async () => {
    await using world = await openWorld(
      { CLIENT_RATE_PER_SECOND: "1", CLIENT_RATE_BURST: "1" },
      { clock: time.clock },
    );
    const source = await withLimits(world, { clientRatePerSecond: 5 });
    const statuses = [];
    for (let count = 0; count < 6; count += 1)
      statuses.push((await world.send(bootstrapPath(source), "{}")).status);
    assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429]);
  });

  it("requests of all addresses to one source are limited", async () => {
    const settings = { SOURCE_RATE_PER_SECOND: "1", SOURCE_RATE_BURST: "2", TRUST_PROXY: "1" };
    await using world = await openWorld(settings, { clock: time.clock });
    const source = await world.createSource();
    const ask = (address: string) => world.send(bootstrapPath(source), "{}", { "x-forwarded-for": address });
    assert.deepEqual([(await ask("192.0.2.1")).status, (await ask("192.0.2.2")).status], [422, 422]);
    refused(await ask("192.0.2.3"), 429, "rate_limited");
  });

  it("requests with unknown keys are limited for each address; known keys are not affected", async () => {
    await using world = await openWorld({ UNKNOWN_KEY_RATE_PER_SECOND: "2" }, { clock: time.clock });
    const source = await world.createSource();
    const ask = async (publicKey: string) => (await world.send(bootstrapPath({ publicKey }), "{}")).status;
    assert.deepEqual([await ask("pk_a"), await ask("pk_b"), await ask("pk_c")], [404, 404, 429]);
    assert.equal(await ask(source.publicKey), 422);
  });
});
