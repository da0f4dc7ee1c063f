/** `headwater plan`: a tracking plan as files of a repository, checked in its CI, with types for `track`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { folder, headwaterHere } from "../cli/command-line.ts";
import { openVisit } from "../install/visit.ts";
import { eventsBody, eventsPath, OWNER_TOKEN, type TestSource, trackEvent } from "../support/world.ts";

const { world } = await openVisit();

const ORDER = {
  description: "An order is paid.",
  type: "object",
  properties: {
    price: { type: "number", description: "In euros." },
    plan: { enum: ["free", "pro"] },
    tags: { type: "array", items: { type: ["string", "null"] } },
    buyer: { $ref: "#/$defs/person" },
    "of day": { anyOf: [{ const: 1 }, { type: "boolean" }] },
    sizes: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
  },
  required: ["price"],
  additionalProperties: false,
  $defs: { person: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] } },
};
const PLAN = {
  mode: "warn",
  unknownEvents: "warn",
  events: { order: { schema: ORDER }, "Sign Up!": { mode: "off", schema: {} }, "sign up?": { schema: {} } },
};

/** A repository with the plan of a new source, and the command in it. */
async function openRepository() {
  const files = folder();
  const source = await world.createSource();
  const planPath = `/api/tracking-sources/${source.sourceId}/plan`;
  assert.equal((await world.ask(planPath, { method: "PUT", body: { plan: PLAN } })).status, 200);
  writeFileSync(files.at("token"), OWNER_TOKEN);
  const remote = ["--api", world.url, "--token-file", files.at("token")];
  const dir = ["--dir", files.at("tracking-plan")];
  const plan = (command: string, ...words: string[]) =>
    headwaterHere({ DATA_DIR: files.at("none") }, "plan", command, ...words, ...dir);
  const pulled = await plan("pull", source.sourceId, ...remote);
  assert.equal(pulled.code, 0, pulled.stderr);
  const read = (name: string) => readFileSync(files.at(`tracking-plan/${name}`), "utf8");
  const write = (name: string, content: string) => {
    mkdirSync(dirname(files.at(name)), { recursive: true });
    writeFileSync(files.at(name), content);
  };
  return {
    source,
    planPath,
    remote,
    plan,
    read,
    write,
    at: files.at,
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}
const lines = (...values: unknown[]) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;

describe("`headwater plan pull` and `push`", () => {
  it("keep the plan as files: an index with modes, and a schema for each event", async () => {
    using repository = await openRepository();
    const { read, write, plan, planPath, source, remote } = repository;
    assert.deepEqual(JSON.parse(read("plan.json")), {
      version: 1,
      mode: "warn",
      unknownEvents: "warn",
      events: {
        order: { mode: null, file: "events/order.json" },
        "Sign Up!": { mode: "off", file: "events/sign-up.json" },
        "sign up?": { mode: null, file: "events/sign-up-2.json" },
      },
    });
    assert.deepEqual(JSON.parse(read("events/order.json")), ORDER);

    write("tracking-plan/plan.json", read("plan.json").replace('"mode": "warn"', '"mode": "reject"'));
    const pushed = await plan("push", source.sourceId, ...remote);
    assert.deepEqual([pushed.code, pushed.stdout], [0, "Saved version 2 of the plan.\n"], pushed.stderr);
    const { body } = await world.ask(planPath);
    assert.deepEqual([body.version, body.plan.mode, body.plan.events.order.schema], [2, "reject", ORDER]);
    assert.match((await plan("push", source.sourceId, ...remote)).stdout, /already \(version 2\)/);

    const other = { ...PLAN, events: { order: { schema: ORDER } } };
    await world.ask(planPath, { method: "PUT", body: { plan: other } });
    const refused = await plan("push", source.sourceId, ...remote);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /has changed since version 2 was pulled\..*headwater plan pull/);
    assert.equal((await plan("pull", source.sourceId, ...remote)).code, 0);
    assert.deepEqual(Object.keys(JSON.parse(read("plan.json")).events), ["order"]);
    assert.throws(() => read("events/sign-up.json"), "files of events that are not planned are removed");
  });

  it("events can share a file until their schemas differ", async () => {
    using repository = await openRepository();
    const { read, write, plan, planPath, source, remote } = repository;
    const files = () =>
      Object.values<{ file: string }>(JSON.parse(read("plan.json")).events).map((one) => one.file);
    const shared = read("plan.json").replace("events/sign-up-2.json", "events/sign-up.json");
    write("tracking-plan/plan.json", shared);
    assert.equal((await plan("push", source.sourceId, ...remote)).code, 0);
    assert.deepEqual(files(), ["events/order.json", "events/sign-up.json", "events/sign-up.json"]);
    const changed = { ...PLAN.events, "sign up?": { schema: { required: ["a"] } } };
    await world.ask(planPath, { method: "PUT", body: { plan: { ...PLAN, events: changed } } });
    assert.equal((await plan("pull", source.sourceId, ...remote)).code, 0);
    assert.deepEqual(files(), ["events/order.json", "events/sign-up.json", "events/sign-up-2.json"]);
    assert.deepEqual(JSON.parse(read("events/sign-up.json")), {});
    assert.deepEqual(JSON.parse(read("events/sign-up-2.json")), { required: ["a"] });
  });
});

describe("`headwater plan check`", () => {
  it("names file and line of a schema that a plan cannot have", async () => {
    using repository = await openRepository();
    const { plan, write, read, at } = repository;
    assert.equal((await plan("check")).code, 0);
    write("tracking-plan/events/order.json", read("events/order.json").replace('"number"', '"numbr"'));
    const { code, stderr } = await plan("check");
    assert.equal(code, 1);
    assert.ok(stderr.includes(`${at("tracking-plan/events/order.json")}:6: `), stderr);
    write("tracking-plan/events/order.json", "{\n  1\n}");
    assert.ok((await plan("check")).stderr.includes(`${at("tracking-plan/events/order.json")}:2: `));
  });

  it("fails in CI on recorded events, and names the lines of the record, of the code and of the plan", async () => {
    using repository = await openRepository();
    const { plan, write, read, at } = repository;
    write(
      "src/checkout.ts",
      'import { client } from "./client";\n\nclient.track("order", {\n  plan: "pro",\n  prise: 5,\n});\nclient.track("order", { price: "5" });\n',
    );
    const good = trackEvent({ name: "order", properties: { price: 5 } });
    write("good.ndjson", lines(good, trackEvent({ name: "Sign Up!" })));
    const code = ["--code", at("src")];
    const fine = await plan("check", "--events", at("good.ndjson"), ...code);
    assert.deepEqual([fine.code, fine.stderr], [0, ""], fine.stdout);

    const renamed = trackEvent({
      name: "order",
      properties: { plan: "pro", price: 1, prise: 5 },
      page: { url: "https://shop.example/pay" },
    });
    const batch = { sdkVersion: "app-2", events: [good, renamed, renamed] };
    write("bad.ndjson", lines(good, batch, trackEvent({ name: "ordr" })));
    const failed = await plan("check", "--events", at("bad.ndjson"), ...code);
    assert.equal(failed.code, 1);
    const closed = read("events/order.json").split("\n").indexOf('  "additionalProperties": false,') + 1;
    assert.ok(closed > 0);
    const planned = read("plan.json").split("\n").indexOf('    "order": {') + 1;
    assert.ok(planned > 0);
    const start = "The event violates the tracking plan: ";
    assert.deepEqual(failed.stdout.replaceAll(start, "").trimEnd().split("\n"), [
      `${at("bad.ndjson")}:2: order: properties.prise must be absent, or named price; found the number 5. (and 1 more)`,
      "  sent from client app-2, page https://shop.example/pay",
      `  fix the code: ${at("src/checkout.ts")}:5`,
      `  or the plan:  ${at("tracking-plan/events/order.json")}:${closed}`,
      `${at("bad.ndjson")}:3: ordr: name must be a planned event, such as order; found the string "ordr".`,
      `  or the plan:  ${at("tracking-plan/plan.json")}:${planned}`,
      "Checked 5 events against 3 planned events: 2 different violations.",
    ]);
    const { violations } = (await plan("check", "--events", at("bad.ndjson"), ...code, "--json")).json();
    assert.deepEqual(violations[0].codeLines, [`${at("src/checkout.ts")}:5`]);
  });

  it("fails on a recorded line that it cannot check", async () => {
    using repository = await openRepository();
    const { plan, write, at } = repository;
    const check = async (content: string) => {
      write("recorded.ndjson", content);
      return plan("check", "--events", at("recorded.ndjson"));
    };
    const bootstrap = { ingestVersion: 2, anonymousId: "a", page: { url: "https://shop.example/" } };
    const good = lines(bootstrap, trackEvent({ name: "order", properties: { price: 5 } }));
    assert.match((await check(good)).stdout, /^Checked 1 event /);
    assert.match((await check(`${good}no\n`)).stderr, /recorded\.ndjson:3: the line is not JSON/);
    const foreign = { type: "track", event: "order", anonymousId: "a", properties: { price: "5" } };
    for (const line of [{ batch: [foreign] }, foreign, [], 5]) {
      const { code, stderr } = await check(good + lines(line));
      assert.equal(code, 1);
      assert.match(stderr, /recorded\.ndjson:3: the line is not an event, batch or attempt of Headwater/);
    }
  });

  it("checks the recent attempts of a source", async () => {
    using repository = await openRepository();
    const { plan, source, remote } = repository;
    const live = ["--source", source.sourceId, ...remote];
    const send = async (of: TestSource, properties: object) => {
      const sessionId = await world.openSession(of);
      await world.send(eventsPath(of), eventsBody(sessionId, [trackEvent({ name: "order", properties })]));
    };
    await send(source, { price: 1 });
    assert.equal((await plan("check", ...live)).code, 0);
    await send(source, { price: "1" });
    const { code, stdout } = await plan("check", ...live);
    assert.equal(code, 1);
    assert.match(stdout, /attempt att_\S+: order: .*properties\.price must be of the type number/);
    assert.match((await plan("check", ...remote)).stderr, /^--api needs --source/);
  });

  it("checks the recent attempts of another tool's client", async () => {
    using repository = await openRepository();
    const { plan, source, remote } = repository;
    const path = `/api/compat/${source.publicKey}/ga4/mp/collect`;
    const events = [{ name: "order", params: { price: "5" } }];
    assert.equal((await world.send(path, { client_id: "1.2", events })).status, 204);
    const { code, stdout } = await plan("check", "--source", source.sourceId, ...remote);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /order: .*properties\.price must be of the type number; found the string "5"/);
  });
});

/** Compiles the application with the generated types. @returns what the compiler complains of */
async function compileApp(folderPath: string): Promise<string> {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const sdk = fileURLToPath(new URL("../../../../packages/sdk/src/index.ts", import.meta.url));
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    paths: { "@headwater/sdk": [sdk] },
  };
  writeFileSync(join(folderPath, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  return promisify(execFile)(process.execPath, [compiler, "-p", folderPath]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

it("`headwater plan types` generates types with which a wrong event or property does not compile", async () => {
  using repository = await openRepository();
  const { plan, write, at } = repository;
  mkdirSync(at("src"));
  const { code, stdout, stderr } = await plan("types", "--out", at("src/tracking-plan.ts"));
  assert.deepEqual(
    [code, stdout],
    [0, `Wrote the types of 3 events to ${at("src/tracking-plan.ts")}.\n`],
    stderr,
  );
  const head = `import { createClient } from "@headwater/sdk";
import type { PlannedClient } from "./tracking-plan.ts";
const client: PlannedClient = createClient({ publicKey: "pk", apiBaseUrl: "https://stats.example" });
client.track("order", { price: 5, plan: "pro", tags: ["a", null], buyer: { age: 3, name: "x" }, "of day": true, sizes: ["m", 2] });
client.track("order", { price: 5 }, { passive: true });
client.track("sign up?");
client.flush();
`;
  write("src/app.ts", head);
  assert.equal(await compileApp(at(".")), "");
  const wrong = [
    'client.track("order", { price: "5" });',
    'client.track("order", { price: 5, prise: 1 });',
    'client.track("order", { plan: "pro" });',
    'client.track("order");',
    'client.track("order", { price: 5, plan: "por" });',
    'client.track("order", { price: 5, "of day": 2 });',
    'client.track("order", { price: 5, sizes: [true] });',
    'client.track("ordr", {});',
  ];
  write("src/app.ts", head + wrong.join("\n"));
  const complaints = await compileApp(at("."));
  const headLines = head.split("\n").length - 1;
  for (const [index, line] of wrong.entries())
    assert.ok(complaints.includes(`app.ts(${headLines + index + 1},`), `${line}\n${complaints}`);
});
