/** The days of a cohort: a day, a week or a month, or the part of it that is in the selected range. */
import { formatDays, timeFormatter } from "./format.ts";
import { shiftDay, type ViewRange } from "./view-range.ts";

export type RetentionPeriod = "day" | "week" | "month";

/** Whether the period has a name. A week has none, and the range can cut off its first and its last month. */
function hasName(period: RetentionPeriod, [first, last]: ViewRange["days"]): boolean {
  if (period !== "month") return period === "day";
  return first.endsWith("-01") && shiftDay(last, 1).endsWith("-01");
}

/** @returns for example `Sep 7, 2026`, `Sep 7 – 13, 2026` or `Sep 2026` */
export const formatPeriod = (period: RetentionPeriod, days: ViewRange["days"]): string =>
  hasName(period, days) ? timeFormatter("UTC", period)(days[0]) : formatDays(days);
