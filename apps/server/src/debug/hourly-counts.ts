/** Counts what happened to each source in each hour. The health of a source is computed from these counts. */
import { startOfHour } from "../core/time.ts";
import type { AttemptCount } from "../ledger/records.ts";
import { acceptedViolations, type FinishedAttempt, outcomeOf } from "./render.ts";

/** The name of the counter of attempts that were left out of the sample. */
export const NOT_LISTED = "not_listed";

/** The name of the counter of accepted events that violated the tracking plan. Rejected ones are counted by their code. */
export const PLAN_WARNING = "plan_warning";

/**
 * @param maxCounts maximum counters held while the ledger cannot be written. When full, existing counters still increase;
 *   new ones are dropped.
 */
export function createHourlyCounts(maxCounts: number) {
  let counts = new Map<string, AttemptCount>();

  const merge = (added: AttemptCount) => {
    const key = `${added.sourceId} ${added.hour} ${added.name}`;
    const known = counts.get(key);
    if (known) {
      known.count += added.count;
      known.lastSeenAt = Math.max(known.lastSeenAt, added.lastSeenAt);
    } else if (counts.size < maxCounts) counts.set(key, added);
  };

  return {
    add(attempt: FinishedAttempt, now: number) {
      const { sourceId } = attempt.source;
      const hour = startOfHour(now);
      for (const [name, count] of namedCounts(attempt)) {
        if (count > 0) merge({ sourceId, hour, name, count, lastSeenAt: now });
      }
    },
    /** Counts an attempt that the debug view does not list, because it lists a sample. */
    addSkipped({ source: { sourceId } }: FinishedAttempt, now: number) {
      merge({ sourceId, hour: startOfHour(now), name: NOT_LISTED, count: 1, lastSeenAt: now });
    },
    /** Everything counted since the last call. */
    take() {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
    /** Adds counts again that were taken but could not be written. */
    putBack: (taken: readonly AttemptCount[]) => taken.forEach(merge),
  };
}

/**
 * The other names are `succeeded`, `failed`, `proxy_untrusted`, `accepted`, `duplicates`, `rejected`, `plan_warning`, and the codes of refusals
 * and of rejected events.
 */
function namedCounts(attempt: FinishedAttempt): [name: string, count: number][] {
  const named: [string, number][] = [
    [outcomeOf(attempt) === "failed" ? "failed" : "succeeded", 1],
    ["proxy_untrusted", attempt.proxyUntrusted ? 1 : 0],
  ];
  if (attempt.outcome.kind === "refused") return [...named, [attempt.outcome.refusal.code, 1]];
  const { answer, results } = attempt.outcome;
  const { accepted = 0, duplicates = 0, rejected = 0 } = answer;
  named.push(["accepted", accepted], ["duplicates", duplicates], ["rejected", rejected]);
  named.push([PLAN_WARNING, acceptedViolations(attempt)]);
  if (rejected === 0) return named;
  for (const { status, code } of results) {
    if (status === "rejected" && code !== null) named.push([code, 1]);
  }
  return named;
}
