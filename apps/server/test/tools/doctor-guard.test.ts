/** A page that the doctor looks at cannot make it knock at doors of the operator's own network, nor work for ever. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { apiBaseOf, NOT_ASKED } from "../../src/doctor/evidence.ts";
import { readPage } from "../../src/doctor/read-page.ts";
import { createGuard, InnerAddress, isInner } from "../../tools/doctor/address-guard.ts";
import { createAsk } from "../../tools/doctor/ask.ts";
import { visit } from "../../tools/doctor/visit.ts";

const PUBLIC = new URL("http://203.0.113.7/page");
const never = new AbortController().signal;

async function startInner() {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url!);
    response.writeHead(url === "/moved" ? 302 : 200, { location: "/elsewhere" }).end("inner");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { asked, port, [Symbol.dispose]: () => void server.close() };
}

test("Inner addresses are known in every spelling.", () => {
  const inner = [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
  ];
  const inner6 = ["::1", "::", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "ff02::1"];
  for (const address of [...inner, ...inner6]) assert.ok(isInner(address), address);
  for (const address of ["203.0.113.7", "172.32.0.1", "8.8.8.8", "2001:4860:4860::8888"])
    assert.ok(!isInner(address), address);
});

test("A public page leads to no inner address, by number or by name; what the user has given is asked.", async () => {
  using inner = await startInner();
  const ask = createAsk(await createGuard([PUBLIC]), never);
  for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"])
    await assert.rejects(ask(`http://${host}:${inner.port}/`), InnerAddress, host);
  assert.deepEqual(inner.asked, []);

  const api = new URL(`http://127.0.0.1:${inner.port}`);
  const trusting = createAsk(await createGuard([PUBLIC, api]), never);
  assert.equal((await trusting(api.href)).status, 200);
});

test("A page of the inner network leads wherever it likes; a redirect is not followed unasked.", async () => {
  using inner = await startInner();
  const url = `http://127.0.0.1:${inner.port}/moved`;
  const response = await createAsk(await createGuard([new URL(url)]), never)(url);
  assert.deepEqual([response.status, inner.asked], [302, ["/moved"]]);
});

test("What is not asked is said.", async () => {
  const { problem } = await visit("http://10.0.0.1/", createAsk(await createGuard([PUBLIC]), never));
  assert.match(problem ?? "", /^is not asked: 10\.0\.0\.1 is an address of an inner network/);
});

test("All requests of a run end together.", async () => {
  const ask = createAsk(await createGuard([new URL("http://127.0.0.1/")]), AbortSignal.abort("over"));
  await assert.rejects(ask("http://127.0.0.1:9/"), (reason) => reason === "over");
});

test("What a page says of its addresses is cut, so no work on it grows with its square.", () => {
  const endless = `/a${"/".repeat(3_000_000)}x`;
  const page = readPage(
    `<script src="/sdk/v2.js" data-key="pk_1" data-api="${endless}"></script>`,
    PUBLIC.href,
  );
  assert.equal(page.snippets[0]?.apiBaseUrl?.length, 8_192);
  const report = { ...page, url: PUBLIC.href, script: "unknown", request: null, sentAt: "" } as const;
  const service = {
    sourceId: null,
    publicKey: "pk_1",
    apiBaseUrl: null,
    alias: null,
    requireConsent: null,
    respectGpc: null,
    rightKeyState: null,
    keyState: null,
    isActive: null,
    isOriginAllowed: null,
    clockAheadMs: null,
    reach: NOT_ASKED,
  };
  assert.ok(apiBaseOf({ report, pageProblem: null, isPolicyLeftOut: false, service }));
});
