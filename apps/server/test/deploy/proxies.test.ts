/** deploy/nginx.conf and deploy/Caddyfile in front of the real service. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { LIMITS } from "@headwater/contract";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsPath,
  ORIGIN,
  OWNER_TOKEN,
  openWorld,
  type World,
} from "../support/world.ts";
import { behind, CADDY, deployFile, type Front, NAME, NGINX, startFront } from "./front.ts";

const PROXIES = [
  { name: "nginx", program: NGINX, file: "nginx.conf" },
  { name: "Caddy", program: CADDY, file: "Caddyfile" },
];
const WRONG = { authorization: "Bearer hwt_this-one-opens-nothing" };
const OWNER = { authorization: `Bearer ${OWNER_TOKEN}` };

/** Why the tests of a program are skipped; `npm run verify` installs the programs. */
const missing = (program: string) => !existsSync(program) && `${program} is not installed`;

for (const { name, program, file } of PROXIES) {
  describe(`deploy/${file}`, { skip: missing(program.command("")[0]) }, () => {
    let world: World;
    let front: Front;
    let source: { sourceId: string; publicKey: string };

    before(async () => {
      const TRUST_PROXY = /TRUST_PROXY=(\d+(?:\.\d+)*)/.exec(await deployFile(file))![1]!;
      world = await openWorld({ TRUST_PROXY, FAILED_AUTH_PER_MINUTE: "1", BASE_URL: `https://${NAME}` });
      source = await world.createSource();
      front = await startFront(program, new URL(world.url).host);
    });
    after(async () => {
      await front?.[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
    });

    const post = (path: string, body: string) =>
      front.ask(path, { method: "POST", headers: { origin: ORIGIN, "content-type": "text/plain" }, body });

    it(`${name} forwards a bootstrap over TLS and HTTP/2, and redirects http to https`, async () => {
      const reply = await post(bootstrapPath(source), JSON.stringify(bootstrapBody()));
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers["access-control-allow-origin"], ORIGIN);
      assert.match(JSON.parse(reply.text).sessionId, /^ses_/);
      const plain = await fetch(`http://127.0.0.1:${front.httpPort}/sdk/v2.js`, { redirect: "manual" });
      assert.equal(plain.status, 308);
      assert.match(plain.headers.get("location")!, /^https:\/\/[^/]+\/sdk\/v2\.js$/);
    });

    it(`${name} forwards the client address: rate limits count each address by itself`, async () => {
      const tries = async (from: string) =>
        (await front.ask("/api/organizations", { from, headers: WRONG })).status;
      assert.deepEqual(
        [await tries("127.0.0.2"), await tries("127.0.0.2"), await tries("127.0.0.3")],
        [401, 429, 401],
      );
    });

    it(`${name} drops the X-Forwarded-For header of a client`, async () => {
      const tries = async (forwardedFor: string) => {
        const headers = { ...WRONG, "x-forwarded-for": forwardedFor };
        return (await front.ask("/api/organizations", { headers })).status;
      };
      // the requests come from an address in TRUST_PROXY, so a forwarded header would be trusted
      assert.deepEqual([await tries("203.0.113.1"), await tries("203.0.113.2")], [401, 429]);
    });

    it(`${name} trusts a proxy in front of it, when its address is configured`, async () => {
      const [outer, other] = ["127.0.0.8", "127.0.0.9"];
      await using trusting = await openWorld({
        TRUST_PROXY: `127.0.0.1,${outer}`,
        FAILED_AUTH_PER_MINUTE: "1",
      });
      await using inner = await startFront(behind(program, outer), new URL(trusting.url).host);
      const tries = async (from: string, forwardedFor: string) => {
        const headers = { ...WRONG, "x-forwarded-for": forwardedFor };
        return (await inner.ask("/api/organizations", { from, headers })).status;
      };
      const visitor = "198.51.100.1";
      assert.deepEqual([await tries(outer, visitor), await tries(outer, visitor)], [401, 429]);
      assert.deepEqual([await tries(outer, "198.51.100.2"), await tries(other, visitor)], [401, 401]);
    });

    it(`${name} forwards a body that is too large, so that the service can refuse it with CORS headers`, async () => {
      const reply = await post(eventsPath(source), `"${"x".repeat(LIMITS.maxPayloadBytesCeiling)}"`);
      assert.equal(reply.status, 413, reply.text);
      assert.equal(reply.headers["access-control-allow-origin"], ORIGIN);
      const { code, limit } = JSON.parse(reply.text);
      assert.deepEqual([code, limit], ["payload_too_large", LIMITS.maxPayloadBytes]);
    });

    it(`${name} forwards each attempt of the live debug stream at once`, async () => {
      using stream = front.follow(`/api/tracking-sources/${source.sourceId}/debug/stream`, OWNER);
      await until("the stream has begun", () => stream.text().startsWith(":"));
      for (const anonymousId of ["first-visitor", "second-visitor"]) {
        await post(bootstrapPath(source), JSON.stringify(bootstrapBody({ anonymousId })));
        await until(`${anonymousId} is in it`, () => stream.text().includes(anonymousId));
      }
    });

    it(`${name} serves the metrics to its own machine only`, async () => {
      const from = "127.0.0.2";
      for (const path of ["/metrics", "/%6detrics", "/x/../metrics", "/metrics?a=1"])
        assert.equal((await front.ask(path, { from })).status, 403, path);
      for (const path of ["/metrics/", "/metrics//", "/Metrics", "/metrics%2f", "/metrics;a"])
        assert.ok([403, 404].includes((await front.ask(path, { from })).status), path);
      assert.match((await front.ask("/metrics")).text, /^headwater_ready 1$/m);
    });
  });
}
