/** `@headwater/sdk/testing`, against the real test server. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { readPlanFolder } from "../../../../apps/server/tools/plan/plan-folder.ts";
import { startTestServer, type TestServer } from "../../../../apps/server/tools/test-server/start.ts";
import { createServerClient } from "../../src/server.ts";
import { clearEvents, expectEvent, expectNoRejections, type TestingOptions } from "../../src/testing.ts";

const ORDER = `{
  "properties": {
    "value": { "type": "number" }
  },
  "required": ["value"]
}
`;
const PLAN = `{
  "mode": "warn",
  "unknownEvents": "warn",
  "events": {
    "order": { "file": "order.json" },
    "signup": { "file": "signup.json" }
  }
}
`;
const folder = mkdtempSync(join(tmpdir(), "headwater-testing-"));
let server: TestServer;
let options: TestingOptions;
let send: (name: string, properties?: Record<string, unknown>) => Promise<unknown>;
before(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plan.json"), PLAN);
  writeFileSync(join(folder, "order.json"), ORDER);
  writeFileSync(join(folder, "signup.json"), "{}");
  server = await startTestServer(0, readPlanFolder(folder));
  // what is expected and missing has arrived before it is asked for
  options = { url: server.url, timeout: 0 };
  const client = createServerClient({ publicKey: "pk_test", apiBaseUrl: server.url });
  send = (name, properties) => client.track(name, properties, { userId: "ann" });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => clearEvents(options));

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail("it passes"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Error);
  return error;
}

test("expectEvent returns the event that has the properties, among others.", async () => {
  await send("order", { value: 5, items: [{ id: "a", count: 1 }], coupon: "X-1" });
  await send("order", { value: 19.9, items: [{ id: "b", count: 2 }], coupon: "X-2" });
  const event = await expectEvent("order", { value: 19.9 }, options);
  assert.deepEqual([event.userId, event.properties.coupon, event.page.path], ["ann", "X-2", null]);
  const anyNumber = { asymmetricMatch: (value: unknown) => typeof value === "number" };
  const alike = { items: [{ id: "a" }], coupon: /^X-\d$/, value: anyNumber, absent: undefined };
  assert.equal((await expectEvent("order", alike, options)).properties.value, 5);
  await expectEvent("order", undefined, options);
});

test("expectEvent waits for an event that arrives later.", async () => {
  const waiting = expectEvent("signup", {}, { ...options, timeout: 60_000 });
  await send("signup");
  assert.equal((await waiting).name, "signup");
});

test("With a page, the clients in it send their events first.", async () => {
  const expressions: string[] = [];
  const page = {
    evaluate: async (expression: string) => {
      expressions.push(expression);
      await send("signup");
    },
  };
  await expectEvent(page, "signup", {}, options);
  assert.match(expressions[0] ?? "", /headwaterClients.*flush\(\)/);
  await send("order", {});
  const failure = await failureOf(expectNoRejections({ evaluate: () => send("ordr") }, options));
  assert.match(failure.message, /^2 refusals, by \S+order\.json:5, \S+plan\.json:5\.\n\n/);
  const closed = { evaluate: () => Promise.reject(new Error("Target page has been closed")) };
  await expectEvent(closed, "signup", {}, options);
});

test("A failure says what is closest, what was refused by which line of the plan, and what else arrived.", async () => {
  await send("order", { value: 5, currency: "EUR" });
  await send("order", { value: 19.9, currency: "USD" });
  await send("order", { value: "19.9" });
  await send("ordr", { value: 19.9 });
  await send("signup");
  await send("signup");
  const failure = await failureOf(expectEvent("order", { value: 19.9, currency: "EUR" }, options));
  assert.equal(
    failure.message,
    `No event "order" with { value: 19.9, currency: "EUR" } within 0 ms. 2 refusals, by ${folder}/order.json:3, ${folder}/plan.json:5.

The closest of 2 differs:
  properties.value: expected 19.9, found 5

Refused:
  order: The event violates the tracking plan: properties.value must be of the type number; found the string "19.9".
    ${folder}/order.json:3
  ordr: The event violates the tracking plan: name must be a planned event, such as order; found the string "ordr".
    ${folder}/plan.json:5

Accepted: signup (2)`,
  );
  const [first = "", frame = ""] =
    failure.stack?.slice(failure.message.length + "Error: ".length).split("\n") ?? [];
  assert.equal(first, "");
  assert.match(frame, /expectations\.test\.ts/, "the stack begins in the test");
});

test("A failure without any event says so.", async () => {
  const failure = await failureOf(expectEvent("order", {}, options));
  assert.equal(failure.message, `No event "order" within 0 ms.\n\nNothing reached ${server.url}.`);
});

test("expectNoRejections passes without refusals, and lists a refused request with its issues.", async () => {
  await send("order", { value: 5 });
  await expectNoRejections(options);
  await fetch(`${server.url}/api/ingest/v2/pk_test/events`, { method: "POST", body: '{"ingestVersion":2}' });
  const { message, stack } = await failureOf(expectNoRejections(options));
  assert.match(message, /^1 refusal\.\n\n {2}a request: invalid_payload: .*\n {4}sdkVersion is required/);
  assert.match(stack ?? "", /expectations\.test\.ts/);
});

test("Without a test server, or at another one, the failure says what to do.", async () => {
  const unreachable = await failureOf(expectEvent("order", {}, { url: "http://127.0.0.1:1" }));
  assert.match(
    unreachable.message,
    /^No test server answers at http:\/\/127\.0\.0\.1:1 .*`npx headwater test-server`/,
  );
  const other = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const address = other.address();
  const url = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
  const wrong = await failureOf(expectNoRejections({ url }));
  other.close();
  assert.match(wrong.message, /responded with 404\. It is not the address of `npx headwater test-server`/);
});

test("HEADWATER_TEST_URL is the default address.", async () => {
  process.env.HEADWATER_TEST_URL = `${server.url}/`;
  try {
    await send("signup");
    await expectEvent("signup");
    await expectNoRejections();
    await clearEvents();
    assert.match((await failureOf(expectEvent("signup", {}, { timeout: 0 }))).message, /Nothing reached/);
  } finally {
    delete process.env.HEADWATER_TEST_URL;
  }
});
