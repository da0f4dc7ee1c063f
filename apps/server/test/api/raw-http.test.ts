import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REQUEST_TIMEOUT_MS } from "../../src/http/http-server.ts";
import { openVisit } from "../install/visit.ts";
import { storedEvents } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import { eventsBody, eventsPath, INGEST_ROUTES, MINUTE, outcomesOf, trackEvent } from "../support/world.ts";
import { Line } from "./raw-line.ts";

const { world, source, sessionId } = await openVisit();

describe("Malformed HTTP", () => {
  const open = () => new Line(world.url);
  /** Writes and waits until the server closes the connection. A complete request must contain `Connection: close`. */
  async function said(text: string | Uint8Array): Promise<Line> {
    const line = open().write(text);
    await line.closed;
    return line;
  }
  const head = (path: string, ...lines: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: x", "Origin: https://shop.example", ...lines, "", ""].join("\r\n");
  const PATHS = () => [...INGEST_ROUTES.map((route) => route.path(source)), "/api/tracking-sources"];

  /** Asserts the shape of every failure for input that is refused before it is a valid request. */
  function assertRefusedRaw(line: Line, status: number, code: string): void {
    assert.deepEqual([line.statuses(), line.body().code], [[status], code], line.text.slice(0, 300));
    assert.deepEqual(Object.keys(line.body()), [
      "ok",
      "error",
      "code",
      "message",
      "hint",
      "retryable",
      "requestId",
    ]);
    assert.match(line.text, /^X-Request-Id: req_/m);
    assert.match(line.text, /^X-Content-Type-Options: nosniff/m);
    assert.match(line.text, /^Connection: close/m);
  }

  const garbage: [what: string, text: string | Uint8Array][] = [
    ["a word", "hello\r\n\r\n"],
    ["a TLS hello", Uint8Array.from([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])],
    ["HTTP/3", "GET / HTTP/3.0\r\nHost: x\r\n\r\n"],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown method", "STEAL / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a space in a header's name", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"],
    ["NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n"],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"],
    ["two Hosts of HTTP/1.0", "GET /healthz HTTP/1.0\r\nHost: x\r\nhOST: y\r\n\r\n"],
    ["a bare CR", "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n"],
    [
      "Content-Length and Transfer-Encoding",
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["two Content-Lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    ["a negative Content-Length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["a Content-Length in hex", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\n{}"],
    [
      "an unknown transfer encoding",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    ],
  ];
  for (const [what, text] of garbage) {
    it(`400 malformed_http: ${what}`, async () => assertRefusedRaw(await said(text), 400, "malformed_http"));
  }

  it("400 malformed_http in our shape for what Node would refuse itself: no Host, an unknown Expect", async () => {
    assertRefusedRaw(await said("GET /healthz HTTP/1.1\r\n\r\n"), 400, "malformed_http");
    const line = await said(
      "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n",
    );
    assertRefusedRaw(line, 400, "malformed_http");
  });

  it("431 headers_too_large: 100 KB of headers, in one or in many, on every route", async () => {
    for (const path of PATHS()) {
      const many = Array.from({ length: 1_000 }, (_, index) => `X-${index}: ${"a".repeat(100)}`);
      for (const lines of [[`X-A: ${"a".repeat(100_000)}`], many]) {
        assertRefusedRaw(await said(head(path, ...lines)), 431, "headers_too_large");
      }
    }
    assertRefusedRaw(
      await said(`GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
      431,
      "headers_too_large",
    );
  });

  it("a smuggled request is not processed, on any route", async () => {
    const smuggled = `POST ${eventsPath(source)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (const path of PATHS()) {
      const te = await said(
        `${head(path, "Content-Length: 6", "Transfer-Encoding: chunked")}0\r\n\r\n${smuggled}`,
      );
      assert.deepEqual(te.statuses(), [400]);
      const cl = await said(`${head(path, "Content-Length: 2", "Content-Length: 60")}{}${smuggled}`);
      assert.deepEqual(cl.statuses(), [400]);
      const chunk = await said(`${head(path, "Transfer-Encoding: chunked")}2;a=b\r\n{}X${smuggled}`);
      assert.equal(chunk.statuses().at(-1), 400, `${path}: ${chunk.statuses()}`);
    }
  });

  it("pipelined requests are answered in order", async () => {
    const event = trackEvent();
    const body = JSON.stringify(eventsBody(sessionId, [event]));
    const one = head(eventsPath(source), `Content-Length: ${body.length}`) + body;
    const last = head(eventsPath(source), "Connection: close", `Content-Length: ${body.length}`) + body;
    const line = await said(one + one + last);
    assert.deepEqual(line.statuses(), [200, 200, 200]);
    const counts = [...line.text.matchAll(/"accepted":(\d),"duplicates":(\d)/g)].map(
      ([, a, d]) => `${a}${d}`,
    );
    assert.deepEqual(counts, ["10", "01", "01"]);
    assert.equal(storedEvents(world.dataDir).filter(({ eventId }) => eventId === event.id).length, 1);
  });

  it("400 malformed_http: a chunked body that becomes invalid; the page can read the answer, and the debug view shows it", async () => {
    const line = open().write(`${head(eventsPath(source), "Transfer-Encoding: chunked")}5\r\n{"a":\r\n`);
    line.write("not a chunk\r\n");
    await line.closed;
    const { code, attemptId } = line.body();
    assert.deepEqual([line.statuses(), code], [[400], "malformed_http"]);
    assert.match(line.text, /^Access-Control-Allow-Origin: https:\/\/shop.example/m);
    const shown = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?outcome=failed`);
    const attempt = shown.body.eventAttempts.find(
      (one: { attemptId: string }) => one.attemptId === attemptId,
    );
    assert.deepEqual([attempt?.httpStatus, attempt?.code], [400, "malformed_http"]);
  });

  it("a chunked body is accepted", async () => {
    const body = JSON.stringify(eventsBody(sessionId, [trackEvent()]));
    const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join("");
    const line = await said(
      `${head(eventsPath(source), "Transfer-Encoding: chunked", "Connection: close")}${chunks}0\r\n\r\n`,
    );
    assert.deepEqual(line.statuses(), [200]);
  });

  it("a request with an absolute URL, as proxies may send it, is answered like one with a path", async () => {
    const body = JSON.stringify(eventsBody(sessionId, [trackEvent()]));
    const whole = (path: string) => `http://hw.example${path}`;
    const ends = ["Connection: close", `Content-Length: ${body.length}`];
    assert.deepEqual((await said(head(whole(eventsPath(source)), ...ends) + body)).statuses(), [200]);
    assert.deepEqual((await said(head(whole("/api/tracking-sources"), ...ends) + body)).statuses(), [401]);
    for (const path of ["/healthz", "/sdk/v2.js?a=http://x/"]) {
      const line = await said(`GET ${whole(path)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.deepEqual(line.statuses(), [200]);
    }
  });

  it("the connection of a 20 MB body is closed, with the refusal", async () => {
    for (const path of [eventsPath(source), eventsPath({ publicKey: "pk_nobody" })]) {
      const line = open().write(head(path, "Content-Length: 20971520"));
      const piece = Buffer.alloc(65_536, "x");
      for (let sent = 0; sent < 320 && !line.socket.destroyed; sent += 1) line.write(piece);
      await line.closed;
      assert.match(String(line.statuses()), /^(404|413|)$/, line.text.slice(0, 200));
    }
  });

  it("the unread rest of a refused chunked body is dropped up to 1 MiB; then the connection is closed", async () => {
    const piece = `10000\r\n${"x".repeat(65_536)}\r\n`;
    for (const path of [eventsPath({ publicKey: "pk_nobody" }), "/api/tracking-sources", "/nowhere"]) {
      const start = `${head(path, "Transfer-Encoding: chunked")}${piece}`;
      const small = open().write(start);
      await until("the refusal of the small body", () => small.statuses().length === 1);
      small.write(`0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await small.closed;
      assert.equal(small.statuses().at(-1), 200, path);

      const endless = open().write(start);
      await until("the refusal of the endless body", () => endless.statuses().length === 1);
      for (let pieces = 0; pieces < 32; pieces += 1) endless.write(piece);
      await endless.closed;
      assert.match(String(endless.statuses()), /^40[14]$/);
      assert.ok(endless.closedAfterMs < REQUEST_TIMEOUT_MS, `${endless.closedAfterMs} ms`);
    }
  });

  it("other methods are 405 on an ingest route; the answer to HEAD has no body", async () => {
    for (const route of INGEST_ROUTES) {
      for (const method of ["HEAD", "PUT", "TRACE", "LINK", "PROPFIND"]) {
        const line = await said(
          `${method} ${route.path(source)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        assert.deepEqual(line.statuses(), [405], `${method}: ${line.text.slice(0, 200)}`);
        assert.match(line.text, /^Allow: POST, OPTIONS/m);
        assert.equal(line.text.endsWith("\r\n\r\n"), method === "HEAD", "HEAD has no body");
      }
    }
    assert.deepEqual((await said("CONNECT shop.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")).statuses(), []);
  });

  it("400 malformed_http: the answer to a broken request closes the connection", async () => {
    const body = JSON.stringify(eventsBody(sessionId, [trackEvent()]));
    const whole = `${head(eventsPath(source), `Content-Length: ${body.length}`)}${body}`;
    const garbageBehind = await said(`${whole}GARBAGE\r\n\r\n`);
    const half = open().write(whole.slice(0, -5));
    half.socket.end();
    await half.closed;
    for (const line of [garbageBehind, half]) {
      assert.deepEqual([line.statuses(), line.body().code], [[400], "malformed_http"]);
      assert.match(line.text, /^Connection: close/m);
    }
  });

  it("a client that disconnects in the middle of a request affects no other client", async () => {
    for (const path of PATHS()) {
      const line = open().write(`${head(path, "Content-Length: 1000")}{"a`);
      await new Promise((resolve) => line.socket.once("connect", resolve));
      line.socket.resetAndDestroy();
      await line.closed;
    }
    assert.deepEqual(
      outcomesOf(await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]))),
      ["accepted"],
    );
  });

  it("408 request_timeout: connections with slow headers or a slow body are closed within 12 s", async () => {
    const lines = [
      open(),
      open().write("POST / HTTP/1.1\r\nHost: x\r\nX-"),
      ...PATHS().flatMap((path) => [
        open().write(
          head(
            path,
            "Content-Length: 1000",
            "Content-Type: application/json",
            `Authorization: Bearer ${"x"}`,
          ),
        ),
        open().write(
          `${head(path, "Transfer-Encoding: chunked", "Content-Type: application/json")}5\r\n{"a":`,
        ),
      ]),
    ];
    const drips = setInterval(() => {
      for (const line of lines.slice(2)) if (line.socket.writable) line.write(line.text === "" ? " " : "");
    }, 500);
    await Promise.all(lines.map((line) => line.closed));
    clearInterval(drips);
    for (const [index, line] of lines.entries()) {
      assert.ok(line.closedAfterMs < MINUTE, `line ${index} took ${line.closedAfterMs} ms`);
      const workspace = index >= lines.length - 2;
      if (workspace) assert.match(String(line.statuses()), /^(401|408|401,4\d\d)$/);
      else
        assert.match(
          String(line.statuses()),
          index === 0 ? /^(408|)$/ : /^40[08]$/,
          `line ${index}: ${line.text.slice(0, 200)}`,
        );
    }
  });
});
