import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type CreatedSource,
  drivenClock,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  openWorld,
  refused,
  SECOND,
  trackEvent,
  type World,
} from "../support/world.ts";

for (const route of INGEST_ROUTES) {
  const name = route.path({ publicKey: ":publicKey" });
  describe(`POST ${name}, refused`, () => {
    let world: World;
    const time = drivenClock();
    before(async () => {
      world = await openWorld({}, { clock: time.clock });
    });
    after(() => world[Symbol.asyncDispose]());

    async function open(over: Record<string, unknown> = {}) {
      const source: CreatedSource = await world.createSource(over);
      const sessionId = await world.openSession(source);
      const send = (headers: Record<string, string> = {}, to: CreatedSource = source) =>
        world.send(route.path(to), route.body(sessionId), headers);
      return { source, send };
    }
    const change = (source: CreatedSource, body: Record<string, unknown>) => {
      const { organizationId, sourceId } = source;
      return world.ask(`/api/tracking-sources/${sourceId}`, {
        method: "PATCH",
        body: { organizationId, ...body },
      });
    };
    const keyOperation = (source: CreatedSource, what: string, body: object) =>
      world.ask(`/api/tracking-sources/${source.sourceId}/${what}`, { method: "POST", body });

    it("404 unknown_public_key: no source has the key", async () => {
      for (const publicKey of [
        "pk_nobody",
        "%20",
        "..%2f..%2fetc",
        "x".repeat(5_000),
        "src_1'--",
        "%00",
        "%zz",
      ]) {
        refused(await world.send(route.path({ publicKey }), route.body("s")), 404, "unknown_public_key");
      }
    });

    it("404 rotated_public_key: the key was replaced; the new key works at once", async () => {
      const { source, send } = await open();
      const rotated = (await keyOperation(source, "regenerate-key", {})).body;
      refused(await send(), 404, "rotated_public_key");
      assert.equal((await send({}, rotated)).status, 200);
    });

    it("during the grace period both keys work; after it the previous key is 404 rotated_public_key", async () => {
      const { source, send } = await open();
      const rotated = (await keyOperation(source, "regenerate-key", { gracePeriodSeconds: 60 })).body;
      time.advance(60 * SECOND - 1);
      assert.deepEqual([(await send()).status, (await send({}, rotated)).status], [200, 200]);
      time.advance(1);
      refused(await send(), 404, "rotated_public_key");
      assert.equal((await send({}, rotated)).status, 200);
    });

    it("a second rotation retires the previous key at once", async () => {
      const { source, send } = await open();
      const second = (await keyOperation(source, "regenerate-key", { gracePeriodSeconds: 60 })).body;
      await keyOperation(source, "regenerate-key", { gracePeriodSeconds: 60 });
      refused(await send(), 404, "rotated_public_key");
      assert.equal((await send({}, second)).status, 200);
    });

    it("a restored key is accepted for its grace period", async () => {
      const { source, send } = await open();
      const { publicKey } = source;
      await keyOperation(source, "regenerate-key", {});
      assert.equal(
        (await keyOperation(source, "restore-key", { publicKey, gracePeriodSeconds: 60 })).status,
        200,
      );
      assert.equal((await send()).status, 200);
      time.advance(60 * SECOND);
      refused(await send(), 404, "rotated_public_key");
    });

    it("404 unknown_public_key: the source was deleted", async () => {
      const { source, send } = await open();
      await world.ask(`/api/tracking-sources/${source.sourceId}`, { method: "DELETE" });
      refused(await send(), 404, "unknown_public_key");
    });

    it("403 source_inactive: the source is switched off; when it is on again, it accepts requests", async () => {
      const { source, send } = await open();
      await change(source, { isActive: false });
      refused(await send(), 403, "source_inactive");
      await change(source, { isActive: true });
      assert.equal((await send()).status, 200);
    });

    it("403 origin_missing: requireOrigin is true, and there is neither Origin nor Referer, unless * is allowed", async () => {
      const { source } = await open({ requireOrigin: true });
      const bare = (to: CreatedSource) =>
        world
          .ask(route.path(to), { method: "POST", token: null, body: route.body("s") })
          .then(({ body }) => body.code);
      assert.equal(await bare(source), "origin_missing");
      for (const over of [{}, { requireOrigin: true, allowedOrigins: ["*"] }]) {
        assert.notEqual(await bare((await open(over)).source), "origin_missing");
      }
    });

    it("a public key can be percent-encoded once", async () => {
      const { source, send } = await open();
      const statusOf = async (publicKey: string) => (await send({}, { ...source, publicKey })).status;
      const { publicKey } = source;
      for (const key of [
        publicKey.replace("_", "%5F"),
        publicKey.replace("_", "%5f"),
        `%70${publicKey.slice(1)}`,
      ])
        assert.equal(await statusOf(key), 200, key);
      for (const key of [
        publicKey.replace("_", "%255F"),
        `${publicKey}%`,
        `${publicKey}%00`,
        `${publicKey}%2F`,
      ])
        assert.equal(await statusOf(key), 404, key);
    });

    it("403 origin_not_allowed: message and hint name the origin", async () => {
      const { send } = await open();
      const reply = await send({ origin: "https://evil.example" });
      refused(reply, 403, "origin_not_allowed");
      assert.match(reply.body.message, /https:\/\/evil\.example/);
      assert.match(reply.body.hint, /https:\/\/evil\.example/);
    });

    it("403 origin_not_allowed: a host that ends with a dot is a different origin, and the hint says so", async () => {
      const { source, send } = await open({ allowedOrigins: ["https://shop.example"] });
      const origin = "https://shop.example.:8443";
      const reply = await send({ origin });
      refused(reply, 403, "origin_not_allowed");
      assert.match(reply.body.hint, /^Add https:\/\/shop\.example\.:8443 to .* ends with a dot/);
      await change(source, { allowedOrigins: [origin] });
      assert.equal((await send({ origin })).status, 200);
    });

    it("403 origin_not_allowed: the value in the hint allows that origin and no other", async () => {
      const pastable: [sent: string, toAdd: string][] = [
        ["https://Evil.example:443", "https://evil.example"],
        ["capacitor://localhost", "capacitor://localhost"],
        ["app://.", "app://."],
        ["file://", "file://"],
      ];
      for (const [origin, toAdd] of pastable) {
        const { source, send } = await open();
        assert.equal((await send({ origin })).body.hint, `Add ${toAdd} to the source's \`allowedOrigins\`.`);
        await change(source, { allowedOrigins: [toAdd] });
        assert.equal((await send({ origin })).status, 200);
      }
      const { send } = await open();
      for (const origin of [
        "*",
        "https://*.com",
        "http://localhost:*",
        "https://a.b, https://c.d",
        "https://a:b@c.d",
      ]) {
        const reply = await send({ origin });
        refused(reply, 403, "origin_not_allowed");
        assert.doesNotMatch(reply.body.hint, /^Add /);
      }
    });

    it("every refusal is an attempt in the debug view, with the attemptId of the answer", async () => {
      const { source, send } = await open();
      const replies = [
        await send({ origin: "https://evil.example" }),
        await send({ "content-encoding": "br" }),
      ];
      await change(source, { isActive: false });
      replies.push(await send());
      const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?outcome=failed`);
      const seen = [...body.bootstrapAttempts, ...body.eventAttempts];
      for (const { body: answered, status } of replies) {
        const attempt = seen.find(({ attemptId }) => attemptId === answered.attemptId);
        const shown = [attempt?.kind, attempt?.httpStatus, attempt?.code, attempt?.legacy];
        assert.deepEqual(shown, [route.kind, status, answered.code, route.legacy]);
      }
    });

    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      it(`405 method_not_allowed: ${method}; Allow lists the methods of the route`, async () => {
        const { source } = await open();
        const reply = await world.ask(route.path(source), { method, token: null });
        refused(reply, 405, "method_not_allowed");
        assert.equal(reply.headers.get("allow"), "POST, OPTIONS");
      });
    }
  });
}

describe("The order of checks: the first failed check decides the answer", () => {
  const time = drivenClock();
  const SETTINGS = {
    CLIENT_RATE_PER_SECOND: "1",
    CLIENT_RATE_BURST: "1",
    UNKNOWN_KEY_RATE_PER_SECOND: "100",
  };

  // each fault with its change to source, headers and body; the faults of all later checks are added
  const ORDER = [
    "unknown_public_key",
    "rotated_public_key",
    "rate_limited",
    "source_inactive",
    "origin_not_allowed",
    "payload_too_large",
    "invalid_encoding",
    "invalid_json",
    "batch_too_large",
    "required",
    "invalid_session",
  ] as const;

  for (const [first, code] of ORDER.entries()) {
    it(code, async () => {
      await using world = await openWorld(SETTINGS, { clock: time.clock });
      const source: CreatedSource = await world.createSource();
      const at = (path: string) => `/api/tracking-sources/${source.sourceId}${path}`;
      const { organizationId } = source;
      const wrong = (name: (typeof ORDER)[number]) => ORDER.indexOf(name) >= first;
      const limits = { maxBatchSize: 2, maxPayloadBytes: wrong("payload_too_large") ? 1_024 : 100_000 };
      await world.ask(at(""), {
        method: "PATCH",
        body: { organizationId, limits, isActive: !wrong("source_inactive") },
      });
      const headers: Record<string, string> = wrong("origin_not_allowed")
        ? { origin: "https://evil.example" }
        : {};
      const events = Array(wrong("batch_too_large") ? 3 : 1).fill(trackEvent({}, time.now()));
      const over = wrong("required") ? { batchId: undefined } : {};
      let body: string | Uint8Array = JSON.stringify(eventsBody("ses_nobody", events, over, time.now()));
      if (wrong("invalid_json")) body = body.slice(0, -1);
      if (wrong("invalid_encoding")) body = Buffer.concat([Buffer.from(body), Buffer.from([0xff, 0xfe])]);
      if (wrong("payload_too_large")) body = Buffer.concat([Buffer.from(body), Buffer.alloc(1_024, "x")]);
      if (wrong("rate_limited")) await world.send(eventsPath(source), "{}");
      if (wrong("rotated_public_key")) await world.ask(at("/regenerate-key"), { method: "POST" });
      const path = wrong("unknown_public_key") ? eventsPath({ publicKey: "pk_nobody" }) : eventsPath(source);
      const reply = await world.send(path, body, headers);
      assert.ok(reply.body.code === code || reply.body.issues?.[0].code === code, JSON.stringify(reply.body));
    });
  }
});
