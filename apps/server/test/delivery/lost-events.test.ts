/** Events that a client reports as lost are stored with the event that reports them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLost } from "../../src/ingest/lost-events.ts";
import { openVisit } from "../install/visit.ts";
import { storedEvent } from "../ledger/reader.ts";
import { drivenClock, eventsBody, eventsPath, outcomesOf, trackEvent } from "../support/world.ts";

const time = drivenClock();
const now = time.now();
const { world, source, sessionId } = await openVisit({ options: { clock: time.clock } });

const SEQUENCE = "0123456789abcdef0123456789abcdef";
const idOf = (number: number) => `${SEQUENCE}~${999_999 + number}`;
const entry = (cause: string, number: number, at = now - 1_000) => `${cause},event.${at}${idOf(number)}`;
const lostOf = (number: number, cause: string, at = now - 1_000) => ({
  eventId: idOf(number),
  occurredAt: new Date(at).toISOString(),
  cause,
});

describe("The member `lost` of an event", () => {
  async function stored(lost: unknown, sentAt = now) {
    const event = trackEvent({ lost }, now);
    const body = eventsBody(sessionId, [event], { sentAt: new Date(sentAt).toISOString() }, now);
    assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body)), ["accepted"]);
    return storedEvent(world.dataDir, event.id).lost;
  }

  it("is stored with the time of each event, whatever the client writes before it", async () => {
    const lost = ["", entry("queue_full", 1), `too_old,headwater.pk_1.event.${now}${idOf(2)}`].join();
    assert.deepEqual(await stored(lost), [lostOf(1, "queue_full"), lostOf(2, "too_old", now)]);
  });

  it("may have the code of a rejected event", async () => {
    assert.deepEqual(await stored(entry("plan_violation", 3)), [lostOf(3, "plan_violation")]);
  });

  it("has its times corrected by the clock's skew, as those of events", async () => {
    const lost = entry("too_old", 4, now - 3_601_000);
    assert.deepEqual(await stored(lost, now - 3_600_000), [lostOf(4, "too_old")]);
  });

  it("is read in a time that grows with its length only", () => {
    const msOf = (text: string) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const { user } = process.cpuUsage();
          readLost(text, () => now);
          return process.cpuUsage({ user, system: 0 }).user / 1_000;
        }),
      );
    for (const part of ["a", "event.", "a,event.", "_,a_event.1"]) {
      const [short, long] = [6_000, 60_000].map((length) => part.repeat(length / part.length));
      const [shortMs, longMs] = [msOf(short!), msOf(long!)];
      // a square would be 100 times as much
      assert.ok(longMs < 40 * Math.max(shortMs, 1), `${part}: ${shortMs} ms, ${longMs} ms`);
    }
  });

  it("counts as absent where it is something else", async () => {
    const strange = [
      7,
      {},
      "yes",
      entry("my_cause", 1),
      entry("duplicate_event", 1),
      `too_old,event.${now}${SEQUENCE}`,
      `too_old,event.${now}${idOf(1)}0`,
      entry("too_old", 1, now - 500 * 86_400_000),
      entry("too_old", 1).padStart(60_001, ","),
    ];
    for (const lost of strange) assert.equal(await stored(lost), undefined, String(lost).slice(-80));
  });
});
