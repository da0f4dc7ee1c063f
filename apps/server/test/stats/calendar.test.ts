/** The hours of a zone: equal to what the zone database says of each, without asking it for each. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { bucketStarts, localTime } from "../../src/stats/calendar.ts";
import { DAY, HOUR } from "../support/world.ts";

const YEAR = { from: Date.UTC(2026, 0, 1, 0, 10), to: Date.UTC(2027, 0, 1) };
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Casablanca",
];

for (const zone of ZONES)
  it(`The hours of a year in ${zone} begin when its clocks show a full hour`, () => {
    const expected: number[] = [];
    for (let at = YEAR.from; at < YEAR.to; at += HOUR - (localTime(zone, at) % HOUR)) expected.push(at);
    assert.deepEqual(bucketStarts(zone, "hour", YEAR, 10_000), expected);
  });

it("The hours of a month ask the zone database twice in six hours", (t) => {
  const asked = t.mock.method(Intl.DateTimeFormat.prototype, "formatToParts");
  const month = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 1) + 30 * DAY };
  assert.equal(bucketStarts("Europe/Berlin", "hour", month, 10_000).length, 30 * 24);
  assert.ok(asked.mock.callCount() <= 2 * 30 * 4, String(asked.mock.callCount()));
});
