/** As what a source is seen: the debug view's health, made steady enough to wake somebody. Pure. */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { AlertStatus, AttemptCount, WatchedSource } from "../core/records.ts";
import { HOUR_MS } from "../core/time.ts";

/** What the debug view says of a source, from the same counts. */
export type HealthStatus = (
  source: Pick<WatchedSource, "lastBootstrapAt" | "lastEventAt">,
  counts: readonly AttemptCount[],
  now: number,
) => "waiting" | "receiving" | "failing";

const sumOf = (counts: readonly AttemptCount[], name: string) =>
  counts.reduce((sum, count) => (count.name === name ? sum + count.count : sum), 0);

/**
 * `failing` begins with several failures, not with a stranger's one, and ends when something was accepted since and most
 * succeeds again, so that requests by turns are no turns of the status.
 * @param counts of the source, of this hour and the one before
 * @param quietHours 0: nothing is ever quiet
 */
export function statusOf(
  source: WatchedSource,
  counts: readonly AttemptCount[],
  now: number,
  quietHours: number,
  healthStatus: HealthStatus,
): AlertStatus {
  const lastAt = Math.max(source.lastBootstrapAt ?? 0, source.lastEventAt ?? 0);
  const failed = sumOf(counts, "failed");
  const goesOn = failed > sumOf(counts, "succeeded") || lastAt <= (source.since ?? 0);
  const begins = failed >= SERVER_LIMITS.alertFailures && healthStatus(source, counts, now) === "failing";
  if (source.status === "failing" ? goesOn : begins) return "failing";
  return quietHours > 0 && now - lastAt > quietHours * HOUR_MS ? "quiet" : "receiving";
}
