/** The client for servers and scripts: against a service, and against answers that a test makes up. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openApiDocument } from "@headwater/contract";
import { ORGANIZATION_ID, ORIGIN, openWorld } from "../../../apps/server/test/support/world.ts";
import { renderDeclarations, renderRoutes } from "../render.ts";
import { ApiFailure, type ApiOptions, createApi, type Schemas } from "../src/index.ts";

const AT = "2026-11-21T12:00:00.000Z";
const BATCH: Schemas["EventBatch"] = {
  ingestVersion: 2,
  sdkVersion: "test-1",
  batchId: "batch-1",
  sentAt: AT,
  sessionId: "ses_1",
  anonymousId: "visitor-1",
  events: [{ id: "event-1", type: "track", name: "signup", timestamp: AT }],
};
const toKey = { params: { publicKey: "pk_1" }, body: BATCH };

/** A client whose requests get these answers, one after the other. It notes what it sent and how long it waited. */
function scripted(answers: readonly (() => Response)[], options: Partial<ApiOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = [];
  const waitsMs: number[] = [];
  const api = createApi({
    baseUrl: "https://stats.test/",
    fetch: async (url, init = {}) => {
      sent.push({ url: String(url), init });
      return answers[sent.length - 1]!();
    },
    wait: async (ms) => waitsMs.push(ms),
    ...options,
  });
  return { api, sent, waitsMs };
}

const answer =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers });
const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  answer(status, { ok: false, code, message: "m", hint: "h", retryable: status >= 429 }, headers);
const unreachable = () => {
  throw new TypeError("fetch failed");
};
const isFailure = (code: string, status: number) => (error: unknown) =>
  error instanceof ApiFailure && error.code === code && error.status === status;

test("Types and routes are those of the document. Run `npm run generate -w @headwater/api` after a change.", () => {
  const document = openApiDocument({ baseUrl: "", appUrl: "" }, "");
  const read = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8");
  assert.ok(read("schema.d.ts") === renderDeclarations(document), "src/schema.d.ts is out of date");
  assert.equal(read("routes.ts"), renderRoutes(document));
});

test("The client creates a source, opens a session, sends an event, and reads the debug view and an export.", async () => {
  await using world = await openWorld();
  const api = createApi({ baseUrl: world.url, token: world.ownerToken });
  const pages = createApi({ baseUrl: world.url });
  const body = { organizationId: ORGANIZATION_ID, name: "Shop", allowedOrigins: [ORIGIN] };
  const { sourceId, publicKey } = await api.createSource({ body });
  const params = { publicKey };
  const headers = { Origin: ORIGIN };
  const { sessionId } = await pages.bootstrap({
    params,
    headers,
    body: { ingestVersion: 2, sdkVersion: "test-1", anonymousId: "visitor-1", page: { url: `${ORIGIN}/` } },
  });
  const now = new Date().toISOString();
  const events = [{ id: "event-1", type: "track", name: "signup", timestamp: now }];
  const send = () => pages.events({ params, headers, body: { ...BATCH, sessionId, events } });
  assert.equal((await send()).results[0]?.status, "accepted");
  assert.equal((await send()).results[0]?.status, "duplicate");
  const debug = await api.getDebug({ params: { sourceId }, query: { kind: "events" } });
  assert.deepEqual(
    debug.eventAttempts.map(({ duplicates }) => duplicates),
    [1, 0],
  );
  const file = await api.exportEvents({ query: { sourceId } });
  assert.equal((await file.text()).trim().split("\n").length, 1);
  // @ts-expect-error the query has a required member
  await assert.rejects(api.listSources(), isFailure("invalid_payload", 422));
  await assert.rejects(
    api.getSource({ params: { sourceId: "src_none" } }),
    isFailure("source_not_found", 404),
  );
});

test("Events are sent again after Retry-After, with the same ids and the time of each try as sentAt.", async () => {
  let tries = 0;
  const clock = () => Date.parse(AT) + ++tries * 1_000;
  const answers = [
    refusal(429, "rate_limited", { "Retry-After": "7" }),
    refusal(500, "internal_error"),
    unreachable,
    answer(200, { ok: true }),
  ];
  const { api, sent, waitsMs } = scripted(answers, { clock });
  await api.events(toKey);
  const bodies = sent.map(({ init }): Schemas["EventBatch"] => JSON.parse(String(init.body)));
  for (const { events } of bodies) assert.deepEqual(events, BATCH.events);
  assert.deepEqual(
    bodies.map(({ sentAt }) => sentAt.slice("2026-11-21T12:00:".length)),
    ["01.000Z", "02.000Z", "03.000Z", "04.000Z"],
  );
  const [afterRate = 0, afterBug = 0, afterNone = 0] = waitsMs;
  assert.equal(afterRate, 7_000);
  assert.ok(afterBug >= 1_000 && afterNone >= 2_000, waitsMs.join());
});

test("A change with another effect when repeated is sent again only if nothing of it was stored.", async () => {
  const body = { organizationId: ORGANIZATION_ID, name: "Shop" };
  const busy = scripted([
    refusal(503, "overloaded", { "Retry-After": "1" }),
    answer(201, { sourceId: "src_1" }),
  ]);
  assert.equal((await busy.api.createSource({ body })).sourceId, "src_1");
  for (const [first, code, status] of [
    [refusal(500, "internal_error"), "internal_error", 500],
    [unreachable, "unreachable", 0],
  ] as const) {
    const { api, sent } = scripted([first]);
    await assert.rejects(api.createSource({ body }), isFailure(code, status));
    assert.equal(sent.length, 1);
  }
});

test("A refusal that will not pass is thrown at once, with its issues; a quota of the day is not waited for.", async () => {
  const issues = [{ path: ["events"], code: "required", message: "events is required" }];
  const invalid = scripted([answer(422, { code: "invalid_payload", message: "m", hint: "h", issues })]);
  await assert.rejects(invalid.api.events(toKey), (error) => {
    assert.ok(error instanceof ApiFailure);
    return error.issues[0]?.code === "required";
  });
  const quota = scripted([refusal(429, "quota_exceeded", { "Retry-After": "36000" })]);
  await assert.rejects(quota.api.events(toKey), isFailure("quota_exceeded", 429));
  assert.deepEqual([invalid.waitsMs, quota.waitsMs], [[], []]);
});

test("The client gives up after maxTries, and when its caller aborts.", async () => {
  const busy = scripted(Array(3).fill(refusal(503, "overloaded")), { maxTries: 3 });
  await assert.rejects(busy.api.events(toKey), isFailure("overloaded", 503));
  assert.equal(busy.sent.length, 3);
  const signal = AbortSignal.abort();
  const aborted = scripted([unreachable]);
  await assert.rejects(aborted.api.events({ ...toKey, signal }), { name: "AbortError" });
  assert.equal(aborted.sent.length, 1);
});
