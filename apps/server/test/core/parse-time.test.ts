/** Every spelling of the accepted profile of ISO 8601 means the same instant (docs/api/events.md, "Times"). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "../../src/ingest/parse-time.ts";

const ROUNDS = 20_000;
const DAY_MS = 86_400_000;
const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9998-12-31T23:59:59.999Z");

/** A generator of numbers from 0 to 1, the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pad = (number: number, length: number) => String(number).padStart(length, "0");

/** The week date, counted from the Thursday of the week, which is always in the week's year. */
function weekDate(time: number, dash: string): string {
  const weekday = ((new Date(time).getUTCDay() + 6) % 7) + 1;
  const thursday = new Date(time + (4 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const firstDay = new Date(0);
  firstDay.setUTCFullYear(year, 0, 1);
  const week = Math.floor((thursday.getTime() - firstDay.getTime()) / DAY_MS / 7) + 1;
  return `${pad(year, 4)}${dash}W${pad(week, 2)}${dash}${weekday}`;
}

function ordinalDate(date: Date, dash: string): string {
  const firstDay = new Date(0);
  firstDay.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  const day = Math.floor((date.getTime() - firstDay.getTime()) / DAY_MS) + 1;
  return `${pad(date.getUTCFullYear(), 4)}${dash}${pad(day, 3)}`;
}

function spell(time: number, random: () => number): { text: string; hasZone: boolean } {
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const zone = pick("", "Z", "z", "offset", "hours");
  const offsetHour = Math.floor(random() * 24);
  const offsetMinute = zone === "offset" ? Math.floor(random() * 60) : 0;
  const sign = pick("+", "-", "\u2212");
  const hasOffset = zone === "offset" || zone === "hours";
  const offsetMs = hasOffset ? (offsetHour * 60 + offsetMinute) * 60_000 * (sign === "+" ? 1 : -1) : 0;
  const local = new Date(time + offsetMs);
  const [dash, colon] = [pick("-", ""), pick(":", "")];
  const iso = local.toISOString();
  const date = pick(
    iso.slice(0, 10).replaceAll("-", dash),
    weekDate(local.getTime(), dash),
    ordinalDate(local, dash),
  );
  const clock =
    iso.slice(11, 19).replaceAll(":", colon) + pick(".", ",") + iso.slice(20, 23) + pick("", "0", "999999");
  const offset = `${sign}${pad(offsetHour, 2)}${zone === "offset" ? pick(":", "") + pad(offsetMinute, 2) : ""}`;
  return { text: date + pick("T", "t", " ") + clock + (hasOffset ? offset : zone), hasZone: zone !== "" };
}

test("Every spelling of a time is read as that time.", () => {
  const random = createRandom(36);
  for (let round = 0; round < ROUNDS; round += 1) {
    const time = FIRST + 2 * DAY_MS + Math.floor(random() * (LAST - FIRST - 4 * DAY_MS));
    const { text, hasZone } = spell(time, random);
    assert.deepEqual(parseTime(text), { time, hasZone, isCanonical: isCanonical(text) }, text);
  }
});

const isCanonical = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

test("A canonical time with another digit is what Date reads; a day or an hour that does not exist is none.", () => {
  const random = createRandom(37);
  for (let round = 0; round < ROUNDS; round += 1) {
    const iso = new Date(FIRST + Math.floor(random() * (LAST - FIRST))).toISOString();
    const at = Math.floor(random() * iso.length);
    const text = iso.slice(0, at) + Math.floor(random() * 10) + iso.slice(at + 1);
    const known = Date.parse(text);
    const exists = !Number.isNaN(known) && new Date(known).toISOString() === text;
    // Date knows no second 60, and moves a day such as 31 November
    if (isCanonical(text) && !text.includes(":60.") && !text.includes("T24:00:00.000"))
      assert.equal(parseTime(text)?.time ?? null, exists ? known : null, text);
  }
});
