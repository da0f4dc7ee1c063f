/** What the log says about requests: the access log, failed authentications, traces (docs/api/conventions.md, docs/operate/logs.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { override } from "../../src/core/members.ts";
import type { StartOptions } from "../../src/server.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  openWorld,
  refused,
  SECOND,
  type World,
} from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type LogLine = any;

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
/** A client of the proxy in front of the service. */
const from = (address: string) => ({ "x-forwarded-for": address });

const without = (line: LogLine, ...names: string[]): LogLine =>
  Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)));

/** `logged` returns the lines with a message, without the members that every line has. */
async function openLoggedWorld(settings: Record<string, string>, options: StartOptions = {}) {
  const lines: LogLine[] = [];
  const logStream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const world = await openWorld({ TRUST_PROXY: "1", ...settings }, { logStream, ...options });
  const logged = (message: string): LogLine[] =>
    lines.filter(({ msg }) => msg === message).map((line) => without(line, "level", "time", "msg"));
  return { world, logged };
}

test("With ACCESS_LOG=on every request has a line with a shortened address, whatever LOG_LEVEL is.", async () => {
  const { world, logged } = await openLoggedWorld({ ACCESS_LOG: "on", LOG_LEVEL: "silent" });
  await using _world = world;
  const source = await world.createSource();
  const before = logged("request").length;
  const send = (headers: Record<string, string>, body: unknown) =>
    world.send(bootstrapPath(source), body, headers);
  await send({ ...from("203.0.113.77"), "x-request-id": "req-1" }, bootstrapBody());
  await send({ ...from("2001:db8:1:2:3::77"), "x-request-id": "req-2" }, {});
  await world.ask("/api/permissions", { token: null, headers: from("198.51.100.9") });
  await world.ask("/api/made-up?email=someone@example.com", { headers: from("198.51.100.9") });
  const lines = logged("request").slice(before);
  for (const { durationMs } of lines) assert.ok(durationMs >= 0 && durationMs < 60_000);
  const facts = lines.map((line) => ({
    ...without(line, "durationMs"),
    requestId: line.requestId.startsWith("req_") ? "req_…" : line.requestId,
  }));
  const made = { requestId: "req_…", address: "198.51.100.0/24", method: "GET" };
  assert.deepEqual(facts, [
    { requestId: "req-1", operation: "bootstrap", address: "203.0.113.0/24", method: "POST", status: 200 },
    { requestId: "req-2", operation: "bootstrap", address: "2001:db8:1::/48", method: "POST", status: 422 },
    { ...made, operation: "getPermissions", status: 401 },
    { ...made, operation: "none", status: 404 },
  ]);
  assert.deepEqual(logged("authentication failed"), [], "LOG_LEVEL applies to all other lines");
});

test("Without ACCESS_LOG no request has a line.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "debug" });
  await using _world = world;
  await world.createSource();
  assert.deepEqual(logged("request"), []);
});

test("A failed authentication has a line with its code and a shortened address, and no token.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" });
  await using _world = world;
  const headers = { ...from("203.0.113.77"), "x-request-id": "req-1", traceparent: TRACEPARENT };
  refused(await world.ask("/api/permissions", { token: "made-up", headers }), 401, "invalid_token");
  const wrongCode = { method: "POST", token: null, body: { code: "made-up" }, headers };
  assert.equal((await world.ask("/api/sign-in", wrongCode)).status, 401);
  const ids = { requestId: "req-1", traceId: TRACE_ID, address: "203.0.113.0/24" };
  const [token, signIn] = logged("authentication failed");
  assert.deepEqual(token, { ...ids, operation: "getPermissions", code: "invalid_token" });
  assert.deepEqual({ ...signIn, code: null }, { ...ids, operation: "signIn", code: null });
});

test("A flood of failed authentications writes 50 lines a second, and then how many were left out.", async () => {
  const { clock, advance } = drivenClock();
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" }, { clock });
  await using _world = world;
  const fail = () => world.ask("/api/permissions", { token: "made-up" });
  for (let number = 0; number < 60; number += 1) await fail();
  assert.equal(logged("authentication failed").length, 50);
  advance(SECOND);
  await fail();
  assert.equal(logged("authentication failed").length, 51);
  assert.deepEqual(logged("further lines in that second"), [
    { notWritten: 10, line: "authentication failed" },
  ]);
});

test("The log line of a request beyond a rate limit says which limit it is.", async () => {
  const { clock } = drivenClock();
  const settings = { LOG_LEVEL: "info", CLIENT_RATE_BURST: "1", SOURCE_RATE_BURST: "2" };
  const { world, logged } = await openLoggedWorld(settings, { clock });
  await using _world = world;
  const source = await world.createSource();
  const send = (address: string) => world.send(bootstrapPath(source), bootstrapBody(), from(address));
  assert.equal((await send("203.0.113.1")).status, 200);
  refused(await send("203.0.113.1"), 429, "rate_limited");
  assert.equal((await send("203.0.113.2")).status, 200);
  refused(await send("203.0.113.3"), 429, "rate_limited");
  assert.deepEqual(
    logged("ingest refused").map(({ reason }) => reason),
    ["Too many requests from this address to this source.", "Too many requests to this source."],
  );
});

/** The attempt of a bootstrap with this header, and its log line. */
async function traced(world: World, logged: (message: string) => LogLine[], traceparent: string) {
  const source = await world.createSource();
  const headers = { traceparent, origin: "https://other.example" };
  refused(await world.send(bootstrapPath(source), bootstrapBody(), headers), 403, "origin_not_allowed");
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
  return { attempt: body.bootstrapAttempts[0], line: logged("ingest refused").at(-1) };
}

test("The trace id of a valid traceparent is in the attempt and in its log line.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" });
  await using _world = world;
  // a later version may have more fields
  for (const traceparent of [TRACEPARENT, `01-${TRACE_ID}-00f067aa0ba902b7-01-more`]) {
    const { attempt, line } = await traced(world, logged, traceparent);
    assert.deepEqual([attempt.traceId, line.traceId], [TRACE_ID, TRACE_ID], traceparent);
  }
});

test("An invalid traceparent is ignored.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" });
  await using _world = world;
  const invalid = [
    "made-up",
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
    TRACEPARENT.replace(/^00/, "ff"),
    TRACEPARENT.replace(TRACE_ID, "0".repeat(32)),
    TRACEPARENT.replace("00f067aa0ba902b7", "0".repeat(16)),
    TRACEPARENT.slice(0, -3),
  ];
  for (const traceparent of invalid) {
    const { attempt, line } = await traced(world, logged, traceparent);
    assert.deepEqual([attempt.traceId, line.traceId], [null, undefined], traceparent);
  }
});

test("A request that failed in the service has its trace in the error's line and in the access log.", async () => {
  const { world, logged } = await openLoggedWorld(
    { ACCESS_LOG: "on", LOG_LEVEL: "error" },
    {
      changeLedger: (ledger) => override(ledger, { sourceByKey: () => Promise.reject(new Error("a bug")) }),
    },
  );
  await using _world = world;
  const headers = { traceparent: TRACEPARENT };
  const reply = await world.send(bootstrapPath({ publicKey: "pk_1" }), bootstrapBody(), headers);
  refused(reply, 500, "internal_error");
  assert.equal(logged("a request failed")[0].traceId, TRACE_ID);
  assert.equal(logged("request").at(-1).traceId, TRACE_ID);
});

test("The log shows no user and password of a forged origin.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" });
  await using _world = world;
  const source = await world.createSource();
  for (const forged of ["https://user:pass@word@shop.example", "user:pass@shop.example"]) {
    const reply = await world.send(bootstrapPath(source), bootstrapBody(), { origin: forged });
    assert.equal(reply.status, 403);
  }
  const origins = logged("ingest refused").map(({ origin }) => origin);
  assert.deepEqual(origins, ["https://***@shop.example", "***@shop.example"]);
});

test("Opening the sign-in of a provider that is not set up writes no line.", async () => {
  const { world, logged } = await openLoggedWorld({ LOG_LEVEL: "info" });
  await using _world = world;
  const cookie = { cookie: "headwater-oidc=junk" };
  for (const path of ["/api/sign-in/oidc", "/api/sign-in/oidc/callback?code=a&state=b"])
    assert.equal((await world.ask(path, { token: null, headers: cookie })).status, 302);
  assert.deepEqual(logged("the identity provider cannot be reached"), []);
  assert.deepEqual(logged("a sign-in with the identity provider failed"), []);
});
