import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { rowsOf, storedEvent } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  MINUTE,
  openWorld,
  outcomesOf,
  passTime,
  refused,
  SECOND,
  trackEvent,
  type World,
} from "../support/world.ts";

describe("Sessions", () => {
  let world: World;
  const time = drivenClock();
  before(async () => {
    world = await openWorld({}, { clock: time.clock });
  });
  after(() => world[Symbol.asyncDispose]());

  /** A visitor of a new source, who sends several bootstraps. */
  async function visitor() {
    const source = await world.createSource();
    const bootstrap = async (over: Record<string, unknown> = {}) => {
      const reply = await world.send(bootstrapPath(source), bootstrapBody(over));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body;
    };
    const send = (sessionId: string, events: unknown[] = [trackEvent({}, time.now())], over = {}) =>
      world.send(eventsPath(source), eventsBody(sessionId, events, over, time.now()));
    return { source, bootstrap, send };
  }

  it("a duplicate event does not keep its session alive, even in a batch with an accepted event", async () => {
    const { bootstrap, send } = await visitor();
    const { sessionId: first } = await bootstrap();
    const { sessionId: second } = await bootstrap();
    const old = trackEvent({ sessionId: first }, time.now());
    assert.deepEqual(outcomesOf(await send(second, [old])), ["accepted"]);
    time.advance(20 * MINUTE);
    const late = await send(second, [old, trackEvent({}, time.now())]);
    assert.deepEqual(outcomesOf(late), ["duplicate", "accepted"]);
    time.advance(15 * MINUTE);
    assert.equal((await bootstrap({ sessionId: first })).sessionResumed, false);
    assert.equal((await bootstrap({ sessionId: second })).sessionResumed, true);
  });

  it("a bootstrap that resumes a session keeps the newer userId of concurrent events", async () => {
    const { source, bootstrap } = await visitor();
    const { sessionId } = await bootstrap();
    const beside = new DatabaseSync(join(world.dataDir, "ledger.sqlite"));
    beside.exec("begin immediate");
    const events = [trackEvent({}, time.now())];
    const identify = world.send(
      eventsPath(source),
      eventsBody(sessionId, events, { userId: "ada" }, time.now()),
    );
    const resume = bootstrap({ sessionId });
    beside.exec("rollback");
    beside.close();
    assert.deepEqual(outcomesOf(await identify), ["accepted"]);
    await resume;
    assert.equal((await bootstrap({ sessionId })).identifiedUserId, "ada");
  });

  describe("A bootstrap with joinSession and without a session", () => {
    it("joins the session that was opened less than half an hour ago; later it opens one of its own", async () => {
      const { bootstrap } = await visitor();
      const { sessionId } = await bootstrap({ joinSession: true });
      time.advance(30 * MINUTE - 1);
      const joined = await bootstrap({ joinSession: true });
      assert.deepEqual([joined.sessionId, joined.sessionResumed], [sessionId, true]);
      time.advance(1);
      const own = await bootstrap({ joinSession: true });
      assert.deepEqual([own.sessionId === sessionId, own.sessionResumed], [false, false]);
    });

    it("joins the same session when it is repeated minutes later because the answer was lost", async () => {
      const { bootstrap } = await visitor();
      const event = trackEvent({}, time.now());
      const ask = () =>
        bootstrap({
          joinSession: true,
          batchId: "b",
          sentAt: new Date(time.now()).toISOString(),
          events: [event],
        });
      const { sessionId } = await ask();
      time.advance(5 * MINUTE);
      const again = await ask();
      assert.deepEqual([again.sessionId, again.duplicates], [sessionId, 1]);
      assert.equal(storedEvent(world.dataDir, event.id).sessionId, sessionId);
    });

    it("does not reveal the session's user, changes it only to its own userId, and keeps the session alive", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap({ joinSession: true });
      await send(sessionId, [trackEvent({}, time.now())], { userId: "user-2" });
      time.advance(20 * MINUTE);
      assert.equal((await bootstrap({ joinSession: true })).identifiedUserId, null);
      assert.equal((await bootstrap({ sessionId })).identifiedUserId, "user-2");
      assert.equal((await bootstrap({ joinSession: true, userId: "user-3" })).identifiedUserId, "user-3");
      time.advance(20 * MINUTE);
      assert.equal((await bootstrap({ sessionId })).sessionResumed, true);
    });

    it("joins the session that is being opened, even when many come at once", async () => {
      const { bootstrap } = await visitor();
      const all = await Promise.all(Array.from({ length: 20 }, () => bootstrap({ joinSession: true })));
      assert.equal(new Set(all.map(({ sessionId }) => sessionId)).size, 1);
      assert.equal(all.filter(({ sessionResumed }) => !sessionResumed).length, 1);
    });

    it("does not join a session of another visitor or source; without joinSession it opens its own", async () => {
      const { bootstrap } = await visitor();
      const { sessionId } = await bootstrap({ joinSession: true });
      const others = [
        await bootstrap({ joinSession: true, anonymousId: "visitor-2" }),
        await (await visitor()).bootstrap({ joinSession: true }),
        await bootstrap(),
        await bootstrap({ joinSession: false, sessionId: null }),
        await bootstrap({ joinSession: true, sessionId: "ses_nobody" }),
      ];
      for (const other of others) assert.equal(other.sessionResumed, false);
      assert.equal(new Set([sessionId, ...others.map((other) => other.sessionId)]).size, 6);
    });

    it("does not join a session that was opened without joinSession", async () => {
      const { bootstrap } = await visitor();
      const { sessionId } = await bootstrap({ userId: "user-1" });
      const other = await bootstrap({ joinSession: true });
      assert.deepEqual([other.sessionId === sessionId, other.sessionResumed], [false, false]);
      assert.equal(other.identifiedUserId, null);
      await bootstrap();
      assert.equal((await bootstrap({ joinSession: true })).sessionId, other.sessionId);
    });

    it("stores its events in the session that it joins", async () => {
      const { bootstrap } = await visitor();
      const batch = () => ({ joinSession: true, batchId: "b", sentAt: new Date(time.now()).toISOString() });
      const events = [trackEvent({}, time.now()), trackEvent({}, time.now())];
      const answers = await Promise.all(events.map((event) => bootstrap({ ...batch(), events: [event] })));
      for (const [index, event] of events.entries()) {
        assert.equal(storedEvent(world.dataDir, event.id).sessionId, answers[index].sessionId);
        assert.equal(answers[index].sessionId, answers[0].sessionId);
      }
    });
  });

  describe("Bootstrap resumes a session of this source and this visitor", () => {
    it("that was idle for less than 30 minutes", async () => {
      const { bootstrap } = await visitor();
      const { sessionId } = await bootstrap();
      time.advance(30 * MINUTE - 1);
      const again = await bootstrap({ sessionId });
      assert.deepEqual([again.sessionResumed, again.sessionId], [true, sessionId]);
      time.advance(30 * MINUTE);
      const later = await bootstrap({ sessionId });
      assert.equal(later.sessionResumed, false);
      assert.notEqual(later.sessionId, sessionId);
    });

    it("that started less than 24 hours ago", async () => {
      const { bootstrap } = await visitor();
      const { sessionId } = await bootstrap();
      for (let minutes = 0; minutes < 24 * 60 - 20; minutes += 20) {
        time.advance(20 * MINUTE);
        assert.equal((await bootstrap({ sessionId })).sessionResumed, true);
      }
      time.advance(20 * MINUTE - 1);
      assert.equal((await bootstrap({ sessionId })).sessionResumed, true);
      time.advance(1);
      assert.equal((await bootstrap({ sessionId })).sessionResumed, false);
    });

    it("sessionExpiresAt is the earlier of last activity + 30 minutes and start + 24 hours", async () => {
      const { bootstrap } = await visitor();
      const startedAt = time.now();
      const { sessionId } = await bootstrap();
      const expiry = async () => Date.parse((await bootstrap({ sessionId })).sessionExpiresAt);
      for (let minutes = 0; minutes < 24 * 60 - 40; minutes += 20) {
        time.advance(20 * MINUTE);
        assert.equal(await expiry(), time.now() + 30 * MINUTE);
      }
      time.advance(20 * MINUTE);
      assert.equal(await expiry(), startedAt + 24 * HOUR);
    });

    it("accepted events count as activity; rejected and duplicate ones do not", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      const event = trackEvent({}, time.now());
      time.advance(20 * MINUTE);
      await send(sessionId, [event]);
      time.advance(20 * MINUTE);
      assert.deepEqual(outcomesOf(await send(sessionId, [event, trackEvent({ type: "odd" }, time.now())])), [
        "duplicate",
        "rejected unsupported_event_type",
      ]);
      time.advance(10 * MINUTE - 1);
      assert.equal((await bootstrap({ sessionId })).sessionResumed, true);
      time.advance(30 * MINUTE);
      await send(sessionId, [event]);
      assert.equal((await bootstrap({ sessionId })).sessionResumed, false);
    });

    it("expired, foreign and malformed session ids are not an error, and all are answered alike", async () => {
      const { bootstrap } = await visitor();
      const stranger = await visitor();
      const foreign = (await stranger.bootstrap()).sessionId;
      const others = (await bootstrap({ anonymousId: "visitor-2" })).sessionId;
      const ids = [
        "ses_nobody",
        "",
        "x".repeat(10_000),
        "'; drop table sessions; --",
        "\u0000",
        foreign,
        others,
      ];
      const shapes = new Set<string>();
      for (const sessionId of ids) {
        const answer = await bootstrap({ sessionId });
        assert.equal(answer.sessionResumed, false);
        assert.ok(!ids.includes(answer.sessionId));
        shapes.add(JSON.stringify(Object.keys(answer)));
      }
      assert.equal(shapes.size, 1);
    });

    it("even after a restart and after a rotation of the key", async () => {
      const clock = drivenClock();
      const first = await openWorld({}, { clock: clock.clock });
      const source = await first.createSource();
      const sessionId = await first.openSession(source);
      clock.advance(29 * MINUTE);
      await first.send(
        eventsPath(source),
        eventsBody(sessionId, [trackEvent({}, clock.now())], {}, clock.now()),
      );
      await first.close();
      await using second = await openWorld({}, { clock: clock.clock }, first.dataDir);
      const path = `/api/tracking-sources/${source.sourceId}/regenerate-key`;
      const rotated = (await second.ask(path, { method: "POST" })).body;
      clock.advance(29 * MINUTE);
      const again = await second.send(bootstrapPath(rotated), bootstrapBody({ sessionId }));
      assert.deepEqual([again.body.sessionResumed, again.body.sessionId], [true, sessionId]);
    });
  });

  describe("identifiedUserId", () => {
    it("is the request's userId, else the session's; a later userId in events updates it", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      const identified = async (userId?: string) => (await bootstrap({ sessionId, userId })).identifiedUserId;
      assert.equal(await identified(), null);
      assert.equal(await identified("user-1"), "user-1");
      assert.equal(await identified(), "user-1");
      await send(sessionId, undefined, { userId: "user-2" });
      assert.equal(await identified(), "user-2");
      await send(sessionId, [trackEvent({ type: "odd" }, time.now())], { userId: "user-3" });
      assert.equal(await identified(), "user-2", "nothing of that batch was accepted");
      assert.equal((await bootstrap()).identifiedUserId, null, "a new session holds nobody");
    });
  });

  describe("Events of a session", () => {
    it("are accepted while it is idle for at most 24 hours; then they are 403 session_expired", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      time.advance(24 * HOUR);
      assert.deepEqual(outcomesOf(await send(sessionId)), ["accepted"]);
      time.advance(24 * HOUR + 1);
      refused(await send(sessionId), 403, "session_expired");
    });

    it("are accepted up to 8 days after its start; then they are 403 session_expired", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      for (let day = 0; day < 8; day += 1) {
        time.advance(DAY);
        assert.deepEqual(outcomesOf(await send(sessionId)), ["accepted"]);
      }
      time.advance(1);
      refused(await send(sessionId), 403, "session_expired");
    });

    it("of an unknown session or one of another source are 403 invalid_session, and nothing is stored", async () => {
      const { source, send } = await visitor();
      const foreign = (await (await visitor()).bootstrap()).sessionId;
      for (const sessionId of ["ses_nobody", foreign]) refused(await send(sessionId), 403, "invalid_session");
      assert.deepEqual(rowsOf(world.dataDir, "select * from usage where source_id = ?", source.sourceId), []);
    });

    it("that name another session of the source are stored in it and keep it alive", async () => {
      const { bootstrap, send } = await visitor();
      const own = (await bootstrap()).sessionId;
      const batch = (await bootstrap()).sessionId;
      const event = trackEvent({ sessionId: own }, time.now());
      time.advance(20 * MINUTE);
      assert.deepEqual(outcomesOf(await send(batch, [event])), ["accepted"]);
      assert.equal(storedEvent(world.dataDir, event.id).sessionId, own);
      time.advance(20 * MINUTE);
      assert.equal((await bootstrap({ sessionId: own })).sessionResumed, true);
    });

    it("that name a session of no or another source are rejected with session_mismatch", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      const foreign = (await (await visitor()).bootstrap()).sessionId;
      const named = (id: string | null) => trackEvent({ sessionId: id }, time.now());
      const events = [named("ses_nobody"), named(foreign), named(sessionId), named(null)];
      const wanted = ["rejected session_mismatch", "rejected session_mismatch", "accepted", "accepted"];
      assert.deepEqual(outcomesOf(await send(sessionId, events)), wanted);
    });

    it("are stored with their own anonymousId, and a warning when it differs from the session's", async () => {
      const { bootstrap, send } = await visitor();
      const { sessionId } = await bootstrap();
      const events = [
        trackEvent({}, time.now()),
        trackEvent({ anonymousId: "visitor-1" }, time.now()),
        trackEvent({ anonymousId: "visitor-2" }, time.now()),
      ];
      const { body } = await send(sessionId, events);
      const warnings = body.results.map((result: { warnings: string[] }) => result.warnings);
      assert.deepEqual(warnings, [[], [], ["anonymous_id_mismatch"]]);
      const stored = events.map((event) => storedEvent(world.dataDir, event.id).anonymousId);
      assert.deepEqual(stored, ["visitor-1", "visitor-1", "visitor-2"]);
    });
  });

  it("sessions are deleted 9 days after their last activity, and not before", async () => {
    // other tests move the clock by more than a day at once: the service trusts it again after a day's rounds of an hour
    await passTime(world, time, 13 * DAY);
    const { bootstrap } = await visitor();
    const { sessionId } = await bootstrap();
    const held = () => rowsOf(world.dataDir, "select * from sessions where session_id = ?", sessionId).length;
    await passTime(world, time, 9 * DAY);
    assert.equal(held(), 1);
    time.advance(SECOND);
    await world.server.maintain();
    assert.equal(held(), 0);
  });
});
