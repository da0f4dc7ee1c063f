/** The hours of a zone: equal to what the zone database says of each, without asking it for each. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { bucketStarts } from "../../src/stats/calendar.ts";
import { DAY, HOUR } from "../support/world.ts";

const YEAR = { from: Date.UTC(2026, 0, 1, 0, 10), to: Date.UTC(2027, 0, 1) };
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Chatham",
  "Africa/Casablanca",
];

for (const zone of ZONES)
  it(`The hours of a year in ${zone} begin when its clocks show a full hour`, () => {
    const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, minute: "numeric", second: "numeric" });
    const sinceFullHour = (at: number) => {
      const [minutes = 0, seconds = 0] = clock.format(at).split(":").map(Number);
      return 60_000 * minutes + 1_000 * seconds;
    };
    const expected: number[] = [];
    for (let at = YEAR.from; at < YEAR.to; at += HOUR - sinceFullHour(at)) expected.push(at);
    assert.deepEqual(bucketStarts(zone, "hour", YEAR, 10_000), expected);
  });

it("The hours of a month ask the zone database twice in six hours, and not again", (t) => {
  const asked = t.mock.method(Intl.DateTimeFormat.prototype, "formatToParts");
  const month = { from: Date.UTC(2025, 5, 1), to: Date.UTC(2025, 5, 1) + 30 * DAY };
  assert.equal(bucketStarts("Europe/Berlin", "hour", month, 10_000).length, 30 * 24);
  const { length: times } = asked.mock.calls;
  assert.ok(times <= 2 * 30 * 4, String(times));
  bucketStarts("Europe/Berlin", "hour", month, 10_000);
  assert.equal(asked.mock.callCount(), times);
});
