/** Finds the period that a query is compared with (docs/api/stats.md). Pure. */

import type { Issue, StatsComparison } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import { bucketStarts, type Grain, localDay, type Period, startOfDay } from "./calendar.ts";
import { type QueryRange, readPair } from "./range.ts";

export interface ComparedPeriod extends Period {
  /** The time that a time of the query's range is compared with. */
  readonly counterpartOf: (at: number) => number;
}

/** Rollups can answer a period that ends at a quarter of an hour. A single day is small enough to be read from its events. */
const QUARTER_MS = 15 * MINUTE_MS;
const roundUp = (at: number, step: number) => Math.ceil(at / step) * step;

/** The same time of day on another local day. A day that is shorter, because a clock was changed, ends earlier. */
const onDay = (zone: string, dayOf: (day: number) => number) => (at: number) => {
  const day = localDay(zone, at);
  const counterpart = dayOf(day);
  const timeOfDay = at - startOfDay(zone, day);
  return Math.min(startOfDay(zone, counterpart) + timeOfDay, startOfDay(zone, counterpart + 1));
};

function dayOneYearBefore(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear() - 1, date.getUTCMonth(), date.getUTCDate()) / DAY_MS;
}

const isWholeWeeks = ({ days }: QueryRange) => days !== null && days % 7 === 0;
/** 52 weeks, so that whole weeks are compared day by day with the same weekdays. */
const YEAR_OF_WEEKS = 364;

function yearBefore(zone: string, range: QueryRange): ComparedPeriod {
  const counterpartOf = onDay(zone, isWholeWeeks(range) ? (day) => day - YEAR_OF_WEEKS : dayOneYearBefore);
  return { from: counterpartOf(range.from), to: counterpartOf(range.to), counterpartOf };
}

/** As many local days before, or as much time before when the range was given as times. */
function previous(zone: string, { from, to, days }: QueryRange): ComparedPeriod {
  const counterpartOf = days === null ? (at: number) => at - (to - from) : onDay(zone, (day) => day - days);
  return { from: counterpartOf(from), to: from, counterpartOf };
}

function custom(zone: string, range: QueryRange, compared: QueryRange): ComparedPeriod {
  const days = localDay(zone, range.from) - localDay(zone, compared.from);
  const counterpartOf =
    range.days === null || compared.days === null
      ? (at: number) => at - range.from + compared.from
      : onDay(zone, (day) => day - days);
  return { from: compared.from, to: compared.to, counterpartOf };
}

/** The part of the period that corresponds to the part of the range that is over. */
function withoutRest(compared: ComparedPeriod, range: QueryRange, now: number): ComparedPeriod {
  if (now <= range.from || now >= range.to) return compared;
  const step = range.days === 1 ? MINUTE_MS : QUARTER_MS;
  return { ...compared, to: Math.min(compared.to, roundUp(compared.counterpartOf(now), step)) };
}

const PATH = ["include", "comparison"];

/** @param comparison what the query asks for. @param issues problems are added to it */
export function readComparison(
  comparison: StatsComparison | undefined,
  { zone, range }: { readonly zone: string; readonly range: QueryRange },
  now: number,
  issues: Issue[],
): ComparedPeriod | null {
  if (comparison === undefined || comparison === false) return null;
  const { mode, dateRange } = comparison === true ? { mode: "previous" as const } : comparison;
  if ((mode === "custom") !== (dateRange !== undefined)) {
    const message = "is required for the mode custom, and only for it";
    issues.push(issueAt([...PATH, "dateRange"], message));
    return null;
  }
  if (dateRange === undefined)
    return withoutRest(mode === "year" ? yearBefore(zone, range) : previous(zone, range), range, now);
  const compared = readPair(zone, dateRange, [...PATH, "dateRange"]);
  if (!("code" in compared)) return withoutRest(custom(zone, range, compared), range, now);
  issues.push(compared);
  return null;
}

/** The time buckets of a query, and those of the compared period: each index is one bucket. */
interface ComparedBuckets {
  /** The starts of the query's buckets that have a counterpart. */
  readonly names: number[];
  readonly starts: number[];
}

/**
 * Days, weeks and months are compared with those that begin at the counterpart of their start, because the calendar of the
 * compared period may have other weeks and months. Hours and minutes are compared by their position.
 */
export function compareBuckets(
  zone: string,
  grain: Grain,
  compared: ComparedPeriod,
  starts: readonly number[],
): ComparedBuckets {
  const isOfDays = grain !== "hour" && grain !== "minute";
  const counterparts = isOfDays
    ? starts.map(compared.counterpartOf)
    : bucketStarts(zone, grain, compared, starts.length);
  const names: number[] = [];
  const found: number[] = [];
  for (const [index, start] of starts.entries()) {
    const counterpart = counterparts[index];
    if (counterpart === undefined || counterpart >= compared.to) break;
    // the 29th of February would have the counterpart of the 1st of March
    if (counterpart === found.at(-1)) {
      names.pop();
      found.pop();
    }
    names.push(start);
    found.push(counterpart);
  }
  return { names, starts: found };
}
