/** The days of a cohort: a day, a week or a month, or the part of it that is in the selected range. */
import { formatDays, timeFormatter } from "./format.ts";
import { countDays, shiftDay, type ViewRange } from "./view-range.ts";

export type RetentionPeriod = "day" | "week" | "month";

/** The range can cut off its first and its last period. */
function isWhole(period: RetentionPeriod, [first, last]: ViewRange["days"]): boolean {
  if (period === "day") return true;
  if (period === "week") return countDays([first, last]) === 7;
  return first.endsWith("-01") && shiftDay(last, 1).endsWith("-01");
}

/** @returns for example `Sep 7, 2026`, or `Sep 1 – 6, 2026` of a part of a week */
export const formatPeriod = (period: RetentionPeriod, days: ViewRange["days"]): string =>
  isWhole(period, days) ? timeFormatter("UTC", period)(days[0]) : formatDays(days);
