/** `headwater test-server` (docs/testing.md): what it accepts, shows and forgets, and how it starts and ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { after, before, beforeEach, describe, it } from "node:test";
import { readPlanFolder } from "../../tools/plan/plan-folder.ts";
import { startTestServer, type TestServer } from "../../tools/test-server/start.ts";
import { BIN, folder, headwater, type Settings } from "../cli/command-line.ts";
import {
  BROWSER,
  bootstrapBody,
  eventsBody,
  fresh,
  ORIGIN,
  openWorld,
  pageEvent,
  type TestReply,
  trackEvent,
} from "../support/world.ts";

const ORDER = `{
  "type": "object",
  "properties": {
    "value": { "type": "number" },
    "currency": { "type": "string" }
  },
  "required": ["value"]
}
`;
const PLAN = `{
  "version": 3,
  "mode": "warn",
  "unknownEvents": "warn",
  "events": {
    "signup": { "mode": null, "file": "events/signup.json" },
    "order": { "mode": "warn", "file": "events/order.json" },
    "draft": { "mode": "off", "file": "events/order.json" }
  }
}
`;

function planFiles() {
  const files = folder();
  const write = (name: string, content: string) => {
    mkdirSync(dirname(files.at(name)), { recursive: true });
    writeFileSync(files.at(name), content);
  };
  write("tracking-plan/plan.json", PLAN);
  write("tracking-plan/events/order.json", ORDER);
  write("tracking-plan/events/signup.json", "{}");
  return Object.assign(files, { write, plan: files.at("tracking-plan") });
}

async function ask(
  url: string,
  path: string,
  method = "GET",
  body?: unknown,
  headers = {},
): Promise<TestReply> {
  const sent = { origin: ORIGIN, "user-agent": BROWSER, ...headers };
  const text = body === undefined ? null : JSON.stringify(body);
  const reply = await fetch(url + path, { method, headers: sent, body: text });
  const content = await reply.text();
  const isJson = reply.headers.get("content-type")?.startsWith("application/json");
  return {
    status: reply.status,
    headers: reply.headers,
    text: content,
    body: isJson ? JSON.parse(content) : content,
  };
}

const track = (events: object[], over = {}) =>
  bootstrapBody({ batchId: fresh("batch"), sentAt: new Date().toISOString(), events, ...over });
const BOOTSTRAP = "/api/ingest/v2/pk_any/bootstrap";

async function openTestServer() {
  const { url, close } = await startTestServer(0, null);
  return { url, [Symbol.asyncDispose]: close };
}

describe("A test server", () => {
  const files = planFiles();
  let server: TestServer;
  const post = (path: string, body: unknown, headers = {}) => ask(server.url, path, "POST", body, headers);
  const list = async (path: string) => (await ask(server.url, path)).body;
  const names = async (path = "/events") =>
    (await list(path)).events.map(({ name }: { name: string }) => name);
  const rejected = async () => (await list("/rejected")).rejected;
  before(async () => {
    server = await startTestServer(0, readPlanFolder(files.plan));
  });
  after(async () => {
    await server.close();
    files[Symbol.dispose]();
  });
  beforeEach(() => ask(server.url, "/", "DELETE"));

  it("lists accepted events of every client as they are stored, in the order of arrival", async () => {
    await post(BOOTSTRAP, track([pageEvent(), trackEvent({ name: "order", properties: { value: 19.9 } })]));
    const segment = {
      type: "track",
      event: "signup",
      anonymousId: "s",
      messageId: fresh("m"),
      properties: { plan: "pro" },
    };
    assert.equal((await post("/api/compat/pk_any/segment/v1/batch", { batch: [segment] })).status, 200);
    const ga4 = { client_id: "g", events: [{ name: "order", params: { value: 5, currency: "EUR" } }] };
    assert.equal((await post("/api/compat/pk_any/ga4/mp/collect?measurement_id=G-1", ga4)).status, 204);
    const plausible = { n: "signup", u: `${ORIGIN}/pay`, d: "shop.example", p: { plan: "free" } };
    assert.equal((await post("/api/compat/pk_any/plausible/api/event", plausible)).status, 202);

    assert.deepEqual(await rejected(), []);
    assert.deepEqual(await names(), ["page_view", "order", "signup", "order", "signup"]);
    assert.deepEqual(await names("/events?name=signup"), ["signup", "signup"]);
    assert.deepEqual(await names("/events?type=page"), ["page_view"]);
    assert.deepEqual(await names("/events?since=2000-01-01T00:00:00Z&type=page"), ["page_view"]);
    assert.deepEqual(await names(`/events?since=${Date.now() + 60_000}`), []);
    assert.equal((await ask(server.url, "/events?since=soon")).status, 422);
    const [view, order] = (await list("/events")).events;
    assert.deepEqual(
      [view.page.path, view.page.utm.source, view.device.isBot, order.properties],
      ["/pricing", null, false, { value: 19.9 }],
    );
  });

  it("rejects what violates the plan, whatever its mode is, and names the line of the plan", async () => {
    const answered = await post(
      BOOTSTRAP,
      track([
        trackEvent({ name: "order", properties: { value: "5" } }),
        trackEvent({ name: "order", properties: { currency: "EUR" } }),
        trackEvent({ name: "ordr" }),
        trackEvent({ name: "draft" }),
      ]),
    );
    assert.deepEqual([answered.body.rejected, answered.body.accepted], [3, 1]);
    const segment = { type: "track", event: "order", anonymousId: "s", properties: { value: true } };
    await post("/api/compat/pk_any/segment/v1/track", segment);

    const order = files.at("tracking-plan/events/order.json");
    const list = await rejected();
    assert.deepEqual(
      list.map(({ plan }: { plan: object }) => plan),
      [
        { file: order, line: 4 },
        { file: order, line: 7 },
        { file: files.at("tracking-plan/plan.json"), line: 7 },
        { file: order, line: 4 },
      ],
    );
    const { message, hint, code, event, violation, endpoint } = list[0];
    assert.equal(
      message,
      'The event violates the tracking plan: properties.value must be of the type number; found the string "5".',
    );
    assert.equal(hint, `Correct the code that sends the event, or the plan: ${order}:4`);
    assert.deepEqual([code, endpoint, event.properties], ["plan_violation", null, { value: "5" }]);
    assert.deepEqual(violation, {
      path: "properties.value",
      expected: "of the type number",
      found: 'the string "5"',
    });
    assert.deepEqual([list[3].endpoint, list[3].name], ["segment", "order"]);
  });

  it("lists refused requests, also those that no route has", async () => {
    const invalid = await post(BOOTSTRAP, track([{ ...trackEvent(), timestamp: "yesterday" }]));
    assert.equal(invalid.status, 422);
    assert.equal(invalid.body.debugUrl, `${server.url}/rejected`);
    const stray = await post("/api/compat/pk_any/segment/v9/track", { event: "order" });
    const unknown = await post("/api/ingest/v2/pk_any/event", {});
    assert.deepEqual([stray.status, unknown.status], [404, 404]);
    const [first, second, third] = await rejected();
    assert.deepEqual([first.kind, first.code, first.origin], ["request", "invalid_payload", ORIGIN]);
    assert.match(first.issues[0].message, /timestamp/);
    assert.ok(JSON.parse(first.body).events);
    assert.deepEqual([second.code, second.endpoint], ["route_not_found", "segment"]);
    assert.match(third.message, /POST \/api\/ingest\/v2\/pk_any\/event/);
  });

  it("accepts every key, origin and token, and headless browsers and servers", async () => {
    for (const headers of [
      { origin: "https://any.example" },
      { authorization: "Bearer hwt_any" },
      { "user-agent": "HeadlessChrome" },
    ]) {
      const path = `/api/ingest/v2/${fresh("key")}/bootstrap`;
      const { body } = await post(path, track([trackEvent({ name: "signup" })]), headers);
      assert.deepEqual([body.accepted, body.ingestUrl], [1, path.replace("bootstrap", "events")]);
    }
    assert.deepEqual(await names(), ["signup", "signup", "signup"]);
    assert.deepEqual(
      (await list("/events")).events.map((event: { device: { isBot: boolean } }) => event.device.isBot),
      [false, false, false],
    );
  });

  it("forgets on DELETE /, so that the same event is accepted again, in its session", async () => {
    const { body } = await post(BOOTSTRAP, track([trackEvent({ name: "ordr" })]));
    const batch = eventsBody(body.sessionId, [trackEvent({ name: "signup" })]);
    const path = "/api/ingest/v2/pk_any/events";
    const sendAgain = async () => (await post(path, batch)).body.results[0].status;
    assert.deepEqual([await sendAgain(), await sendAgain()], ["accepted", "duplicate"]);
    assert.deepEqual([(await names()).length, (await rejected()).length], [1, 1]);
    assert.equal((await ask(server.url, "/", "DELETE")).status, 204);
    assert.deepEqual([await names(), await rejected()], [[], []]);
    assert.equal(await sendAgain(), "accepted");
    assert.deepEqual(await names(), ["signup"]);
  });

  it("may be read and emptied by a page, and serves the browser client", async () => {
    const { headers } = await ask(server.url, "/events");
    assert.equal(headers.get("access-control-allow-origin"), ORIGIN);
    const preflight = await ask(server.url, "/", "OPTIONS", undefined, {
      "access-control-request-method": "DELETE",
    });
    assert.deepEqual(
      [preflight.status, preflight.headers.get("access-control-allow-methods")],
      [204, "DELETE"],
    );
    for (const path of ["/sdk/v2.js", "/sdk/v2.js?with=engagement", "/sdk/extras/forms.js"])
      assert.match(
        (await ask(server.url, path)).headers.get("content-type") ?? "",
        /^text\/javascript/,
        path,
      );
    assert.deepEqual((await ask(server.url, "/readyz")).status, 200);
    assert.deepEqual((await ask(server.url, "/api/tracking-sources?organizationId=x")).status, 404);
    assert.deepEqual(await rejected(), []);
  });

  it("answers a series of requests as the service does", async () => {
    await using world = await openWorld();
    const source = await world.createSource({ allowedOrigins: ["*"], bots: "keep" });
    await using other = await openTestServer();
    const addresses = [
      { url: world.url, key: source.publicKey },
      { url: other.url, key: "pk_any" },
    ];
    const run = fresh("run");
    const [serviceAnswers, testAnswers] = await Promise.all(
      addresses.map(async ({ url, key }) => {
        const answers: unknown[] = [];
        const send = async (kind: string, body: unknown) => {
          const reply = await ask(url, `/api/ingest/v2/${key}/${kind}`, "POST", body);
          const { sessionResumed, identifiedUserId, code, results, limits } = reply.body;
          const outcomes = results?.map(({ status, code: why, warnings }: Record<string, unknown>) => [
            status,
            why,
            warnings,
          ]);
          answers.push([
            reply.status,
            code,
            sessionResumed,
            identifiedUserId,
            outcomes,
            limits?.maxBatchSize,
          ]);
          return reply.body;
        };
        const visitor = `${run}-visitor`;
        const event = trackEvent({ id: `${run}-1`, name: "signup" });
        const opened = await send("bootstrap", track([event], { anonymousId: visitor }));
        const { sessionId } = opened;
        await send("bootstrap", track([event], { anonymousId: visitor, sessionId, userId: "ann" }));
        await send("bootstrap", track([trackEvent({ id: `${run}-2` })], { anonymousId: visitor, sessionId }));
        await send("bootstrap", track([], { anonymousId: `${run}-other`, sessionId, joinSession: true }));
        await send("bootstrap", track([trackEvent({ id: `${run}-3` })], { anonymousId: "$none" }));
        await send("bootstrap", track([trackEvent({ id: `${run}-4` })], { anonymousId: "$none" }));
        await send("events", eventsBody("ses_unknown", [trackEvent({ id: `${run}-5` })]));
        await send(
          "events",
          eventsBody(sessionId, [{ ...trackEvent({ id: `${run}-6` }), sessionId: "ses_unknown" }]),
        );
        await send("events", { ...eventsBody(sessionId, [trackEvent({ id: `${run}-7` })]), userId: "bob" });
        await send("bootstrap", { ...track([], { anonymousId: visitor, sessionId }), events: undefined });
        return answers;
      }),
    );
    assert.equal(testAnswers?.length, 10);
    assert.deepEqual(testAnswers, serviceAnswers);
  });
});

/** Starts the command in a folder of its own, which is also its folder for temporary files. */
async function startCommand(cwd: string, words: readonly string[] = [], settings: Settings = {}) {
  const child = spawn(process.execPath, [BIN, "test-server", "--port", "0", ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", TMPDIR: cwd, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      printed += chunk;
    });
  const [line] = await once(createInterface(child.stdout), "line");
  const stop = async (signal: NodeJS.Signals) => {
    const ended = once(child, "exit");
    child.kill(signal);
    return (await ended)[0];
  };
  return {
    line: String(line),
    pid: Number(child.pid),
    printed: () => printed,
    stop,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

describe("`headwater test-server`", () => {
  it("prints one line with its address, uses the plan of the repository, and leaves nothing behind", async () => {
    using files = planFiles();
    const before = readdirSync(files.path);
    using command = await startCommand(files.path);
    const [, url = ""] =
      /^Headwater's test server listens on (http:\/\/127\.0\.0\.1:\d+), with the plan of tracking-plan\/plan\.json\.$/.exec(
        command.line,
      ) ?? [];
    assert.equal((await ask(url, BOOTSTRAP, "POST", track([trackEvent({ name: "ordr" })]))).status, 200);
    const [{ plan }] = (await ask(url, "/rejected")).body.rejected;
    assert.deepEqual(plan, { file: "tracking-plan/plan.json", line: 7 });
    assert.equal(await command.stop("SIGTERM"), 0);
    assert.equal(command.printed(), `${command.line}\n`);
    assert.deepEqual(readdirSync(files.path), before);
  });

  it("starts without a plan, prints JSON, and ends on Ctrl-C", async () => {
    using files = folder();
    using command = await startCommand(files.path, ["--json"]);
    const { ok, url, plan } = JSON.parse(command.line);
    assert.deepEqual([ok, plan], [true, null]);
    assert.equal((await ask(url, BOOTSTRAP, "POST", track([trackEvent({ name: "any" })]))).body.accepted, 1);
    assert.equal(await command.stop("SIGINT"), 0);
  });

  it("takes at most 120 MiB after 100 events, once its code was compiled", {
    skip: process.platform !== "linux" && "it needs /proc",
  }, async (t) => {
    using files = planFiles();
    const start = () => startCommand(files.path, ["--json"], { NODE_COMPILE_CACHE: files.at("cache") });
    await (await start()).stop("SIGTERM");
    using command = await start();
    const { url } = JSON.parse(command.line);
    for (let sent = 0; sent < 100; sent++)
      assert.equal((await ask(url, BOOTSTRAP, "POST", track([trackEvent()]))).body.accepted, 1);
    const status = readFileSync(`/proc/${command.pid}/status`, "utf8");
    const residentMiB = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
    await command.stop("SIGTERM");
    t.diagnostic(`${Math.round(residentMiB)} MiB`);
    assert.ok(residentMiB <= 120, `${residentMiB} MiB`);
  });

  it("says what is wrong with a port, and the line of what is wrong in a plan", async () => {
    using files = planFiles();
    await using taken = await openTestServer();
    const { port } = new URL(taken.url);
    const refused = await headwater({}, "test-server", "--port", port, "--plan", files.plan);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, new RegExp(`^Port ${port} is in use\\. Give another one with --port`));

    const missing = await headwater({}, "test-server", "--plan", files.at("none"));
    assert.match(missing.stderr, /none\/plan\.json cannot be read/);
    files.write("tracking-plan/events/order.json", ORDER.replace('"number"', '"numbr"'));
    const wrong = await headwater({}, "test-server", "--plan", files.plan);
    assert.match(wrong.stderr, /events\/order\.json:4: /);
  });
});
