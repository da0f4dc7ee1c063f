/** The operator is told when an event name has stopped that came on each such weekday, once, and when it comes again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenAlert } from "@headwater/contract";
import { type EventDays, findStoppedEvents } from "../../src/alerts/stopped-events.ts";
import { randomFrom } from "../stats/generated.ts";
import { openWebhook } from "../support/webhook.ts";
import {
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  openWorld,
  type TestSource,
  trackEvent,
  type World,
} from "../support/world.ts";

/** A Monday. */
const MONDAY = Date.UTC(2026, 9, 5) / DAY;
const isWeekend = (day: number) => (day - MONDAY) % 7 >= 5;
const range = (length: number) => Array.from({ length }, (_, index) => index);

interface Habit {
  readonly name: string;
  /** Events of a weekday, and of a day at the weekend. */
  readonly usual: readonly [weekday: number, weekend: number];
  /** The name is new on this day. */
  readonly firstDay?: number;
  /** It has none from this day on. */
  readonly stopsOn?: number;
}

/** A holiday has one event in a hundred. */
const HOLIDAY_SHARE = 0.01;

/** The catalogue at the end of `until`, of days that vary by up to a quarter. */
function catalogueOf(habits: readonly Habit[], until: number, random: () => number, holiday?: number) {
  return habits.flatMap(({ name, usual, firstDay = 0, stopsOn = Number.POSITIVE_INFINITY }): EventDays[] => {
    const counts = range(until + 1).map((offset) => {
      const [weekday, weekend] = usual;
      const mean = isWeekend(MONDAY + offset) ? weekend : weekday;
      const isOff = offset < firstDay || offset >= stopsOn;
      const share = (0.75 + random() / 2) * (offset === holiday ? HOLIDAY_SHARE : 1);
      return [String(MONDAY + offset), isOff ? 0 : Math.round(mean * share)] as const;
    });
    const days = Object.fromEntries(counts.filter(([, count]) => count > 0));
    const last = Object.keys(days).at(-1);
    return last === undefined ? [] : [{ name, days, lastSeenAt: (Number(last) + 0.5) * DAY }];
  });
}

const SHOP: readonly Habit[] = [
  { name: "page_view", usual: [400, 60] },
  { name: "order", usual: [60, 0] },
  { name: "lead", usual: [40, 3] },
  { name: "rare", usual: [4, 4], stopsOn: 30 },
  { name: "fresh", usual: [90, 90], firstDay: 23, stopsOn: 30 },
];
const stoppedOn = (habits: readonly Habit[], offset: number, seed: number, holiday?: number) =>
  findStoppedEvents(catalogueOf(habits, offset, randomFrom(seed), holiday), MONDAY + offset);

describe("An event name has stopped", () => {
  it("on no ordinary day, weekend or holiday, however new or rare a name is that stays away", () => {
    for (const seed of range(40)) {
      for (const offset of range(56)) assert.deepEqual(stoppedOn(SHOP, offset, seed), [], `day ${offset}`);
      // a Friday, and the days after it
      for (const offset of [46, 47, 48, 49, 53])
        assert.deepEqual(stoppedOn(SHOP, offset, seed, 46), [], `day ${offset}, after a holiday`);
    }
  });

  it("on the first weekday without it, whatever else stops on that day, and not on the weekend before", () => {
    for (const seed of range(40))
      for (const [first, names] of [
        [37, ["order"]],
        [38, ["lead", "order"]],
        [35, ["page_view"]],
      ] as const) {
        const habits = SHOP.map((habit) =>
          names.some((name) => name === habit.name) ? { ...habit, stopsOn: first } : habit,
        );
        assert.deepEqual(stoppedOn(habits, first - 1, seed), []);
        assert.deepEqual(stoppedOn(habits, first, seed).toSorted(), names);
      }
  });

  it("when all names of a source were replaced, and not when the whole source is quiet", () => {
    const renamed = [
      { name: "old", usual: [50, 50], stopsOn: 30 },
      { name: "new", usual: [50, 50], firstDay: 30 },
    ] as const;
    assert.deepEqual(stoppedOn(renamed, 30, 1), ["old"]);
    const quiet = SHOP.map((habit) => ({ ...habit, stopsOn: 30 }));
    assert.deepEqual(stoppedOn(quiet, 30, 1), []);
  });
});

describe("The alert of a stopped event name", () => {
  const time = drivenClock(MONDAY * DAY);

  async function send(world: World, source: TestSource, offset: number, names: Record<string, number>) {
    const noon = (MONDAY + offset) * DAY + DAY / 2;
    time.advance(noon - time.now());
    const sessionId = await world.openSession(source);
    const events = Object.entries(names).flatMap(([name, count]) =>
      range(count).map(() => trackEvent({ name }, time.now())),
    );
    const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events, {}, time.now()));
    assert.equal(body.accepted, events.length, JSON.stringify(body));
    // the first round stores what was learned, and the second one reads it
    await world.server.maintain();
    time.advance(14 * HOUR);
    await world.server.maintain();
  }

  it("comes once, also after a restart and a weekend, and ends when the event comes again", async (t) => {
    await using webhook = await openWebhook();
    const settings = {
      ALERT_WEBHOOK_URL: webhook.url,
      ALERT_WEBHOOK_SECRET: "a secret of the operator",
      ALERT_QUIET_HOURS: "0",
    };
    let world = await openWorld(settings, { clock: time.clock });
    t.after(async () => world[Symbol.asyncDispose]());
    const source = await world.createSource();
    const weekday = { page_view: 20, order: 12, rare: 2 };
    const weekend = { page_view: 6 };
    const usual = (offset: number) => (isWeekend(MONDAY + offset) ? weekend : weekday);
    for (const offset of range(23)) await send(world, source, offset, usual(offset));
    assert.deepEqual(webhook.typesOf(source), [], "three weeks with weekends");

    const without = { page_view: 20, fresh: 15 };
    await send(world, source, 23, without);
    const [{ body } = { body: null }] = webhook.of(source);
    assert.deepEqual(
      [body?.type, body?.stoppedEvents, body?.resumedEvents],
      ["source.events_stopped", ["order"], []],
    );
    const listed = async () =>
      (await world.ask(`/api/tracking-sources/${source.sourceId}/alerts`)).body.alerts.map(
        ({ type, stoppedEvents }: OpenAlert) => [type, ...stoppedEvents],
      );
    assert.deepEqual(await listed(), [["source.events_stopped", "order"]]);
    await world.close();
    world = await openWorld(settings, { clock: time.clock }, world.dataDir);
    for (const offset of [24, 25]) await send(world, source, offset, without);
    for (const offset of [26, 27]) await send(world, source, offset, weekend);
    assert.deepEqual(webhook.typesOf(source), ["source.events_stopped"]);

    await send(world, source, 28, weekday);
    const [, end, ...more] = webhook.of(source);
    assert.deepEqual(
      [end?.body.type, end?.body.stoppedEvents, end?.body.resumedEvents],
      ["source.events_resumed", [], ["order"]],
    );
    assert.deepEqual(more, []);
    assert.deepEqual(await listed(), []);
  });
});
