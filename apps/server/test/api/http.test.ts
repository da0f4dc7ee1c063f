import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { OPERATIONS, openApiDocument } from "@headwater/contract";
import { override } from "../../src/core/members.ts";
import { createClientErrorHandler } from "../../src/http/client-error.ts";
import { StorageError } from "../../src/ledger/ledger.ts";
import {
  APP_URL,
  BASE_URL,
  type ClockedWorld,
  openClockedWorld,
  openClockedWorldFor,
  refused,
} from "../support/world.ts";
import { Line } from "./raw-line.ts";

/** Sends bytes and collects everything that comes back until the socket closes. */
async function raw(
  port: number,
  bytes: string,
): Promise<{ status: number; body: Record<string, unknown>; head: string }> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "close");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: JSON.parse(body) };
}

describe("HTTP behaviour common to all operations", () => {
  let world: ClockedWorld;
  let port: number;
  before(async () => {
    world = await openClockedWorld();
    port = Number(new URL(world.url).port);
  });
  after(() => world.close());

  describe("every response", () => {
    it("carries X-Request-Id: an incoming one of at most 128 visible ASCII characters is kept", async () => {
      const asked = async (id: string) => {
        const reply = await world.ask("/api/organizations", { headers: { "x-request-id": id } });
        return reply.headers.get("x-request-id")!;
      };
      for (const id of ["a", "x".repeat(128), "{}<>!"]) assert.equal(await asked(id), id);
      for (const id of ["x".repeat(129), "a b", "é"]) assert.match(await asked(id), /^req_/);
      const refusal = await world.ask("/nowhere", { headers: { "x-request-id": "mine" } });
      assert.deepEqual([refusal.headers.get("x-request-id"), refusal.body.requestId], ["mine", "mine"]);
    });

    it("is not stored by caches, failures included", async () => {
      for (const path of ["/api/organizations", "/api/tokens", "/nowhere"]) {
        assert.equal((await world.ask(path)).headers.get("cache-control"), "no-store");
      }
    });
  });

  describe("404 and 405", () => {
    it("route_not_found: has the shape of every failure, whatever the request contains", async () => {
      for (const path of ["/", "/api", "/api/tracking-sources/x/y", "//", "/api/%2e%2e"]) {
        refused(await world.ask(path), 404, "route_not_found");
      }
      refused(
        await world.ask("/nowhere", { method: "POST", body: "{", headers: { "content-type": "nonsense" } }),
        404,
        "route_not_found",
      );
    });

    it("method_not_allowed: with Allow", async () => {
      const reply = await world.ask("/api/tracking-sources", { method: "PUT", body: {} });
      refused(reply, 405, "method_not_allowed");
      assert.equal(reply.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
      const one = await world.ask("/api/tracking-sources/src_x", { method: "POST", token: null, body: {} });
      refused(one, 405, "method_not_allowed");
      assert.equal(one.headers.get("allow"), "GET, HEAD, PATCH, DELETE, OPTIONS");
      refused(await world.ask("/healthz", { method: "PROPFIND" }), 405, "method_not_allowed");
    });
  });

  describe("400, 408 and 431: refused before it is a valid request", () => {
    it("malformed_http: invalid HTTP, or a path that is not validly encoded", async () => {
      const answer = await raw(port, "nonsense\r\n\r\n");
      assert.deepEqual([answer.status, answer.body.code, answer.body.ok], [400, "malformed_http", false]);
      assert.match(answer.head, /X-Request-Id: req_/);
      refused(await world.ask("/api/tracking-sources/%ff"), 400, "malformed_http");
    });

    it("headers_too_large", async () => {
      const answer = await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`);
      assert.deepEqual([answer.status, answer.body.code], [431, "headers_too_large"]);
    });

    it("request_timeout: headers that do not arrive in time", async () => {
      const server = createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 5 });
      server.on(
        "clientError",
        createClientErrorHandler(() => "req_1"),
      );
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const answer = await raw((server.address() as AddressInfo).port, "GET / HTTP/1.1\r\nHost: x\r\n");
      assert.deepEqual([answer.status, answer.body.code], [408, "request_timeout"]);
      server.close();
    });
  });

  describe("500 and 503", () => {
    it("internal_error reveals no internals, and is logged with the request id", async (t) => {
      const broken = await openClockedWorldFor(
        t,
        {},
        {
          changeLedger: (real) =>
            override(real, {
              organizationsOf: () => Promise.reject(new Error("select secret from /var/lib")),
            }),
        },
      );
      const reply = await broken.ask("/api/organizations");
      refused(reply, 500, "internal_error");
      assert.doesNotMatch(reply.text, /select|secret|\/var|stack|\.ts/);
      const [line] = broken.logged;
      assert.deepEqual(
        [line?.requestId, line?.err?.message],
        [reply.body.requestId, "select secret from /var/lib"],
      );
    });

    it("storage_unavailable and storage_full are retryable", async (t) => {
      for (const [kind, code] of [
        ["failed", "storage_unavailable"],
        ["lost", "storage_unavailable"],
        ["damaged", "storage_unavailable"],
        ["full", "storage_full"],
      ] as const) {
        const broken = await openClockedWorldFor(
          t,
          {},
          {
            changeLedger: (real) =>
              override(real, { organizationsOf: () => Promise.reject(new StorageError("/dev/sda", kind)) }),
          },
        );
        const reply = await broken.ask("/api/organizations");
        refused(reply, 503, code);
        assert.deepEqual([reply.headers.get("retry-after"), reply.body.retryable], ["1", true]);
        assert.deepEqual(
          broken.logged.map(({ err }) => err?.message),
          ["/dev/sda"],
        );
      }
    });

    it("shutting_down: while the service stops, operations that need a token are refused and health is answered", async (t) => {
      const stopping = await openClockedWorldFor(t);
      // when the first request is answered, the server has also read half of the second
      const lines = ["/api/organizations", "/healthz"].map((path) =>
        new Line(stopping.url).write(
          `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET ${path} HTTP/1.1\r\nHost: x\r\n`,
        ),
      );
      await Promise.all(lines.map(({ socket }) => once(socket, "data")));
      const closed = stopping.close();
      for (const line of lines) line.write(`Authorization: Bearer ${stopping.ownerToken}\r\n\r\n`);
      await Promise.all(lines.map((line) => line.closed));
      assert.deepEqual(
        lines.map((line) => line.statuses()),
        [
          [200, 503],
          [200, 200],
        ],
      );
      await closed;
    });
  });

  describe("429", () => {
    it("rate_limited: too many requests with one token; headers say how many remain and when to retry", async (t) => {
      const small = await openClockedWorldFor(t, {
        WORKSPACE_RATE_PER_SECOND: "1",
        WORKSPACE_RATE_BURST: "3",
      });
      const ask = () => small.ask("/api/organizations");
      for (let asked = 0; asked < 3; asked += 1) assert.equal((await ask()).status, 200);
      const reply = await ask();
      refused(reply, 429, "rate_limited");
      const header = (name: string) => reply.headers.get(name);
      assert.deepEqual([header("retry-after"), header("ratelimit-limit")], ["1", "3"]);
      assert.deepEqual([header("ratelimit-remaining"), header("ratelimit-reset")], ["0", "3"]);
      small.advance(1_000);
      assert.equal((await ask()).status, 200);
    });

    it("rate_limited: checked before the body; other tokens are not affected", async (t) => {
      const small = await openClockedWorldFor(t, {
        WORKSPACE_RATE_PER_SECOND: "1",
        WORKSPACE_RATE_BURST: "2",
      });
      const body = { code: small.signInCode };
      const other = await small.ask("/api/sign-in", { method: "POST", token: null, body });
      for (let asked = 0; asked < 2; asked += 1) await small.ask("/api/organizations");
      refused(await small.ask("/api/organizations", { method: "POST", body: "{" }), 429, "rate_limited");
      assert.equal((await small.ask("/api/organizations", { token: other.body.token })).status, 200);
    });

    it("rate_limited: more than 10 failed authentications a minute from one address; a valid token still passes", async (t) => {
      const guarded = await openClockedWorldFor(t, { FAILED_AUTH_PER_MINUTE: "10" });
      const guess = (token: string | null) => guarded.ask("/api/organizations", { token });
      for (let tries = 0; tries < 10; tries += 1) refused(await guess("x".repeat(40)), 401, "invalid_token");
      const reply = await guess("x".repeat(40));
      refused(reply, 429, "rate_limited");
      assert.equal(reply.headers.get("retry-after"), "6");
      refused(await guess(null), 401, "missing_token");
      assert.equal((await guess(guarded.ownerToken)).status, 200);
    });
  });

  it("A trailing slash is ignored on every route but /metrics", async () => {
    for (const { method, path } of OPERATIONS.filter((one) => one.path !== "/metrics")) {
      const plain = `${world.url}${path.replaceAll(/:[a-zA-Z]+/g, "none")}`;
      const statuses = [plain, `${plain}/`].map(
        async (url) => (await fetch(url, { method, redirect: "manual" })).status,
      );
      const [expected, actual] = await Promise.all(statuses);
      assert.equal(actual, expected, `${method} ${path}/`);
    }
    const headers = { authorization: `Bearer ${world.ownerToken}` };
    const listed = await fetch(`${world.url}/api/tracking-sources/?organizationId=org_default`, { headers });
    assert.equal(listed.status, 200);
  });

  describe("CORS", () => {
    it("allows the console's origin and no other, without credentials", async () => {
      const at = async (origin: string, method = "GET", path = "/api/organizations") =>
        (await world.ask(path, { method, headers: { origin } })).headers;
      const mine = await at(APP_URL);
      assert.equal(mine.get("access-control-allow-origin"), APP_URL);
      assert.match(mine.get("access-control-expose-headers")!, /X-Request-Id/);
      assert.equal(mine.get("access-control-allow-credentials"), null);
      for (const origin of [
        "https://evil.io",
        "null",
        `${APP_URL}.evil.io`,
        "http://console.example.com",
        BASE_URL,
      ]) {
        const headers = await at(origin);
        assert.deepEqual([headers.get("access-control-allow-origin"), headers.get("vary")], [null, "Origin"]);
      }
      assert.equal((await at(APP_URL, "GET", "/nowhere")).get("access-control-allow-origin"), APP_URL);
    });

    it("answers the preflight without a token", async () => {
      const preflight = (origin: string) =>
        world.ask("/api/tracking-sources/src_x", {
          method: "OPTIONS",
          token: null,
          headers: {
            origin,
            "access-control-request-method": "PATCH",
            "access-control-request-headers": "authorization",
          },
        });
      const mine = await preflight(APP_URL);
      assert.equal(mine.status, 204);
      assert.match(mine.headers.get("access-control-allow-methods")!, /PATCH/);
      assert.match(mine.headers.get("access-control-allow-headers")!, /Authorization/);
      assert.equal(mine.headers.get("access-control-max-age"), "7200");
      const theirs = await preflight("https://evil.io");
      assert.deepEqual([theirs.status, theirs.headers.get("access-control-allow-methods")], [204, null]);
    });
  });

  describe("public routes", () => {
    it("answer without a token", async () => {
      assert.deepEqual((await world.ask("/healthz", { token: null })).body, { status: "ok" });
      assert.equal((await world.ask("/readyz", { token: null })).body.status, "ready");
      const metrics = await world.ask("/metrics", { token: null });
      assert.equal(metrics.status, 200);
      assert.match(metrics.text, /^headwater_ready 1$/m);
    });

    it("/openapi.json is the contract's document", async () => {
      const { body } = await world.ask("/openapi.json", { token: null });
      assert.deepEqual(
        body,
        JSON.parse(
          JSON.stringify(openApiDocument({ baseUrl: BASE_URL, appUrl: APP_URL }, body.info.version)),
        ),
      );
    });

    it("/docs names every operation, has the target of every link, is under 530 KB, runs no script and loads nothing from other hosts", async () => {
      const { text, headers } = await world.ask("/docs", { token: null });
      const document = openApiDocument({ baseUrl: BASE_URL, appUrl: APP_URL }, "x");
      for (const path of Object.keys(document.paths)) assert.ok(text.includes(path), path);
      assert.ok(text.length < 530_000, `${text.length} bytes`);
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      for (const [, id] of text.matchAll(/ href="#([^"]+)"/g))
        assert.ok(ids.has(id), `nothing has the id ${id}`);
      assert.doesNotMatch(text, /<script|<link|<img|@import|url\(| src=| on\w+=/i);
      const policy = headers.get("content-security-policy")!;
      assert.match(policy, /^default-src 'none';/);
      assert.match(policy, / style-src 'sha256-[^' ]+'$/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    });
  });

  describe("streams", () => {
    const open = async (of: ClockedWorld, token: string) => {
      const { sourceId } = await of.source();
      const response = await fetch(`${of.url}/api/tracking-sources/${sourceId}/debug/stream`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const reader = response.body!.getReader();
      const first = new TextDecoder().decode((await reader.read()).value);
      return { response, reader, first };
    };
    /** Resolves when the stream has ended, in any way. */
    const over = async (reader: ReadableStreamDefaultReader) => {
      try {
        while (!(await reader.read()).done);
      } catch {
        // cut off
      }
    };

    it("send their headers and the available data at once", async () => {
      const { response, reader, first } = await open(world, world.ownerToken);
      assert.deepEqual([response.status, first], [200, ": heartbeat\n\n"]);
      assert.equal(response.headers.get("content-type"), "text/event-stream");
      assert.equal(response.headers.get("cache-control"), "no-store");
      assert.match(response.headers.get("x-request-id")!, /^req_/);
      await reader.cancel();
    });

    it("are closed by revocation, removal and demotion", async () => {
      const { organizationId } = world;
      const ends: ((member: { userId: string; tokenId: string }) => Promise<unknown>)[] = [
        ({ tokenId }) =>
          world.ask(`/api/tokens/${tokenId}?organizationId=${organizationId}`, { method: "DELETE" }),
        ({ userId }) =>
          world.ask(`/api/members/${userId}?organizationId=${organizationId}`, { method: "DELETE" }),
        ({ userId }) =>
          world.ask(`/api/members/${userId}`, { method: "PATCH", body: { organizationId, role: "viewer" } }),
      ];
      await Promise.all(
        ends.map(async (end) => {
          const member = await world.serviceAccount("developer");
          const { reader } = await open(world, member.token);
          await end(member);
          await over(reader);
        }),
      );
    });
  });
});
