/** Accepted events and bootstraps by source and UTC day (docs/api/limits.md). */
import { readDaySpan } from "../core/day-span.ts";
import type { CatalogHandler } from "../http/handler.ts";
import type { UsageRow } from "../ledger/records.ts";

/** Days of one usage query: a leap year. */
const MAX_USAGE_DAYS = 366;

const DEFAULT_DAYS = 30;

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
  const span = readDaySpan(query, { now, defaultDays: DEFAULT_DAYS, maxDays: MAX_USAGE_DAYS });
  const days = await catalog.usage({ organizationId, ...span });
  return { body: { organizationId, ...span, ...totalUsage(days), days } };
};
