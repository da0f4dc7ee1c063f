/** The days and months of a calendar. A day is text such as `2026-03-31`, and a month its first day. */
import { firstWeekday } from "../../../own-format.ts";
import { monthStart, shiftDay } from "../view-range.ts";

const WEEK_DAYS = 7;

/** @returns months, the given one last */
export const monthsUntil = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => monthStart(last, at + 1 - count));

/** How many days after the first day of the week it is. */
const weekdayOf = (day: string): number =>
  (new Date(day).getUTCDay() + WEEK_DAYS - (firstWeekday() % WEEK_DAYS)) % WEEK_DAYS;

/** @returns the weeks of a month, with null for days of other months */
export function weeksOf(month: string): (string | null)[][] {
  const before = weekdayOf(month);
  const end = monthStart(month, 1);
  const weeks: (string | null)[][] = [];
  for (let first = shiftDay(month, -before); first < end; first = shiftDay(first, WEEK_DAYS))
    weeks.push(
      Array.from({ length: WEEK_DAYS }, (_, at) => shiftDay(first, at)).map((day) =>
        day >= month && day < end ? day : null,
      ),
    );
  return weeks;
}

/** @returns the same day of another month, or its last day when it is shorter */
function shiftMonth(day: string, months: number): string {
  const lastDay = shiftDay(monthStart(day, months + 1), -1);
  const sameDay = `${lastDay.slice(0, 8)}${day.slice(8)}`;
  return sameDay < lastDay ? sameDay : lastDay;
}

/** @returns the day that a key leads to, between the first and the last that can be chosen; null for other keys */
export function dayForKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  day: string,
  first: string,
  last: string,
): string | null {
  const months = shiftKey ? 12 : 1;
  const next = new Map([
    ["ArrowLeft", shiftDay(day, -1)],
    ["ArrowRight", shiftDay(day, 1)],
    ["ArrowUp", shiftDay(day, -WEEK_DAYS)],
    ["ArrowDown", shiftDay(day, WEEK_DAYS)],
    ["Home", shiftDay(day, -weekdayOf(day))],
    ["End", shiftDay(day, WEEK_DAYS - 1 - weekdayOf(day))],
    ["PageUp", shiftMonth(day, -months)],
    ["PageDown", shiftMonth(day, months)],
  ]).get(key);
  if (next === undefined) return null;
  return next < first ? first : next > last ? last : next;
}
