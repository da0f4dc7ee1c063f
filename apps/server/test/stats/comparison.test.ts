/** Which time a bucket is compared with: over generated ranges, zones and modes, and for the days on which calendars differ. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Issue, StatsComparison } from "@headwater/contract";
import { bucketStarts, type Grain, type QueryRange } from "../../src/stats/calendar.ts";
import { compareBuckets, NO_BUCKET, readComparison } from "../../src/stats/comparison.ts";
import { readRange } from "../../src/stats/range.ts";
import { DAY, HOUR, MINUTE } from "../support/world.ts";
import { pick, type Random, randomFrom } from "./generated.ts";
import { comparedOf, type OracleComparison, pairsOf } from "./oracle.ts";

const clocks = new Map<string, Intl.DateTimeFormat>();
/** What a clock shows: `2026-10-25 02:30`. */
function wall(zone: string, at: number): string {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  clocks.set(zone, clock);
  return clock.format(at);
}

interface ComparedQuery {
  readonly zone: string;
  readonly dateRange: [string, string];
  readonly comparison: StatsComparison;
  readonly grain: Grain;
  readonly now?: string;
}

/** The period that a range is compared with, and each part of it with the bucket whose counterpart it is. */
function compare({ zone, dateRange, comparison, grain, now = "2199-01-01T00:00:00Z" }: ComparedQuery) {
  const issues: Issue[] = [];
  const range = readRange(dateRange, zone, Date.parse(now)) as QueryRange;
  const compared = readComparison(comparison, { zone, range }, Date.parse(now), issues);
  assert.deepEqual(issues, []);
  if (compared === null) return null;
  const own = bucketStarts(zone, grain, range, 3_000);
  const { starts, names } = compareBuckets(zone, grain, compared, { starts: own, end: range.to });
  const parts = starts.map((from, index) => ({
    from,
    to: starts[index + 1] ?? compared.to,
    name: names[index] ?? NO_BUCKET,
  }));
  return { range, compared, own, parts };
}

/** @returns each bucket with what it is compared with, as a clock shows them; null: with nothing */
function pairs(asked: ComparedQuery): Record<string, string | null> {
  const found = compare(asked);
  assert.ok(found);
  const text = (at: number) => wall(asked.zone, at).replace(" 00:00", "");
  const counterpart = (name: number) => {
    const part = found.parts.find((one) => one.name === name);
    return part ? `${text(part.from)} – ${text(part.to)}` : null;
  };
  return Object.fromEntries(found.own.map((name, index) => [`${index} ${text(name)}`, counterpart(name)]));
}

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "America/Santiago",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Pacific/Chatham",
];
const GRAINS: Grain[] = ["minute", "hour", "day", "week", "month"];
const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));

function generatedRange(random: Random, grain: Grain, most = 120): [string, string] {
  const changes = [
    "2026-03-29",
    "2026-10-25",
    "2024-02-29",
    "2025-03-01",
    "2026-04-05",
    "2026-04-24",
    "2026-09-06",
    "2027-10-31",
  ];
  const first = Date.parse(pick(random, changes)) - upTo(random, 4) * DAY;
  const days = grain === "minute" ? 1 : 1 + upTo(random, grain === "hour" ? Math.min(most, 40) : most);
  if (random() < 0.3) {
    const from = first + upTo(random, 96) * 15 * MINUTE;
    return [
      new Date(from).toISOString(),
      new Date(from + days * DAY - upTo(random, 12) * HOUR).toISOString(),
    ];
  }
  if (grain !== "minute" && random() < 0.3)
    return [`${dayText(first).slice(0, 7)}-01`, dayText(first + (1 + days) * DAY)];
  return [dayText(first), dayText(first + days * DAY)];
}

const generatedComparison = (random: Random, grain: Grain): StatsComparison =>
  pick<() => StatsComparison>(random, [
    () => true,
    () => ({ mode: "previous", sameWeekdays: true }),
    () => ({ mode: "year" }),
    () => ({ mode: "year", sameWeekdays: true }),
    () => ({ mode: "custom", dateRange: generatedRange(random, grain) }),
  ])();

it("Compared buckets are disjoint and add up to the compared range, and none has more than one counterpart", () => {
  const seed = Date.now() & 0x7fffffff;
  const random = randomFrom(seed);
  for (let number = 0; number < 150; number++) {
    const [grain, zone] = [pick(random, GRAINS), pick(random, ZONES)];
    const comparison = generatedComparison(random, grain);
    const asked = { zone, grain, comparison, dateRange: generatedRange(random, grain) };
    const where = `seed ${seed}, ${JSON.stringify(asked)}`;
    const found = compare(asked);
    // 29 February alone has no counterpart in the year before
    if (found === null) {
      assert.match(JSON.stringify(asked), /"year"/, where);
      continue;
    }
    const { compared, own, parts } = found;
    assert.equal(parts[0]?.from, compared.from, where);
    assert.ok(
      parts.every(({ from, to }) => from < to),
      where,
    );
    const named = parts.filter(({ name }) => name !== NO_BUCKET);
    const names = named.map(({ name }) => name);
    // days that have no counterpart may divide that of a week
    assert.deepEqual(
      grain === "week" ? names.filter((name, index) => name !== names[index - 1]) : names,
      own.filter((name) => names.includes(name)),
      where,
    );
    const isOfOne = compared.dayBefore !== null && grain !== "week" && grain !== "month";
    for (const { from, to, name } of isOfOne ? named : []) {
      assert.equal(bucketStarts(zone, grain, { from, to }, 2).length, 1, where);
      const shown = { minute: 16, hour: 13, day: 10 }[grain as "day"];
      // the first bucket of a range of times may begin within an hour
      const [one, other] = [name, from].map((at) => wall(zone, at).slice(11, shown));
      assert.equal(one, other, where);
    }
    // without days that one of the periods lacks, each part of the compared period has its bucket
    const mode = typeof comparison === "object" ? comparison.mode : "previous";
    if (!isOfOne && mode !== "custom" && !(grain === "week" && mode === "year"))
      assert.ok(
        parts.every(({ name }) => name !== NO_BUCKET),
        where,
      );
  }
});

/** The oracle begins an hour at 02:45 when Chatham's clocks go back to it. */
const ORACLE_ZONES = ZONES.filter((zone) => zone !== "Pacific/Chatham");

it("The oracle of the stats finds the same buckets", () => {
  const seed = Number(process.env.STATS_SEED ?? Date.now() & 0x7fffffff);
  const random = randomFrom(seed);
  for (let number = 0; number < Number(process.env.STATS_QUERIES ?? 20); number++) {
    const [grain, zone] = [pick(random, GRAINS), pick(random, ORACLE_ZONES)];
    const comparison = generatedComparison(random, grain);
    const dateRange = generatedRange(random, grain, 20);
    const where = `seed ${seed}, ${JSON.stringify({ grain, zone, comparison, dateRange })}`;
    const found = compare({ zone, grain, comparison, dateRange });
    const asked = {
      dateRange,
      timezone: zone,
      include: { bots: false, comparison: comparison as OracleComparison },
    };
    const expected = comparedOf(asked);
    const span = found && { from: found.compared.from, to: found.compared.to };
    assert.deepEqual(span, expected?.span ?? null, where);
    if (!found || !expected) continue;
    const named = found.parts.filter(({ name }) => name !== NO_BUCKET);
    assert.deepEqual(
      named.map(({ name, from }) => ({ name, start: from })),
      pairsOf(asked, grain, expected).flatMap(({ name, start }) => (name === null ? [] : [{ name, start }])),
      where,
    );
  }
});

it("Every hour that both days have is compared with the same hour, the repeated one with the repeated one", () => {
  const changeDays = [
    "2026-03-29",
    "2026-10-25",
    "2026-04-05",
    "2026-10-04",
    "2026-11-01",
    "2026-04-24",
    "2026-10-29",
  ];
  const seen = (zone: string, starts: readonly number[]) => {
    const counts = new Map<string, number>();
    return starts.map((at) => {
      const hour = wall(zone, at).slice(11, 13);
      counts.set(hour, (counts.get(hour) ?? 0) + 1);
      return `${hour} ${counts.get(hour)}`;
    });
  };
  for (const zone of ZONES)
    for (const day of changeDays)
      for (const other of [...changeDays, "2026-06-01"])
        for (const [first, second] of [
          [day, other],
          [other, day],
        ] as [string, string][]) {
          const rangeOf = (text: string): [string, string] => [text, dayText(Date.parse(text) + DAY)];
          const comparison = { mode: "custom" as const, dateRange: rangeOf(second) };
          const found = compare({ zone, grain: "hour", comparison, dateRange: rangeOf(first) });
          assert.ok(found);
          const hours = bucketStarts(zone, "hour", found.compared, 30);
          const [own, theirs] = [seen(zone, found.own), seen(zone, hours)];
          const expected = own.map((hour) => hours[theirs.indexOf(hour)] ?? null);
          const start = (name: number) => found.parts.find((part) => part.name === name)?.from ?? null;
          assert.deepEqual(found.own.map(start), expected, `${zone} ${first} ${second}`);
        }
});

const february = { zone: "UTC", dateRange: ["2026-02-01", "2026-03-01"] as [string, string] };

it("The last day of February is compared with one day of January", () => {
  const comparison = { mode: "custom" as const, dateRange: ["2026-01-01", "2026-02-01"] as [string, string] };
  const days = pairs({ ...february, comparison, grain: "day" });
  assert.equal(days["0 2026-02-01"], "2026-01-01 – 2026-01-02");
  assert.equal(days["27 2026-02-28"], "2026-01-28 – 2026-01-29");
  const months = pairs({ ...february, comparison, grain: "month" });
  assert.deepEqual(months, { "0 2026-02-01": "2026-01-01 – 2026-02-01" });
  // the other way round, three days have no counterpart
  const dateRange = comparison.dateRange;
  const back = pairs({
    zone: "UTC",
    dateRange,
    comparison: { ...comparison, dateRange: february.dateRange },
    grain: "day",
  });
  assert.equal(back["27 2026-01-28"], "2026-02-28 – 2026-03-01");
  assert.deepEqual([back["28 2026-01-29"], back["29 2026-01-30"], back["30 2026-01-31"]], [null, null, null]);
});

it("Whole months are compared month by month, and their days by the day of the month", () => {
  const dateRange: [string, string] = ["2026-01-01", "2026-04-01"];
  const comparison = { mode: "custom" as const, dateRange: ["2025-10-01", "2026-01-01"] as [string, string] };
  assert.deepEqual(pairs({ zone: "UTC", dateRange, comparison, grain: "month" }), {
    "0 2026-01-01": "2025-10-01 – 2025-11-01",
    "1 2026-02-01": "2025-11-01 – 2025-12-01",
    "2 2026-03-01": "2025-12-01 – 2026-01-01",
  });
  const days = pairs({ zone: "UTC", dateRange, comparison, grain: "day" });
  assert.equal(days["58 2026-02-28"], "2025-11-28 – 2025-11-29");
  assert.equal(days["59 2026-03-01"], "2025-12-01 – 2025-12-02");
});

it("A year before has the same dates, of whole weeks too; the same weekdays are asked for", () => {
  const days = pairs({ ...february, comparison: { mode: "year" }, grain: "day" });
  assert.equal(days["0 2026-02-01"], "2025-02-01 – 2025-02-02");
  assert.equal(days["27 2026-02-28"], "2025-02-28 – 2025-03-01");
  const weekdays = pairs({ ...february, comparison: { mode: "year", sameWeekdays: true }, grain: "day" });
  assert.equal(weekdays["0 2026-02-01"], "2025-02-02 – 2025-02-03");
  const before = pairs({ ...february, comparison: { mode: "previous", sameWeekdays: true }, grain: "day" });
  assert.equal(before["0 2026-02-01"], "2026-01-04 – 2026-01-05");
  const ten: [string, string] = ["2026-05-11", "2026-05-21"];
  const two = pairs({
    zone: "UTC",
    dateRange: ten,
    comparison: { mode: "previous", sameWeekdays: true },
    grain: "day",
  });
  assert.equal(two["0 2026-05-11"], "2026-04-27 – 2026-04-28");
  assert.equal(two["9 2026-05-20"], "2026-05-06 – 2026-05-07");
});

it("29 February has no counterpart in the year before, and is none of 28 February in the year after", () => {
  const year = { zone: "UTC", comparison: { mode: "year" as const } };
  assert.equal(compare({ ...year, dateRange: ["2024-02-29", "2024-03-01"], grain: "day" }), null);
  assert.equal(
    compare({ ...year, dateRange: ["2024-02-29T08:00:00Z", "2024-02-29T09:00:00Z"], grain: "hour" }),
    null,
  );
  // the part of the range that is over is 29 February
  const now = "2024-02-29T12:00:00Z";
  assert.equal(compare({ ...year, dateRange: ["2024-02-29", "2024-03-03"], grain: "day", now }), null);
  assert.deepEqual(pairs({ ...year, dateRange: ["2024-02-28", "2024-03-02"], grain: "day" }), {
    "0 2024-02-28": "2023-02-28 – 2023-03-01",
    "1 2024-02-29": null,
    "2 2024-03-01": "2023-03-01 – 2023-03-02",
  });
  assert.deepEqual(pairs({ ...year, dateRange: ["2025-02-28", "2025-03-02"], grain: "day" }), {
    "0 2025-02-28": "2024-02-28 – 2024-02-29",
    "1 2025-03-01": "2024-03-01 – 2024-03-02",
  });
  assert.deepEqual(pairs({ ...year, dateRange: ["2025-02-24", "2025-03-03"], grain: "week" }), {
    "0 2025-02-24": "2024-02-24 – 2024-02-29",
  });
});

it("An hour is compared with the same hour when one of the days has 23 or 25 hours", () => {
  const berlin = { zone: "Europe/Berlin", grain: "hour" as const };
  // 26 October 2026 has 24 hours, the day before 25
  const after = pairs({ ...berlin, comparison: true, dateRange: ["2026-10-26", "2026-10-27"] });
  assert.equal(after["2 2026-10-26 02:00"], "2026-10-25 02:00 – 2026-10-25 02:00");
  assert.equal(after["3 2026-10-26 03:00"], "2026-10-25 03:00 – 2026-10-25 04:00");
  assert.equal(after["23 2026-10-26 23:00"], "2026-10-25 23:00 – 2026-10-26");
  const long = pairs({ ...berlin, comparison: true, dateRange: ["2026-10-25", "2026-10-26"] });
  assert.equal(long["2 2026-10-25 02:00"], "2026-10-24 02:00 – 2026-10-24 03:00");
  assert.equal(long["3 2026-10-25 02:00"], null);
  assert.equal(long["24 2026-10-25 23:00"], "2026-10-24 23:00 – 2026-10-25");
  const short = pairs({ ...berlin, comparison: true, dateRange: ["2026-03-30", "2026-03-31"] });
  assert.equal(short["2 2026-03-30 02:00"], null);
  assert.equal(short["3 2026-03-30 03:00"], "2026-03-29 03:00 – 2026-03-29 04:00");
});

it("A part of a day is compared until the same time of day, around clock changes too", () => {
  const until = (zone: string, day: string, time: string, comparison: StatsComparison = true) => {
    const dateRange: [string, string] = [day, dayText(Date.parse(day) + DAY)];
    const found = compare({ zone, comparison, grain: "hour", dateRange, now: `${day}T${time}` });
    assert.ok(found);
    return wall(zone, found.compared.to);
  };
  // the day of 25 hours, the day after it, and those of the day of 23 hours
  assert.equal(until("Europe/Berlin", "2027-10-31", "13:00:01+01:00"), "2027-10-30 13:01");
  assert.equal(until("Europe/Berlin", "2027-11-01", "13:00:00+01:00"), "2027-10-31 13:00");
  assert.equal(until("Europe/Berlin", "2026-03-29", "13:00:00+02:00"), "2026-03-28 13:00");
  assert.equal(until("Europe/Berlin", "2026-03-30", "13:00:00+02:00"), "2026-03-29 13:00");
  // a time that the other day skips is its next one, and of a repeated hour both are over
  assert.equal(until("Europe/Berlin", "2026-03-30", "02:30:00+02:00"), "2026-03-29 03:00");
  assert.equal(until("Europe/Berlin", "2026-10-25", "02:30:00+02:00"), "2026-10-24 02:30");
  assert.equal(until("Europe/Berlin", "2026-10-25", "02:30:00+01:00"), "2026-10-24 03:00");
  assert.equal(until("Australia/Lord_Howe", "2026-04-05", "12:00:00+10:30"), "2026-04-04 12:00");
  assert.equal(until("Europe/Berlin", "2026-10-25", "13:00:00+01:00", { mode: "year" }), "2025-10-25 13:00");
});
