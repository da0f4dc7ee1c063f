/** The sample of successful attempts that the debug view lists, and the counts, which include all (docs/api/debug.md). */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  ATTEMPT_QUIET_SUCCESSES_PER_SECOND,
  ATTEMPT_SUCCESS_BURST,
  ATTEMPT_SUCCESSES_PER_SECOND,
  ATTEMPT_SUCCESSES_PER_SECOND_TOTAL,
} from "../../src/debug/sampling.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  fresh,
  openClockedWorldFor,
  SECOND,
  type TestSource,
  trackEvent,
} from "../support/world.ts";

it("The debug view lists fifty successes of a source at once, then five a second, and counts all of them", async (test) => {
  const world = await openClockedWorldFor(test);
  const source = await world.createSource();
  const send = async (origin?: string) =>
    world.send(bootstrapPath(source), bootstrapBody(), origin === undefined ? {} : { origin });
  const view = async () => (await world.ask(`/api/tracking-sources/${source.sourceId}/debug?limit=200`)).body;
  for (let sent = 0; sent < ATTEMPT_SUCCESS_BURST; sent++) assert.equal((await send()).status, 200);
  assert.deepEqual(
    [(await view()).bootstrapAttempts.length, (await view()).health.last24h.notListed],
    [ATTEMPT_SUCCESS_BURST, 0],
  );
  for (let sent = 0; sent < 10; sent++) assert.equal((await send()).status, 200);
  for (let sent = 0; sent < 10; sent++) assert.equal((await send("https://other.example")).status, 403);
  const { bootstrapAttempts, health } = await view();
  const listed = (status: number) =>
    bootstrapAttempts.filter(({ httpStatus }: { httpStatus: number }) => httpStatus === status).length;
  assert.deepEqual([listed(200), listed(403)], [ATTEMPT_SUCCESS_BURST, 10]);
  assert.deepEqual([health.last24h.failed, health.last24h.notListed], [10, 10]);
  world.advance(SECOND);
  for (let sent = 0; sent < ATTEMPT_SUCCESSES_PER_SECOND + 1; sent++) await send();
  assert.equal((await view()).health.last24h.notListed, 11);
});

it("The debug view lists an accepted attempt that violates the tracking plan, however busy its source is", async (test) => {
  const world = await openClockedWorldFor(test);
  const source = await world.createSource();
  const plan = { mode: "warn", unknownEvents: "warn", events: { known: { schema: {} } } };
  const path = `/api/tracking-sources/${source.sourceId}`;
  assert.equal((await world.ask(`${path}/plan`, { method: "PUT", body: { plan } })).status, 200);
  const sessionId = await world.openSession(source);
  const send = (name: string) =>
    world.send(eventsPath(source), eventsBody(sessionId, [trackEvent({ name })]));
  for (let sent = 0; sent < ATTEMPT_SUCCESS_BURST + 10; sent++) await send("known");
  await send("unknown");
  await send("known");
  const { body } = await world.ask(`${path}/debug?limit=1`);
  const [{ outcome, results }] = body.eventAttempts;
  assert.equal(outcome, "succeeded");
  assert.ok(results[0].warnings.includes("plan_violation"));
});

it("The debug view leaves room beside busy sources for one that had no success for a while", async (test) => {
  const world = await openClockedWorldFor(test);
  const sendAll = async (source: TestSource) => {
    for (let sent = 0; sent < ATTEMPT_SUCCESSES_PER_SECOND; sent++)
      assert.equal((await world.send(bootstrapPath(source), bootstrapBody())).status, 200);
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
    return [body.bootstrapAttempts.length, body.health.last24h.notListed];
  };
  const ofBusySources = ATTEMPT_SUCCESSES_PER_SECOND_TOTAL - ATTEMPT_QUIET_SUCCESSES_PER_SECOND;
  for (let listed = 0; listed < ofBusySources; listed += ATTEMPT_SUCCESSES_PER_SECOND)
    assert.deepEqual(await sendAll(await world.createSource({ name: fresh("busy") })), [
      ATTEMPT_SUCCESSES_PER_SECOND,
      0,
    ]);
  const quiet = await world.createSource({ name: fresh("quiet") });
  assert.deepEqual(await sendAll(quiet), [1, ATTEMPT_SUCCESSES_PER_SECOND - 1]);
});
