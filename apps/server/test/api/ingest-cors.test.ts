import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import {
  drivenClock,
  INGEST_ROUTES,
  ORIGIN,
  openWorld,
  type TestReply,
  type World,
} from "../support/world.ts";

const EXPOSED = ["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "X-Request-Id"];

/** The headers that a page of the origin needs to read an answer. */
function readableBy(origin: string, { headers }: TestReply): void {
  assert.equal(headers.get("access-control-allow-origin"), origin);
  assert.match(headers.get("vary") ?? "", /\bOrigin\b/);
  assert.equal(headers.get("access-control-allow-credentials"), "true");
  assert.equal(headers.get("set-cookie"), null);
  const exposed = headers.get("access-control-expose-headers")?.split(/,\s*/) ?? [];
  for (const name of EXPOSED) assert.ok(exposed.includes(name), name);
}

const { world, source, sessionId } = await openVisit();

describe("CORS of the ingest routes", () => {
  for (const route of INGEST_ROUTES) {
    const name = route.path({ publicKey: ":publicKey" });

    it(`OPTIONS answers 204 to any origin and allows the requested method and headers: ${name}`, async () => {
      for (const origin of [ORIGIN, "https://evil.example", "null"]) {
        for (const publicKey of [source.publicKey, "pk_nobody"]) {
          const asked = "content-type,x-custom,content-encoding,prefer";
          const method = origin === ORIGIN ? "POST" : "PUT";
          const headers = {
            origin,
            "access-control-request-method": method,
            "access-control-request-headers": asked,
          };
          const reply = await world.ask(route.path({ publicKey }), {
            method: "OPTIONS",
            token: null,
            headers,
          });
          assert.deepEqual([reply.status, reply.body], [204, ""]);
          assert.equal(reply.headers.get("access-control-allow-origin"), origin);
          assert.equal(reply.headers.get("access-control-allow-headers"), asked);
          assert.equal(reply.headers.get("access-control-allow-methods"), method);
          assert.equal(reply.headers.get("access-control-max-age"), "7200");
          assert.equal(reply.headers.get("access-control-allow-credentials"), "true");
        }
      }
    });

    it(`a page can read every answer and every refusal: ${name}`, async () => {
      const evil = "https://evil.example";
      const send = (
        headers: Record<string, string> = {},
        body: unknown = route.body(sessionId),
        to = source,
      ) => world.send(route.path(to), body, headers);
      const replies: [status: number, origin: string, reply: TestReply][] = [
        [200, ORIGIN, await send()],
        [403, evil, await send({ origin: evil })],
        [403, "null", await send({ origin: "null" })],
        [404, evil, await send({ origin: evil }, "{}", { publicKey: "pk_nobody" })],
        [413, ORIGIN, await send({}, "x".repeat(600_000))],
        [422, ORIGIN, await send({}, "{")],
        [
          405,
          evil,
          await world.ask(route.path(source), { method: "PUT", token: null, headers: { origin: evil } }),
        ],
      ];
      for (const [status, origin, reply] of replies) {
        assert.equal(reply.status, status);
        readableBy(origin, reply);
      }
    });
  }

  it("a page can read a 429", async () => {
    const settings = { CLIENT_RATE_PER_SECOND: "1", CLIENT_RATE_BURST: "1" };
    await using limited = await openWorld(settings, { clock: drivenClock().clock });
    const own = await limited.createSource();
    const [route] = INGEST_ROUTES;
    await limited.send(route.path(own), "{}");
    const reply = await limited.send(route.path(own), "{}");
    assert.equal(reply.status, 429);
    readableBy(ORIGIN, reply);
  });

  it("a request without Origin gets no Access-Control headers, but Vary", async () => {
    const [route] = INGEST_ROUTES;
    const reply = await world.ask(route.path(source), { method: "POST", token: null, body: "{}" });
    assert.equal(reply.headers.get("access-control-allow-origin"), null);
    assert.match(reply.headers.get("vary") ?? "", /\bOrigin\b/);
  });
});

describe("Allowed origins", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  async function lets(allowedOrigins: string[], headers: Record<string, string>, over = {}) {
    const source = await world.createSource({ allowedOrigins, ...over });
    const [route] = INGEST_ROUTES;
    const body = route.body("none");
    const reply = await world.ask(route.path(source), { method: "POST", token: null, headers, body });
    return reply.status === 200 ? "in" : reply.body.code;
  }
  const rules: [
    what: string,
    allowed: string[],
    headers: Record<string, string>,
    wanted: string,
    over?: object,
  ][] = [
    ["the Origin header", [ORIGIN], { origin: ORIGIN }, "in"],
    ["without one, the origin of Referer", [ORIGIN], { referer: `${ORIGIN}/a/b?c#d` }, "in"],
    ["a Referer of elsewhere", [ORIGIN], { referer: "https://evil.example/" }, "origin_not_allowed"],
    [
      "a Referer is not looked at beside an Origin",
      [ORIGIN],
      { origin: "https://evil.example", referer: ORIGIN },
      "origin_not_allowed",
    ],
    ["a Referer that is not an address", [ORIGIN], { referer: "nonsense" }, "in"],
    ["neither", [ORIGIN], {}, "in"],
    ["neither, and requireOrigin is true", [ORIGIN], {}, "origin_missing", { requireOrigin: true }],
    ["neither, requireOrigin is true, and * is allowed", ["*"], {}, "in", { requireOrigin: true }],
    [
      "one that is sent must match all the same",
      [ORIGIN],
      { origin: "https://evil.example" },
      "origin_not_allowed",
    ],
    ["null matches only *", ["*"], { origin: "null" }, "in"],
    ["null matches no list", [ORIGIN], { origin: "null" }, "origin_not_allowed"],
    ["null is not the same as none", [ORIGIN], { origin: "null" }, "origin_not_allowed"],
    ["no origin is allowed at all", [], { origin: ORIGIN }, "origin_not_allowed"],
    ["a sub-domain by pattern", ["https://*.example.com"], { origin: "https://a.b.example.com" }, "in"],
    [
      "the apex is not its sub-domain",
      ["https://*.example.com"],
      { origin: "https://example.com" },
      "origin_not_allowed",
    ],
    [
      "a name that ends like it is not a sub-domain",
      ["https://*.example.com"],
      { origin: "https://evilexample.com" },
      "origin_not_allowed",
    ],
    [
      "nor is a name that begins like it",
      ["https://*.example.com"],
      { origin: "https://a.example.com.evil.io" },
      "origin_not_allowed",
    ],
    ["any port by pattern", ["http://localhost:*"], { origin: "http://localhost:5173" }, "in"],
    ["an app", ["capacitor://localhost"], { origin: "capacitor://localhost" }, "in"],
  ];
  for (const [what, allowed, headers, wanted, over] of rules) {
    it(`${what}: ${wanted}`, async () => assert.equal(await lets(allowed, headers, over), wanted));
  }
});
