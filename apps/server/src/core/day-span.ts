/** The first and the last UTC day of a query. Pure. */
import type { Issue } from "@headwater/contract";
import { issueAt, requireNoIssues } from "./refusal.ts";
import { DAY_MS, utcDay } from "./time.ts";

/** Both are `2026-11-21`. */
export interface UtcDaySpan {
  readonly from: string;
  readonly to: string;
}

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Reports a day that does not exist. `Date.parse` reads the 30th of February as a day in March. */
function dayIssue(field: "from" | "to", day: string | undefined): Issue[] {
  if (day === undefined) return [];
  const start = startOf(day);
  if (!Number.isNaN(start) && utcDay(start) === day) return [];
  return [issueAt(field, `${field} is not a day (YYYY-MM-DD)`)];
}

function spanIssue({ from, to }: UtcDaySpan, maxDays: number): Issue[] {
  if (from > to) return [issueAt("from", "from must not be after to")];
  if (startOf(to) - startOf(from) < maxDays * DAY_MS) return [];
  return [issueAt("from", `from and to span at most ${maxDays} days`)];
}

/** @throws Refusal 422 */
export function readDaySpan(
  query: Partial<UtcDaySpan>,
  { now, defaultDays, maxDays }: { now: number; defaultDays: number; maxDays: number },
): UtcDaySpan {
  requireNoIssues([...dayIssue("from", query.from), ...dayIssue("to", query.to)]);
  const to = query.to ?? (query.from !== undefined && query.from > utcDay(now) ? query.from : utcDay(now));
  const from = query.from ?? utcDay(startOf(to) - (defaultDays - 1) * DAY_MS);
  requireNoIssues(spanIssue({ from, to }, maxDays));
  return { from, to };
}
