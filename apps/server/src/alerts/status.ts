/** The health of a source, as alerts see it. It changes less often than the health in the debug view, because it may wake somebody. Pure. */
import { HOUR_MS } from "../core/time.ts";
import { healthStatusOf, sumOf } from "../debug/health.ts";
import type { AlertStatus, AttemptCount, WatchedSource } from "../ledger/records.ts";

/** Failed requests in this hour and the last that make a source `failing`. Fewer may be stray requests. */
const MIN_ALERT_FAILURES = 5;
/** Events in this hour and the last that violate the tracking plan and make a source `violating`. */
const MIN_ALERT_VIOLATIONS = 10;

/** A source at the time of a check. */
interface SourceCheck {
  source: WatchedSource;
  /** Counts of the source in this hour and the last, by the clock. */
  counts: readonly AttemptCount[];
  now: number;
  quietHours: number;
}

/** When the last bootstrap or event of the source was accepted; 0: never. */
const lastAcceptedAt = ({ lastBootstrapAt, lastEventAt }: WatchedSource) =>
  Math.max(lastBootstrapAt ?? 0, lastEventAt ?? 0);

/**
 * Failing starts with several failures, so that one stranger's request wakes nobody. It ends when something was accepted after
 * its start and most requests succeed again, so that a mix of successes and failures does not switch the status repeatedly.
 */
function isFailing({ source, counts, now }: SourceCheck): boolean {
  const failed = sumOf(counts, "failed");
  const { health } = source.alerts;
  if (health?.status === "failing")
    return failed > sumOf(counts, "succeeded") || lastAcceptedAt(source) <= health.since;
  return failed >= MIN_ALERT_FAILURES && healthStatusOf(source, counts, now) === "failing";
}

const isQuiet = ({ source, now, quietHours }: SourceCheck): boolean =>
  quietHours > 0 && now - lastAcceptedAt(source) > quietHours * HOUR_MS;

/** The names of the counters of accepted and of rejected events that violated the tracking plan. */
const VIOLATION_COUNTS = ["plan_warning", "plan_violation"];

/** It starts with several events, so that one stranger's events wake nobody, and ends when this hour and the last had none. */
function isViolating({ source, counts }: SourceCheck): boolean {
  const violations = VIOLATION_COUNTS.reduce((sum, name) => sum + sumOf(counts, name), 0);
  return violations >= (source.alerts.health?.status === "violating" ? 1 : MIN_ALERT_VIOLATIONS);
}

type AlertKind = Exclude<AlertStatus, "receiving">;

/**
 * The alert kinds, most urgent first. To add one, add its name to `AlertStatus` and its condition here. A source has one status at
 * a time: the first that applies.
 */
const ALERT_KINDS: { readonly [Kind in AlertKind]: { status: Kind; applies(check: SourceCheck): boolean } } =
  {
    failing: { status: "failing", applies: isFailing },
    quiet: { status: "quiet", applies: isQuiet },
    violating: { status: "violating", applies: isViolating },
  };

export const getAlertStatus = (check: SourceCheck): AlertStatus =>
  Object.values(ALERT_KINDS).find(({ applies }) => applies(check))?.status ?? "receiving";
