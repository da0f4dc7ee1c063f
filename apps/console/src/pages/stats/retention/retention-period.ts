/** The days of a cohort: a day, a week or a month, or the part of it that is in the selected range. */
import { formatDays, timeFormatter } from "../format.ts";
import { shiftDay, type ViewRange } from "../view-range.ts";

export type RetentionPeriod = "day" | "week" | "month";

/** Whether the period has a name. A week has none, and the range can cut off its first and its last month. */
function hasName(period: RetentionPeriod, [first, last]: ViewRange["days"]): boolean {
  if (period !== "month") return period === "day";
  return first.endsWith("-01") && shiftDay(last, 1).endsWith("-01");
}

/**
 * @param year the current one, which is not named
 * @returns for example `Mon, Sep 7`, `Sep 7 – 13`, `Sep 7 – 13, 2025` or `Sep 2026`
 */
export function formatPeriod(period: RetentionPeriod, days: ViewRange["days"], year: string): string {
  if (hasName(period, days)) return timeFormatter("UTC", period)(days[0]);
  return formatDays(days, days.every((day) => day.startsWith(`${year}-`)) ? "short" : "long");
}
