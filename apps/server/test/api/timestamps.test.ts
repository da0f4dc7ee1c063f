import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvent, storedEvents } from "../ledger/reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  issuesOf,
  MINUTE,
  outcomesOf,
  SECOND,
  trackEvent,
} from "../support/world.ts";

const iso = (at: number) => new Date(at).toISOString();

const time = drivenClock();
const now = time.now();
const { world, source, sessionId } = await openVisit({ options: { clock: time.clock } });

describe("Times of events", () => {
  const send = (timestamp: unknown, sentAt: unknown = iso(now)) => {
    const event = trackEvent({ timestamp });
    return world.send(eventsPath(source), eventsBody(sessionId, [event], { sentAt }));
  };
  /** The stored form of the event that was just sent. */
  async function stored(timestamp: string, sentAt?: string) {
    const reply = await send(timestamp, sentAt);
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    const [result] = reply.body.results;
    const event = storedEvent(world.dataDir, result.eventId);
    return { ...event, warnings: result.warnings };
  }

  describe("ISO 8601 date-times are accepted in every spelling", () => {
    const spellings: [given: string, means: string, warnings?: string[]][] = [
      ["2026-11-21T11:22:33.444Z", "2026-11-21T11:22:33.444Z"],
      ["2026-11-21T11:22:33Z", "2026-11-21T11:22:33.000Z"],
      ["2026-11-21T11:22Z", "2026-11-21T11:22:00.000Z"],
      ["2026-11-21T11:22:33.4Z", "2026-11-21T11:22:33.400Z"],
      ["2026-11-21T11:22:33,444Z", "2026-11-21T11:22:33.444Z"],
      ["2026-11-21T11:22:33.444999999Z", "2026-11-21T11:22:33.444Z"],
      ["2026-11-21T13:22:33.444+02:00", "2026-11-21T11:22:33.444Z"],
      ["2026-11-21T13:22:33.444+0200", "2026-11-21T11:22:33.444Z"],
      ["2026-11-21T13:22:33+02", "2026-11-21T11:22:33.000Z"],
      ["2026-11-21T05:52:33-05:30", "2026-11-21T11:22:33.000Z"],
      ["2026-11-21t11:22:33z", "2026-11-21T11:22:33.000Z"],
      ["2026-11-21 11:22:33Z", "2026-11-21T11:22:33.000Z"],
      ["2026-11-20T23:59:60Z", "2026-11-21T00:00:00.000Z"],
      ["2026-11-20T24:00:00.000Z", "2026-11-21T00:00:00.000Z"],
      ["2026-11-20T24:00Z", "2026-11-21T00:00:00.000Z"],
      ["20261121T112233Z", "2026-11-21T11:22:33.000Z"],
      ["20261121t112233,5z", "2026-11-21T11:22:33.500Z"],
      ["20261121T1322+0200", "2026-11-21T11:22:00.000Z"],
      ["2026-11-21T11Z", "2026-11-21T11:00:00.000Z"],
      ["2026-11-21T05:52:33\u221205:30", "2026-11-21T11:22:33.000Z"],
      ["2026-W47-6T11:22:33Z", "2026-11-21T11:22:33.000Z"],
      ["2026W476T112233Z", "2026-11-21T11:22:33.000Z"],
      ["2026-325T11:22:33Z", "2026-11-21T11:22:33.000Z"],
      ["2026325T112233", "2026-11-21T11:22:33.000Z", ["timezone_assumed"]],
      ["2026-11-21T11:22:33", "2026-11-21T11:22:33.000Z", ["timezone_assumed"]],
      ["2026-11-21T11:22:33+01:00[Europe/Berlin]", "2026-11-21T10:22:33.000Z"],
      ["20261121T112233.5Z[!America/Argentina/ComodRivadavia][u-ca=iso8601]", "2026-11-21T11:22:33.500Z"],
      ["2026-11-21T11:22:33.444", "2026-11-21T11:22:33.444Z", ["timezone_assumed"]],
    ];
    for (const [given, means, warnings = []] of spellings) {
      it(given, async () => {
        const event = await stored(given);
        assert.deepEqual([event.occurredAt, event.timestamp, event.warnings], [means, given, warnings]);
      });
    }
  });

  describe("422 invalid_timestamp: text that is not a date-time, or a day or an hour that does not exist", () => {
    const wrong = [
      "yesterday",
      "1700000000000",
      "2026-11-21",
      "2026-11",
      "2026-02-30T00:00:00Z",
      "2025-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-10T00:00:00Z",
      "2026-11-00T00:00:00.000Z",
      "2026-11-31T00:00:00.000Z",
      "2026-11-21T24:00:01Z",
      "2026-11-21T24:01:00Z",
      "2026-11-21T24:00:00.001Z",
      "2026-11-21T25:00:00.000Z",
      "2026-11-21T23:60:00Z",
      "2026-11-21T23:59:61.000Z",
      "2026-11-21T23:59:59+24:00",
      "2026-11-21T11:22:33.Z",
      "2026-11-21T11:22:33Z ",
      "+275760-09-13T00:00:00.000Z",
      "275760-09-13T00:00:00Z",
      "2026-1121T11:22:33Z",
      "202611-21T11:22:33Z",
      "2026-11-21T11:2233Z",
      "2026-11-21T1122:33Z",
      "2026-11-21T11:22:33+02:",
      "2026-11-21T11.5Z",
      "2026-W54-1T11:22:33Z",
      "2025-W53-1T11:22:33Z",
      "2026-W00-1T11:22:33Z",
      "2026-W47-8T11:22:33Z",
      "2026-W47T11:22:33Z",
      "2026-366T11:22:33Z",
      "2026-000T11:22:33Z",
      "2026-11-21_11:22:33Z",
      "2026-11-21T11:22:33[Europe/Berlin]",
      "2026-11-21T11:22:33Z[]",
      "2026-11-21T11:22:33Z[Europe/Berlin",
      "Sat, 21 Nov 2026 11:22:33 GMT",
      `2026-11-21T11:22:33.${"4".repeat(100_000)}Z`,
      "２０２６-11-21T11:22:33Z",
    ];
    for (const timestamp of wrong) {
      it(timestamp.slice(0, 40), async () => {
        assert.deepEqual(issuesOf(await send(timestamp)), ["events.0.timestamp: invalid_timestamp"]);
        assert.deepEqual(issuesOf(await send(iso(now), timestamp)), ["sentAt: invalid_timestamp"]);
      });
    }

    it("numbers, null, lists and empty text have other issue codes", async () => {
      for (const value of [1_700_000_000_000, null, ["2026-11-21T00:00:00Z"], true]) {
        assert.deepEqual(issuesOf(await send(value)), ["events.0.timestamp: invalid_type"]);
        assert.deepEqual(issuesOf(await send(iso(now), value)), ["sentAt: invalid_type"]);
      }
      assert.deepEqual(issuesOf(await send("", "")), ["events.0.timestamp: too_short", "sentAt: too_short"]);
    });
  });

  describe("Clock skew", () => {
    for (const sign of [1, -1]) {
      const side = sign === 1 ? "behind" : "ahead";
      it(`of exactly 30 seconds is not corrected: a client that is ${side}`, async () => {
        const event = await stored(iso(now - HOUR), iso(now - sign * 30 * SECOND));
        assert.equal(event.occurredAt, iso(now - HOUR));
      });

      it(`of more than 30 seconds is corrected, and the raw timestamp is stored too: a client that is ${side}`, async () => {
        const skew = sign * (30 * SECOND + 1);
        const event = await stored(iso(now - HOUR - skew), iso(now - skew));
        assert.deepEqual([event.occurredAt, event.timestamp], [iso(now - HOUR), iso(now - HOUR - skew)]);
      });
    }

    it("of a clock that is more than 24 hours behind is corrected, unless the batch waited", async () => {
      assert.deepEqual((await stored(iso(now - DAY), iso(now - DAY))).warnings, []);
      for (const behind of [DAY + 1, 25 * HOUR, 30 * DAY, 399 * DAY, 50 * 365 * DAY])
        for (const [at, expected] of [
          [now - behind - HOUR, now - HOUR],
          [now - behind, now],
          [now - behind + 30 * SECOND, now + 30 * SECOND],
        ] as const) {
          const event = await stored(iso(at), iso(now - behind));
          assert.deepEqual([event.occurredAt, event.warnings], [iso(expected), ["sent_at_unreliable"]]);
        }
      const waited = await stored(iso(now - 11 * DAY), iso(now - MINUTE));
      assert.deepEqual([waited.occurredAt, waited.warnings], [iso(now - 11 * DAY + MINUTE), []]);
    });

    it("of more than 24 hours is not corrected when the timestamp is plausible, and marked sent_at_unreliable", async () => {
      for (const [at, sentAt, over = []] of [
        [now - MINUTE, now - 30 * DAY],
        [now - MINUTE, now + 30 * DAY],
        [now - 400 * DAY, now + 2 * DAY, ["old_event"]],
      ] as [number, number, string[]?][]) {
        const event = await stored(iso(at), iso(sentAt));
        assert.deepEqual([event.occurredAt, event.warnings], [iso(at), ["sent_at_unreliable", ...over]]);
      }
      const ahead = await stored(iso(now + DAY), iso(now - 2 * DAY));
      assert.deepEqual(ahead.warnings, ["sent_at_unreliable", "timestamp_clamped"]);
    });

    it("of more than 24 hours is corrected when the timestamp is impossible", async () => {
      const slow = await stored(iso(now - 401 * DAY), iso(now - 401 * DAY));
      assert.deepEqual([slow.occurredAt, slow.warnings], [iso(now), ["sent_at_unreliable"]]);
      const fast = await stored(iso(now + 2 * DAY), iso(now + 2 * DAY));
      assert.deepEqual([fast.occurredAt, fast.warnings], [iso(now), ["sent_at_unreliable"]]);
      const years = await stored("1999-12-31T23:59:00.000Z", "2000-01-01T00:00:00.000Z");
      assert.deepEqual([years.occurredAt, years.warnings], [iso(now - MINUTE), ["sent_at_unreliable"]]);
    });

    it("of the largest and smallest times causes no error", async () => {
      for (const [timestamp, sentAt] of [
        ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
        ["9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z"],
        ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"],
        ["9999-12-31T23:59:59.999-23:59", "9999-12-31T23:59:59.999+23:59"],
      ]) {
        const reply = await send(timestamp, sentAt);
        assert.match(outcomesOf(reply)[0]!, /^(accepted|rejected timestamp_(too_old|in_future))$/);
      }
    });
  });

  describe("The age of an event", () => {
    it("up to 5 minutes in the future is stored unchanged", async () => {
      const event = await stored(iso(now + 5 * MINUTE));
      assert.deepEqual([event.occurredAt, event.warnings], [iso(now + 5 * MINUTE), []]);
    });

    it("5 minutes to 24 hours in the future is set to receivedAt, with a warning", async () => {
      for (const ahead of [5 * MINUTE + 1, DAY]) {
        const event = await stored(iso(now + ahead));
        assert.deepEqual([event.occurredAt, event.warnings], [iso(now), ["timestamp_clamped"]]);
        assert.equal(event.timestamp, iso(now + ahead));
      }
    });

    it("more than 24 hours in the future is rejected with timestamp_in_future", async () => {
      assert.deepEqual(outcomesOf(await send(iso(now + DAY + 1))), ["rejected timestamp_in_future"]);
    });

    it("400 days is accepted, more is rejected with timestamp_too_old; beyond the dedup window it has a warning", async () => {
      for (const [age, warnings] of [
        [12 * DAY, []],
        [12 * DAY + 1, ["old_event"]],
        [400 * DAY, ["old_event"]],
      ] as const) {
        const event = await stored(iso(now - age));
        assert.deepEqual([event.occurredAt, event.warnings], [iso(now - age), warnings]);
      }
      assert.deepEqual(outcomesOf(await send(iso(now - 400 * DAY - 1))), ["rejected timestamp_too_old"]);
    });

    it("beyond the retentionDays of the source is rejected with timestamp_too_old", async () => {
      const short = await world.createSource({ retentionDays: 30 });
      const day = Math.floor(now / DAY);
      const events = [day - 30, day - 31].map((at) => trackEvent({ timestamp: iso(at * DAY + HOUR) }));
      const body = eventsBody(await world.openSession(short), events, { sentAt: iso(now) });
      const reply = await world.send(eventsPath(short), body);
      assert.deepEqual(outcomesOf(reply), ["accepted", "rejected timestamp_too_old"]);
      assert.match(reply.body.results[1].message, /keeps events for 30 days.*retentionDays/);
    });

    it("is checked after the skew correction", async () => {
      const wrongBy = DAY;
      assert.equal((await stored(iso(now + wrongBy), iso(now + wrongBy))).occurredAt, iso(now));
      const old = await send(iso(now - 400 * DAY + wrongBy - 1), iso(now + wrongBy));
      assert.deepEqual(outcomesOf(old), ["rejected timestamp_too_old"]);
    });

    it("a rejected event is not stored; the others of its batch are", async () => {
      const events = [DAY + 1, 0, -400 * DAY - 1].map((at) => trackEvent({ timestamp: iso(now + at) }));
      const body = eventsBody(sessionId, events, { sentAt: iso(now) });
      const wanted = ["rejected timestamp_in_future", "accepted", "rejected timestamp_too_old"];
      assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body)), wanted);
      const ids = storedEvents(world.dataDir).map((event) => event.eventId);
      assert.deepEqual(
        events.map((event) => ids.includes(event.id)),
        [false, true, false],
      );
    });
  });

  it("events in a bootstrap follow the same rules", async () => {
    const sentAt = iso(now - HOUR);
    const events = [iso(now - 2 * HOUR), iso(now - 401 * DAY)].map((timestamp) => trackEvent({ timestamp }));
    const body = bootstrapBody({ events, sentAt, batchId: "first" });
    const reply = await world.send(bootstrapPath(source), body);
    assert.deepEqual(outcomesOf(reply), ["accepted", "rejected timestamp_too_old"]);
    assert.equal(storedEvent(world.dataDir, events[0]!.id).occurredAt, iso(now - HOUR));
  });
});
