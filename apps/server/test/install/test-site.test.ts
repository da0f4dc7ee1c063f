/** POST …/test: the service tests a page of a user's site (docs/api/install.md). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { InstallCheck } from "@headwater/contract";
import {
  createPublicGuard,
  ForbiddenAddressError,
  PrivateAddressError,
} from "../../src/install-checks/address-guard.ts";
import { createSender } from "../../src/install-checks/send-request.ts";
import { issuesOf, openWorld, refused, type World } from "../support/world.ts";

let world: World;
let sourceId: string;
before(async () => {
  world = await openWorld();
  ({ sourceId } = await world.createSource());
});
after(() => world[Symbol.asyncDispose]());

const testPage = (url: string, token?: string) =>
  world.ask(`/api/tracking-sources/${sourceId}/test`, {
    method: "POST",
    body: { url },
    ...(token ? { token } : {}),
  });

async function startPrivatePage() {
  const requested: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requested.push(url);
    response.end("<!doctype html>private");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { requested, port, [Symbol.dispose]: () => void server.close() };
}

test("A page without the snippet: each check is answered, and what is wrong has a hint.", async () => {
  const reply = await testPage(`${world.url}/docs`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.isWorking, false);
  const byName = new Map((reply.body.checks as InstallCheck[]).map((check) => [check.check, check]));
  assert.equal(byName.get("page")?.status, "ok");
  assert.equal(byName.get("snippet")?.status, "wrong");
  assert.ok(byName.get("snippet")?.hint);
  assert.equal(byName.get("reachable")?.status, "ok", "the service was asked as the page would");
  const debug = await world.ask(`/api/tracking-sources/${sourceId}/debug`);
  const [attempt] = debug.body.bootstrapAttempts;
  assert.deepEqual([attempt.sdkVersion, attempt.outcome], ["headwater-doctor", "test"]);
});

async function assertNotRequested(url: string, reason: RegExp): Promise<void> {
  const { body } = await testPage(url);
  const [page] = body.checks as InstallCheck[];
  assert.deepEqual([page?.check, page?.status], ["page", "wrong"], url);
  assert.match(page?.message ?? "", reason);
}

test("An address of a private network is not requested, whether by number or by name.", async () => {
  using server = await startPrivatePage();
  for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"])
    await assertNotRequested(`http://${host}:${server.port}/`, /private network/);
  await assertNotRequested("http://localhost/", /private network/);
  assert.deepEqual(server.requested, []);
});

test("Other ports than 80 and 443 are not requested, besides the service's own, even after a redirect.", async () => {
  await assertNotRequested("http://example.com:22/", /not requested: .* not 22/);
  await assertNotRequested("https://example.com:8443/", /not requested: .* not 8443/);
  const guard = createPublicGuard(new URL("http://127.0.0.1:8080"));
  assert.throws(() => guard(new URL("https://example.com:8080/")), ForbiddenAddressError);
  for (const url of ["https://example.com/", "http://example.com:443/", "https://example.com:80/"])
    assert.ok(guard(new URL(url)), url);
});

test("The guard lets requests through to the service's own address, and to no other private one.", async () => {
  using own = await startPrivatePage();
  using other = await startPrivatePage();
  const guard = createPublicGuard(new URL(`http://127.0.0.1:${own.port}`));
  const send = createSender(guard, new AbortController().signal);
  assert.equal((await send(`http://127.0.0.1:${own.port}/a`)).status, 200);
  await assert.rejects(send(`http://127.0.0.1:${other.port}/`), PrivateAddressError);
  assert.deepEqual([own.requested, other.requested], [["/a"], []]);
});

test("403: it needs sources:write. 422: the address of a web page.", async () => {
  const viewer = await world.serviceAccount("viewer");
  refused(await testPage(`${world.url}/docs`, viewer.token), 403, "permission_denied");
  assert.deepEqual(issuesOf(await testPage("file:///etc/passwd")), ["url: invalid_value"]);
});
