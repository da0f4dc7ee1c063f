/** Requests of the doctor count nowhere: the debug list has them, with the outcome `test` (docs/api/install.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  openWorld,
  trackEvent,
  type World,
} from "../support/world.ts";

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const DOCTOR = { "user-agent": "headwater-doctor" };
const debugOf = async (sourceId: string, query = "") =>
  (await world.ask(`/api/tracking-sources/${sourceId}/debug${query}`)).body;

/** As the doctor asks: once as a page of an allowed origin, once as a page of another one. */
async function ask(source: { publicKey: string }): Promise<void> {
  const body = { ingestVersion: 2, sdkVersion: "headwater-doctor" };
  assert.equal((await world.send(bootstrapPath(source), body, DOCTOR)).body.code, "invalid_payload");
  const elsewhere = { ...DOCTOR, origin: "https://wrong.example" };
  assert.equal((await world.send(bootstrapPath(source), body, elsewhere)).body.code, "origin_not_allowed");
}

test("A new source that was tested goes on waiting, without a count and a problem.", async () => {
  const source = await world.createSource();
  await ask(source);
  const { health, requestGroups, bootstrapAttempts } = await debugOf(source.sourceId);
  assert.deepEqual([health.status, health.lastBootstrapAt, health.topCodes], ["waiting", null, []]);
  assert.deepEqual(Object.values(health.last24h), [0, 0, 0, 0, 0, 0]);
  assert.ok(requestGroups.every(({ code }: { code: string | null }) => code === null));
  assert.deepEqual(
    bootstrapAttempts.map(({ outcome, code }: { outcome: string; code: string }) => [outcome, code]),
    [
      ["test", "origin_not_allowed"],
      ["test", "invalid_payload"],
    ],
  );
  const { steps } = (await world.ask(`/api/onboarding?organizationId=${world.organizationId}`)).body;
  assert.equal(steps.firstBootstrap.done, false);
});

test("The debug list is filtered by the outcome `test`, and a filter by code finds no test.", async () => {
  const source = await world.createSource();
  await ask(source);
  await world.send(bootstrapPath(source), bootstrapBody(), { origin: "https://wrong.example" });
  const tests = await debugOf(source.sourceId, "?outcome=test");
  assert.equal(tests.bootstrapAttempts.length, 2);
  const refused = await debugOf(source.sourceId, "?code=origin_not_allowed");
  assert.deepEqual(
    refused.bootstrapAttempts.map(({ outcome }: { outcome: string }) => outcome),
    ["failed"],
  );
});

test("What is accepted under the doctor's name counts: only refused requests are tests.", async () => {
  const source = await world.createSource();
  const opened = await world.send(bootstrapPath(source), bootstrapBody(), DOCTOR);
  const body = eventsBody(opened.body.sessionId, [trackEvent()]);
  assert.equal((await world.send(eventsPath(source), body, DOCTOR)).body.accepted, 1);
  const { health } = await debugOf(source.sourceId);
  assert.deepEqual([health.status, health.last24h.accepted], ["receiving", 1]);
});
