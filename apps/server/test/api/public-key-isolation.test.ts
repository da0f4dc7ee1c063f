import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { rowsOf } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  OWNER_TOKEN,
  openWorld,
  outcomesOf,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";

describe("A public key gives access to its own source only", () => {
  let world: World;
  const time = drivenClock();
  before(async () => {
    world = await openWorld({}, { clock: time.clock });
  });
  after(() => world[Symbol.asyncDispose]());

  it("events for a session of another source are 403 invalid_session, and that session does not change", async () => {
    const [mine, theirs] = [await world.createSource(), await world.createSource()];
    const sessionId = await world.openSession(theirs);
    const before = rowsOf(world.dataDir, "select * from sessions where source_id = ?", theirs.sourceId);
    time.advance(1_000);
    const body = eventsBody(sessionId, [trackEvent({}, time.now())], { userId: "mallory" }, time.now());
    refused(await world.send(eventsPath(mine), body), 403, "invalid_session");
    const own = await world.openSession(mine);
    const named = eventsBody(own, [trackEvent({ sessionId }, time.now())], { userId: "mallory" }, time.now());
    assert.deepEqual(outcomesOf(await world.send(eventsPath(mine), named)), ["rejected session_mismatch"]);
    assert.deepEqual(
      rowsOf(world.dataDir, "select * from sessions where source_id = ?", theirs.sourceId),
      before,
    );
  });

  it("a bootstrap does not reveal whether a session of another source exists", async () => {
    const [mine, theirs] = [await world.createSource(), await world.createSource()];
    const sessionId = await world.openSession(theirs, { userId: "victim" });
    const answers = [];
    for (const id of [sessionId, "ses_nobody"]) {
      const { body, headers } = await world.send(bootstrapPath(mine), bootstrapBody({ sessionId: id }));
      const { attemptId: _attempt, sessionId: made, ...rest } = body;
      assert.notEqual(made, id);
      answers.push([rest, [...headers.keys()]]);
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  it("a public key is not accepted as a token, nor a token as a public key", async () => {
    const source = await world.createSource();
    refused(await world.ask("/api/organizations", { token: source.publicKey }), 401, "invalid_token");
    refused(
      await world.send(bootstrapPath({ publicKey: OWNER_TOKEN }), bootstrapBody()),
      404,
      "unknown_public_key",
    );
    refused(
      await world.send(bootstrapPath({ publicKey: source.sourceId }), bootstrapBody()),
      404,
      "unknown_public_key",
    );
  });
});
