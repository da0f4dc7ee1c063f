/** Sessions that events of compatible endpoints share with those of Headwater's own client. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import {
  BROWSER,
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  fresh,
  MINUTE,
  ORIGIN,
  openWorld,
  type TestSource,
  trackEvent,
  type World,
} from "../support/world.ts";

describe("One visitor of Headwater's client and of another tool's", () => {
  const time = drivenClock();
  let world: World;
  let source: TestSource;
  before(async () => {
    world = await openWorld({}, { clock: time.clock });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  const bootstrap = async (anonymousId: string, over: Record<string, unknown> = {}) =>
    (await world.send(bootstrapPath(source), bootstrapBody({ anonymousId, ...over }))).body;
  /** Sends an event of a Segment client, and returns its session. */
  const track = async (anonymousId: string, over: object = {}) => {
    const messageId = fresh("message");
    const timestamp = new Date(time.now()).toISOString();
    const call = { messageId, anonymousId, timestamp, event: "Ordered", ...over };
    const path = `/api/compat/${source.publicKey}/segment/v1/track`;
    const reply = await world.send(path, call);
    assert.equal(reply.body.accepted, 1, reply.text);
    const stored = storedEvents(world.dataDir).find((event) => event.eventId === messageId);
    return String(stored?.sessionId);
  };

  for (const joinSession of [true, false, undefined])
    it(`an event joins the session of a bootstrap with joinSession ${joinSession}, as long as it can be resumed`, async () => {
      const visitor = fresh("visitor");
      const page = { url: `${ORIGIN}/?utm_source=newsletter` };
      const { sessionId } = await bootstrap(visitor, { joinSession, page });
      time.advance(MINUTE);
      const properties = { revenue: 20, currency: "EUR" };
      assert.equal(await track(visitor, { properties }), sessionId);
      time.advance(29 * MINUTE);
      assert.equal(await track(visitor), sessionId, "its own events keep the session alive");
      time.advance(30 * MINUTE);
      assert.notEqual(await track(visitor), sessionId);
    });

  it("an event without a page has the source and the channel of its session's landing page", async () => {
    const visitor = fresh("visitor");
    const page = { url: `${ORIGIN}/?utm_source=newsletter&utm_medium=email` };
    const { sessionId } = await bootstrap(visitor, { page });
    await track(visitor);
    const ownEvent = trackEvent({}, time.now());
    const ownReply = await world.send(
      eventsPath(source),
      eventsBody(sessionId, [ownEvent], { anonymousId: visitor }),
    );
    assert.equal(ownReply.body.accepted, 1, ownReply.text);
    await track(visitor, { context: { page: { url: `${ORIGIN}/cart` } } });
    const visits = storedEvents(world.dataDir)
      .filter((event) => event.anonymousId === visitor)
      .map(({ source, channel }) => [source, channel]);
    assert.deepEqual(visits, [
      ["newsletter", "Email"],
      ["newsletter", "Email"],
      [null, "Direct"],
    ]);
  });

  it("an event joins the session in which the visitor was last active, not the one that was opened last", async () => {
    const visitor = fresh("visitor");
    const first = (await bootstrap(visitor)).sessionId;
    time.advance(MINUTE);
    const second = (await bootstrap(visitor)).sessionId;
    assert.equal(await track(visitor), second);
    time.advance(MINUTE);
    const events = [trackEvent({ anonymousId: visitor }, time.now())];
    await world.send(eventsPath(source), eventsBody(first, events, { anonymousId: visitor }, time.now()));
    assert.equal(await track(visitor), first);
  });

  it("a bootstrap with joinSession joins the session that an event opened; one without does not", async () => {
    const visitor = fresh("visitor");
    const own = await track(visitor, { userId: "ada" });
    time.advance(29 * MINUTE);
    const joined = await bootstrap(visitor, { joinSession: true });
    assert.deepEqual([joined.sessionId, joined.sessionResumed], [own, true]);
    assert.equal(joined.identifiedUserId, null, "it does not reveal the session's user");
    const named = await bootstrap(visitor, { joinSession: true, sessionId: own });
    assert.equal(named.identifiedUserId, "ada");
    assert.notEqual((await bootstrap(visitor)).sessionId, own);
    assert.notEqual((await bootstrap(fresh("visitor"), { joinSession: true })).sessionId, own);
  });

  it("so does one that names a session which has ended, without learning the user", async () => {
    const visitor = fresh("visitor");
    const ended = (await bootstrap(visitor, { joinSession: true })).sessionId;
    time.advance(31 * MINUTE);
    const own = await track(visitor, { userId: "ada" });
    const joined = await bootstrap(visitor, { joinSession: true, sessionId: ended });
    assert.deepEqual([joined.sessionId, joined.sessionResumed, joined.identifiedUserId], [own, true, null]);
    time.advance(31 * MINUTE);
    assert.notEqual((await bootstrap(visitor, { joinSession: true })).sessionId, own);
  });

  it("a visitor without storage is one for both: an event joins the page's session, and the page that of an event", async () => {
    for (const first of ["page", "event"]) {
      const headers = { "user-agent": `${BROWSER} ${first}` };
      const page = async () => {
        const body = bootstrapBody({ anonymousId: "$none" });
        return (await world.send(bootstrapPath(source), body, headers)).body.sessionId;
      };
      const event = async () => {
        const name = fresh("Bought");
        const body = { n: name, u: `${ORIGIN}/` };
        await world.send(`/api/compat/${source.publicKey}/plausible/api/event`, body, headers);
        return storedEvents(world.dataDir).find((one) => one.name === name)?.sessionId;
      };
      const [one, other] = first === "page" ? [await page(), await event()] : [await event(), await page()];
      assert.equal(one, other, first);
    }
  });

  it("events and bootstraps with joinSession that arrive at once share one session", async () => {
    const visitor = fresh("visitor");
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, place) =>
        place % 2 === 0 ? track(visitor) : (await bootstrap(visitor, { joinSession: true })).sessionId,
      ),
    );
    assert.equal(new Set(all).size, 1);
  });

  it("of a visitor with more sessions than are looked at, the latest counts", async () => {
    const visitor = fresh("visitor");
    await Promise.all(Array.from({ length: 40 }, () => bootstrap(visitor)));
    time.advance(MINUTE);
    const { sessionId } = await bootstrap(visitor);
    assert.equal(await track(visitor), sessionId);
  });
});
