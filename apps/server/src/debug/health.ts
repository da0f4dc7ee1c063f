/** The health of a source, computed from its counters. They include attempts that were not kept. */
import { type DebugData, ERRORS, EVENT_CODES } from "@headwater/contract";
import { DAY_MS, HOUR_MS, startOfHour, toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import type { AttemptCount, SourceRecord } from "../ledger/records.ts";
import { hintOf, NO_ALLOWED_ORIGIN, PLAN_VIOLATED, PROXY_UNTRUSTED } from "./hints.ts";
import { NOT_LISTED, PLAN_WARNING } from "./hourly-counts.ts";

type Health = DebugData["health"];

const TOP_CODES = 10;
/** A warning ends this long after its last request: the cause may have been corrected. */
const WARNING_MS = HOUR_MS;

/** The first hour of the counters that `healthOf` needs. The status depends on the last failure of the whole week. */
export const healthSince = (now: number) => startOfHour(now - 7 * DAY_MS);

export function healthOf(source: SourceRecord, counts: readonly AttemptCount[], now: number): Health {
  const day = counts.filter((count) => count.hour >= startOfHour(now - DAY_MS));
  return {
    status: healthStatusOf(source, counts, now),
    lastBootstrapAt: toIsoTimeOrNull(source.lastBootstrapAt),
    lastEventAt: toIsoTimeOrNull(source.lastEventAt),
    last24h: {
      accepted: sumOf(day, "accepted"),
      duplicates: sumOf(day, "duplicates"),
      rejected: sumOf(day, "rejected"),
      failed: sumOf(day, "failed"),
      planViolations: sumOf(day, "plan_violation") + sumOf(day, PLAN_WARNING),
      notListed: sumOf(day, NOT_LISTED),
    },
    topCodes: topCodes(day),
    warnings: [
      ...(source.allowedOrigins.length === 0 ? [NO_ALLOWED_ORIGIN] : []),
      ...(lastOf(counts, "proxy_untrusted") > now - WARNING_MS ? [PROXY_UNTRUSTED] : []),
      ...(lastOf(counts, PLAN_WARNING) > now - WARNING_MS ? [PLAN_VIOLATED] : []),
    ],
  };
}

/**
 * A source is `failing` if no attempt ever succeeded, or if the last attempt failed and in the last hour more attempts
 * failed than succeeded. So one refused request of a stranger does not make a healthy source fail.
 */
export function healthStatusOf(
  source: Pick<SourceRecord, "lastBootstrapAt" | "lastEventAt">,
  counts: readonly AttemptCount[],
  now: number,
): Health["status"] {
  const succeededAt = Math.max(
    lastOf(counts, "succeeded"),
    source.lastBootstrapAt ?? Number.NEGATIVE_INFINITY,
    source.lastEventAt ?? Number.NEGATIVE_INFINITY,
  );
  const failedAt = lastOf(counts, "failed");
  if (Math.max(succeededAt, failedAt) === Number.NEGATIVE_INFINITY) return "waiting";
  if (succeededAt === Number.NEGATIVE_INFINITY) return "failing";
  const recent = counts.filter((count) => count.hour >= startOfHour(now - HOUR_MS));
  const mostlyFailed = sumOf(recent, "failed") > sumOf(recent, "succeeded");
  return failedAt > succeededAt && mostlyFailed ? "failing" : "receiving";
}

/** The most frequent codes of refusals and of rejected events. */
export function topCodes(counts: readonly AttemptCount[]): Health["topCodes"] {
  const totals = new Map<string, { count: number; lastSeenAt: number }>();
  for (const { name, count, lastSeenAt } of counts) {
    if (!Object.hasOwn(ERRORS, name) && !Object.hasOwn(EVENT_CODES, name)) continue;
    const total = totals.get(name) ?? { count: 0, lastSeenAt };
    totals.set(name, { count: total.count + count, lastSeenAt: Math.max(total.lastSeenAt, lastSeenAt) });
  }
  return [...totals]
    .sort(([, one], [, other]) => other.count - one.count || other.lastSeenAt - one.lastSeenAt)
    .slice(0, TOP_CODES)
    .map(([code, { count, lastSeenAt }]) => ({
      code,
      count,
      lastSeenAt: toIsoTime(lastSeenAt),
      hint: hintOf(code),
    }));
}

/** The sum of the counters with this name. */
export function sumOf(counts: readonly AttemptCount[], name: string): number {
  return counts.reduce((sum, count) => (count.name === name ? sum + count.count : sum), 0);
}

function lastOf(counts: readonly AttemptCount[], name: string): number {
  return counts.reduce(
    (last, count) => (count.name === name ? Math.max(last, count.lastSeenAt) : last),
    Number.NEGATIVE_INFINITY,
  );
}
