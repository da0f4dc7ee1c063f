/** What a request that fails says, and how long it takes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { test } from "node:test";
import { type ApiFailure, type ApiOptions, createApi } from "../src/index.ts";
import { pause } from "../src/retry.ts";

/** A client of a server that answers with this. It does not wait between tries. */
async function clientOf(answer: RequestListener, options: Partial<ApiOptions> = {}) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : assert.fail("no port");
  const baseUrl = `http://127.0.0.1:${port}`;
  const waitsMs: number[] = [];
  const wait = async (ms: number) => waitsMs.push(ms);
  return {
    api: createApi({ baseUrl, wait, ...options }),
    baseUrl,
    waitsMs,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
const failureOf = (request: Promise<unknown>) =>
  request.then(
    () => assert.fail("it did not fail"),
    (error: ApiFailure) => error,
  );
const SOURCE = { params: { sourceId: "src_1" } };
const NEW_SOURCE = { body: { organizationId: "org_default", name: "Shop" } };

test("A service that is down is named with the reason and what to do.", async () => {
  const gone = await clientOf(() => undefined);
  await gone[Symbol.asyncDispose]();
  const { status, code, retryable, message, hint } = await failureOf(gone.api.getSource(SOURCE));
  assert.deepEqual([status, code, retryable], [0, "unreachable", true]);
  assert.match(message, /^http:\/\/127\.0\.0\.1:\d+ does not answer \(connect ECONNREFUSED .*\)\.$/);
  assert.match(hint, /^Check your connection, the address,/);
  assert.equal(gone.waitsMs.length, 3);
});

test("A proxy's answer for a service that is down counts as none: a read is sent again, a change is not.", async () => {
  await using proxy = await clientOf((_, response) => response.writeHead(503).end("<h1>Unavailable</h1>"));
  const { status, code, message } = await failureOf(proxy.api.getSource(SOURCE));
  assert.deepEqual([status, code, proxy.waitsMs.length], [503, "unreachable", 3]);
  assert.match(message, /is not available\. A proxy responded with 503\.$/);
  await failureOf(proxy.api.createSource(NEW_SOURCE));
  assert.equal(proxy.waitsMs.length, 3);
});

test("An answer that says that a retry does not help is not retried, whatever its status is.", async () => {
  const off = { code: "warehouse_off", message: "m", hint: "h", retryable: false };
  await using service = await clientOf((_, response) => response.writeHead(503).end(JSON.stringify(off)));
  assert.equal((await failureOf(service.api.getSource(SOURCE))).code, "warehouse_off");
  assert.deepEqual(service.waitsMs, []);
});

test("A body that is not complete JSON, such as another server's page, is unreadable.", async () => {
  for (const status of [200, 404]) {
    await using other = await clientOf((_, response) => response.writeHead(status).end('{"sources":['));
    const { code, message } = await failureOf(other.api.getSource(SOURCE));
    assert.equal(code, "unreadable");
    assert.equal(
      message,
      `${other.baseUrl}/api/tracking-sources/src_1 responded with ${status}, but not as Headwater does.`,
    );
  }
});

test("A read whose connection breaks within the answer is sent again.", async () => {
  let requests = 0;
  await using service = await clientOf((_, response) => {
    requests += 1;
    if (requests > 1) return response.end('{"sourceId":"src_1"}');
    response.writeHead(200, { "Content-Length": 100 });
    return response.write('{"source', () => response.destroy());
  });
  assert.equal((await service.api.getSource(SOURCE)).sourceId, "src_1");
});

test("A service that takes too long is given up, for a stream only until it begins.", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let finishStream: () => unknown = () => assert.fail("no stream was asked for");
  await using slow = await clientOf(
    ({ url }, response) => {
      response.writeHead(200);
      response.write("{");
      if (url?.startsWith("/api/export/")) finishStream = () => response.end("}");
    },
    { timeoutMs: 5_000, maxTries: 1 },
  );
  const stream = await slow.api.exportEvents({ query: { sourceId: "src_1" } });
  t.mock.timers.tick(5_000);
  finishStream();
  assert.equal(await stream.text(), "{}");
  const failure = failureOf(slow.api.getSource(SOURCE));
  t.mock.timers.tick(5_000);
  assert.match((await failure).message, /does not answer in time\.$/);
});

test("A failure has the whole answer, its Retry-After, and the message about a field.", async () => {
  const issues = [{ path: ["allowedOrigins", 0], code: "invalid_value", message: "It is not an origin." }];
  const answer = { code: "quota_exceeded", message: "m", hint: "h", retryable: true, limit: 10, issues };
  await using service = await clientOf((_, response) =>
    response.writeHead(429, { "Retry-After": "61" }).end(JSON.stringify(answer)),
  );
  const failure = await failureOf(service.api.getSource(SOURCE));
  assert.deepEqual([failure.answer.limit, failure.retryAfterMs], [10, 61_000]);
  assert.equal(failure.issueAt("allowedOrigins", 0), "It is not an origin.");
  assert.equal(failure.issueAt("allowedOrigins"), null);
});

test("A caller that aborts while the client waits gets the abort at once.", async () => {
  const caller = new AbortController();
  const wait: typeof pause = (ms, signal) => {
    const waiting = pause(ms, signal);
    caller.abort();
    return waiting;
  };
  const answer = JSON.stringify({ code: "overloaded", message: "m", hint: "h", retryable: true });
  await using busy = await clientOf(
    (_, response) => response.writeHead(503, { "Retry-After": "50" }).end(answer),
    { wait },
  );
  const { name } = await failureOf(busy.api.getSource({ ...SOURCE, signal: caller.signal }));
  assert.equal(name, "AbortError");
});

test("A text that is not a token is not sent, and not repeated in the error.", async () => {
  const token = "hw_secret\nof two lines";
  await using service = await clientOf((_, response) => response.end("{}"), { token });
  const { name, message } = await failureOf(service.api.getSource(SOURCE));
  assert.equal(name, "TypeError");
  assert.match(message, /^An access token has no spaces and no lines\. Check/);
  assert.doesNotMatch(message, /hw_secret/);
});

test("A token can change between two tries.", async () => {
  const tokens = ["old", "new"];
  await using service = await clientOf(
    (request, response) => {
      if (request.headers.authorization === "Bearer new") return response.end('{"sourceId":"src_1"}');
      return response.writeHead(502).end();
    },
    { token: () => tokens.shift() ?? null },
  );
  assert.equal((await service.api.getSource(SOURCE)).sourceId, "src_1");
});
