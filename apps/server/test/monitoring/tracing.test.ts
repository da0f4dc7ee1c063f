/** OpenTelemetry traces, sent to a receiver of the test. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openTracer } from "../../src/monitoring/tracing.ts";
import { bootstrapBody, bootstrapPath, HOUR, openWorld } from "../support/world.ts";

/** Its batches give up after thirty seconds, when the exporter does not before. */
const MAX_STOP_MS = 25_000;
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID = "00f067aa0ba902b7";

function isInstalled(): boolean {
  try {
    import.meta.resolve("@opentelemetry/exporter-trace-otlp-http");
    return true;
  } catch {
    return false;
  }
}

/** An OTLP receiver that keeps what it gets. */
async function startReceiver() {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  const received: { url: string | undefined; body: any }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { received, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: close };
}

/** A list of OTLP's attributes as an object. */
const attributesOf = (list: { key: string; value: Record<string, unknown> }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

test("With OTEL_EXPORTER_OTLP_ENDPOINT the collector gets a span for each request, in the trace of its traceparent.", {
  skip: !isInstalled() && "the packages of OpenTelemetry are not installed; `npm install` installs them",
}, async () => {
  using receiver = await startReceiver();
  const world = await openWorld({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const source = await world.createSource();
  const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, "x-request-id": "mine" };
  const before = Date.now();
  assert.equal((await world.send(bootstrapPath(source), bootstrapBody(), headers)).status, 200);
  // the waiting spans are sent before the service has stopped
  await world[Symbol.asyncDispose]();

  assert.ok(receiver.received.every(({ url }) => url === "/v1/traces"));
  const resources = receiver.received.flatMap(({ body }) => body.resourceSpans);
  assert.equal(attributesOf(resources[0].resource.attributes)["service.name"], "headwater");
  const spans = resources.flatMap((one) => one.scopeSpans).flatMap((one) => one.spans);
  const bootstrap = spans.find(({ name }) => name === "bootstrap");
  assert.deepEqual([bootstrap.traceId, bootstrap.parentSpanId, bootstrap.kind], [TRACE_ID, PARENT_ID, 2]);
  const attributes = attributesOf(bootstrap.attributes);
  assert.equal(attributes["http.request.method"], "POST");
  assert.equal(Number(attributes["http.response.status_code"]), 200);
  assert.equal(attributes["headwater.request_id"], "mine");
  const toMilliseconds = (nanoseconds: string) => Number(nanoseconds) / 1e6;
  const startedAt = toMilliseconds(bootstrap.startTimeUnixNano);
  const endedAt = toMilliseconds(bootstrap.endTimeUnixNano);
  assert.ok(startedAt >= before - 1 && startedAt <= endedAt && endedAt <= Date.now() + 1);
  const created = spans.find(({ name }) => name === "createSource");
  assert.notEqual(created.traceId, TRACE_ID);
  assert.ok(!created.parentSpanId, "a request without traceparent begins a trace");
});

test("A collector that does not answer does not delay the stop.", {
  skip: !isInstalled() && "the packages of OpenTelemetry are not installed; `npm install` installs them",
}, async (t) => {
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = String(HOUR);
  t.after(() => delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT);
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const world = await openWorld({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  await world.createSource();
  const begin = performance.now();
  await world[Symbol.asyncDispose]();
  assert.ok(performance.now() - begin < MAX_STOP_MS);
  silent.close();
  silent.closeAllConnections();
});

test("Without the packages the start fails and names the command that installs them.", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const opening = openTracer({
    endpoint: "http://127.0.0.1:4318",
    version: "x",
    load: () => Promise.reject(missing),
  });
  await assert.rejects(opening, {
    name: "Error",
    message:
      /^OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed\. Run `npm install --no-save --omit=dev @opentelemetry/,
  });
});
