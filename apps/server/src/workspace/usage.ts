/** Accepted events and bootstraps by source and UTC day (docs/api/limits.md). */
import type { Issue } from "@headwater/contract";
import { issueAt, requireNoIssues } from "../core/refusal.ts";
import { DAY_MS, utcDay } from "../core/time.ts";
import type { CatalogHandler } from "../http/handler.ts";
import type { UsageRow } from "../ledger/records.ts";

/** Days of one usage query: a leap year. */
const MAX_USAGE_DAYS = 366;

const DEFAULT_DAYS = 30;

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Reports a day that does not exist. `Date.parse` reads the 30th of February as a day in March. */
function dayIssue(field: "from" | "to", day: string | undefined): Issue[] {
  if (day === undefined) return [];
  const start = startOf(day);
  if (!Number.isNaN(start) && utcDay(start) === day) return [];
  return [issueAt(field, `${field} is not a day (YYYY-MM-DD)`)];
}

function spanIssue(from: string, to: string): Issue[] {
  if (from > to) return [issueAt("from", "from must not be after to")];
  if (startOf(to) - startOf(from) < MAX_USAGE_DAYS * DAY_MS) return [];
  return [issueAt("from", `from and to span at most ${MAX_USAGE_DAYS} days`)];
}

/** The first and the last day of the query. Default: the last 30 days. */
function readSpan(query: { from?: string; to?: string }, now: number): { from: string; to: string } {
  requireNoIssues([...dayIssue("from", query.from), ...dayIssue("to", query.to)]);
  const to = query.to ?? (query.from !== undefined && query.from > utcDay(now) ? query.from : utcDay(now));
  const from = query.from ?? utcDay(startOf(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  requireNoIssues(spanIssue(from, to));
  return { from, to };
}

type UsageCounts = Pick<UsageRow, "accepted" | "bootstraps" | "bytes">;

export function totalUsage(days: readonly UsageRow[]): UsageCounts {
  const total = { accepted: 0, bootstraps: 0, bytes: 0 };
  for (const { accepted, bootstraps, bytes } of days) {
    total.accepted += accepted;
    total.bootstraps += bootstraps;
    total.bytes += bytes;
  }
  return total;
}

export const getUsage: CatalogHandler<"getUsage"> = async ({ organizationId, query, now }, { catalog }) => {
  const span = readSpan(query, now);
  const days = await catalog.usage({ organizationId, ...span });
  return { body: { organizationId, ...span, ...totalUsage(days), days } };
};
