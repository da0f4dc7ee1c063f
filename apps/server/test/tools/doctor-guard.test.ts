/** A page cannot make the doctor send requests into the operator's private network, or keep it busy for ever. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  createAddressGuard,
  isPrivateAddress,
  PrivateAddressError,
} from "../../src/install-checks/address-guard.ts";
import { apiBaseOf, toUnknownService } from "../../src/install-checks/evidence.ts";
import { fetchPage } from "../../src/install-checks/fetch-page.ts";
import { readPage } from "../../src/install-checks/read-page.ts";
import { createSender } from "../../src/install-checks/send-request.ts";

const PUBLIC = new URL("http://203.0.113.7/page");
const never = new AbortController().signal;

async function startPrivateServer() {
  const requested: string[] = [];
  const server = createServer(({ url }, response) => {
    requested.push(url!);
    response.writeHead(url === "/moved" ? 302 : 200, { location: "/elsewhere" }).end("private");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { requested, port, [Symbol.dispose]: () => void server.close() };
}

test("Private addresses are recognized in every notation.", () => {
  const private4 = [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
  ];
  const private6 = ["::1", "::", "fd00::1", "fe80::1", "fec0::1", "ff02::1"];
  // compatible, mapped, translated, NAT64, NAT64 of a network, 6to4, Teredo
  const ipv4InIpv6 =
    "::127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:a00:1 64:ff9b::a00:1 64:ff9b:1::a00:1 2002:a00:1:: 2001:0:a00:1::";
  for (const address of [...private4, ...private6, ...ipv4InIpv6.split(" ")])
    assert.ok(isPrivateAddress(address), address);
  for (const address of ["203.0.113.7", "172.32.0.1", "8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808"])
    assert.ok(!isPrivateAddress(address), address);
});

test("A public page cannot lead to a private address, by number or by name; an address that the user gave is allowed.", async () => {
  using server = await startPrivateServer();
  const send = createSender(await createAddressGuard([PUBLIC]), never);
  for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"])
    await assert.rejects(send(`http://${host}:${server.port}/`), PrivateAddressError, host);
  assert.deepEqual(server.requested, []);

  const api = new URL(`http://127.0.0.1:${server.port}`);
  const sendTrusting = createSender(await createAddressGuard([PUBLIC, api]), never);
  assert.equal((await sendTrusting(api.href)).status, 200);
});

test("A page of the private network may lead anywhere; the sender does not follow redirects itself.", async () => {
  using server = await startPrivateServer();
  const url = `http://127.0.0.1:${server.port}/moved`;
  const response = await createSender(await createAddressGuard([new URL(url)]), never)(url);
  assert.deepEqual([response.status, server.requested], [302, ["/moved"]]);
});

test("A name with one private answer among public ones is public, and a private name stays at the addresses that it had.", async () => {
  const page = new URL("http://page.example/");
  const inner = { address: "10.0.0.1", family: 4 };
  const mixed = await createAddressGuard([page], async () => [inner, { address: "203.0.113.7", family: 4 }]);
  assert.throws(() => mixed(new URL("http://10.0.0.1/")), PrivateAddressError);

  const lookUp = (await createAddressGuard([page], async () => [inner]))(page);
  const answer = await new Promise((resolve) => {
    lookUp?.(page.hostname, { all: true }, (_error, found) => resolve(found));
  });
  assert.deepEqual(answer, [inner]);
});

test("A request that the guard forbids is reported.", async () => {
  const { problem } = await fetchPage(
    "http://10.0.0.1/",
    createSender(await createAddressGuard([PUBLIC]), never),
  );
  assert.match(problem ?? "", /^was not requested: 10\.0\.0\.1 is an address of a private network/);
});

test("The deadline ends all requests of a run.", async () => {
  const send = createSender(
    await createAddressGuard([new URL("http://127.0.0.1/")]),
    AbortSignal.abort("over"),
  );
  await assert.rejects(send("http://127.0.0.1:9/"), (reason) => reason === "over");
});

test("Addresses in a page are cut, so that no work grows with the square of their length.", () => {
  const endless = `/a${"/".repeat(3_000_000)}x`;
  const page = readPage(
    `<script src="/sdk/v2.js" data-key="pk_1" data-api="${endless}"></script>`,
    PUBLIC.href,
  );
  assert.equal(page.snippets[0]?.apiBaseUrl?.length, 8_192);
  const report = { ...page, url: PUBLIC.href, script: "unknown", request: null, sentAt: "" } as const;
  const service = toUnknownService({ publicKey: "pk_1", apiBaseUrl: null, alias: null });
  assert.ok(apiBaseOf({ report, pageProblem: null, hasUnreadPolicy: false, service }));
});
