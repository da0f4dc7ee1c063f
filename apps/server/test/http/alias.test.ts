/** INGEST_ALIAS serves the client and ingest under a second path, and nothing else (docs/api/install.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import {
  bootstrapBody,
  eventsBody,
  ORIGIN,
  openWorld,
  pageEvent,
  refused,
  type World,
} from "../support/world.ts";

const ALIAS = "/hw/in";
let world: World;
let source: { sourceId: string; publicKey: string };
before(async () => {
  world = await openWorld({ INGEST_ALIAS: `${ALIAS}/` });
  source = await world.createSource();
});
after(() => world[Symbol.asyncDispose]());

const INGEST_HEADERS = [
  "access-control-allow-credentials",
  "access-control-allow-origin",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-expose-headers",
  "access-control-max-age",
  "allow",
  "cache-control",
  "content-type",
  "vary",
];
const shown = (headers: Headers) => INGEST_HEADERS.map((name) => headers.get(name));

test("the alias serves the client with the same bytes and headers", async () => {
  const [one, other] = await Promise.all(
    ["", ALIAS].map((prefix) => world.ask(`${prefix}/sdk/v2.js?v=1`, { token: null })),
  );
  assert.equal(other!.status, 200);
  assert.equal(other!.body, one!.body);
  for (const name of ["cache-control", "etag", "access-control-allow-origin", "content-type"])
    assert.equal(other!.headers.get(name), one!.headers.get(name), name);
});

test("a visit through the alias is stored like any other: bootstrap, events, duplicates and attempts", async () => {
  const route = `/api/ingest/v2/${source.publicKey}`;
  const opened = await world.send(`${ALIAS}${route}/bootstrap`, bootstrapBody());
  assert.equal(opened.status, 200);
  const event = pageEvent();
  const body = () => eventsBody(opened.body.sessionId, [event]);
  const taken = await world.send(`${ALIAS}${route}/events`, body());
  assert.equal(taken.body.accepted, 1);
  assert.equal((await world.send(`${route}/events`, body())).body.duplicates, 1);
  const legacy = await world.send(`${ALIAS}/api/ingest/${source.publicKey}/events`, body());
  assert.deepEqual([legacy.body.duplicates, legacy.headers.get("deprecation")], [1, "@1767225600"]);
  assert.equal(legacy.headers.get("link"), `<${ALIAS}${route}/events>; rel="successor-version"`);
});

test("a client without version fields can send to the ingestUrl that it was answered, with and without the alias", async () => {
  const old = { ingestVersion: undefined, sdkVersion: undefined };
  const opened = await world.send(`${ALIAS}/api/ingest/${source.publicKey}/bootstrap`, bootstrapBody(old));
  for (const base of ["", ALIAS]) {
    const batch = { ...eventsBody(opened.body.sessionId, [pageEvent()]), ...old };
    assert.equal((await world.send(base + opened.body.ingestUrl, batch)).body.accepted, 1);
  }
});

test("CORS, refusals and methods are the same as without the alias", async () => {
  const route = `/api/ingest/v2/${source.publicKey}/bootstrap`;
  const asked = {
    origin: "https://elsewhere.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type, x-own",
  };
  for (const ask of [
    { method: "OPTIONS", headers: asked },
    { method: "GET", headers: { origin: ORIGIN } },
    { method: "POST", headers: { origin: "https://elsewhere.example" }, body: bootstrapBody() },
    { method: "POST", headers: { origin: ORIGIN }, body: "{" },
  ]) {
    const [one, other] = await Promise.all(
      ["", ALIAS].map((prefix) =>
        fetch(world.url + prefix + route, { ...ask, body: JSON.stringify(ask.body) }),
      ),
    );
    assert.equal(other!.status, one!.status);
    assert.deepEqual(shown(other!.headers), shown(one!.headers));
  }
});

test("requests to both paths count against one rate limit", async () => {
  await using slow = await openWorld({
    INGEST_ALIAS: ALIAS,
    CLIENT_RATE_PER_SECOND: "1",
    CLIENT_RATE_BURST: "2",
  });
  const { publicKey } = await slow.createSource();
  const ask = async (prefix: string) =>
    (await slow.send(`${prefix}/api/ingest/v2/${publicKey}/bootstrap`, bootstrapBody())).status;
  assert.deepEqual([await ask(""), await ask(ALIAS), await ask(ALIAS), await ask("")], [200, 200, 429, 429]);
});

test("no other route is served under the alias; without the setting, none is", async () => {
  const reached = [
    "/api/tracking-sources?organizationId=org_default",
    "/healthz",
    "/openapi.json",
    "/sdk/v2.jsx",
    "/api/ingest",
  ];
  for (const path of reached) refused(await world.ask(ALIAS + path), 404, "route_not_found");
  refused(await world.ask(`${ALIAS}x/sdk/v2.js`), 404, "route_not_found");
  await using plain = await openWorld();
  refused(await plain.ask(`${ALIAS}/sdk/v2.js`), 404, "route_not_found");
});

test("the service does not start with an alias that proxies could read differently", () => {
  for (const path of ["hw", "/", "/a b", "/../x", "/a//b", "/a?b", "/a/./b", `/${"a".repeat(100)}`, "/%2e"])
    assert.throws(
      () => readConfig({ INGEST_ALIAS: path }),
      /INGEST_ALIAS cannot be .*for example \/hw/,
      path,
    );
  assert.equal(readConfig({ INGEST_ALIAS: "/hw/" }).INGEST_ALIAS, "/hw");
  assert.equal(readConfig({}).INGEST_ALIAS, null);
});
