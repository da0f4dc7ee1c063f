/** Counts of what happened to each source in each hour, and how many attempts of this second were kept. */
import type { AttemptCount } from "../core/records.ts";
import { HOUR_MS, startOfHour } from "../core/time.ts";
import type { FinishedAttempt } from "./render.ts";
import { outcomeOf } from "./render.ts";

/** One source: its counts of the current hour since the last flush, and what was kept within the current second. */
export interface SourceTally {
  hour: number;
  second: number;
  successes: number;
  others: number;
  /** Others by their code, of which there are as many as the contract has. */
  byCode: Map<string, number>;
  counts: Map<string, AttemptCount>;
}

/** Counts that wait for a flush. Those of a failed flush are put back and merged. */
export interface Tally {
  /** Counts the attempt, and answers with its source's tally. */
  count(attempt: FinishedAttempt, now: number): SourceTally;
  /** What was counted since the last call. */
  take(now: number): AttemptCount[];
  putBack(counts: readonly AttemptCount[]): void;
}

export function createTally(maxCounts: number): Tally {
  const sources = new Map<string, SourceTally>();
  let carried = new Map<string, AttemptCount>();

  const carry = (count: AttemptCount) => {
    const key = `${count.sourceId} ${count.hour} ${count.name}`;
    const known = carried.get(key);
    if (known) {
      known.count += count.count;
      known.lastSeenAt = Math.max(known.lastSeenAt, count.lastSeenAt);
    } else if (carried.size < maxCounts) carried.set(key, count);
  };

  const tallyOf = (sourceId: string, now: number): SourceTally => {
    let tally = sources.get(sourceId);
    if (!tally) {
      tally = {
        hour: startOfHour(now),
        second: 0,
        successes: 0,
        others: 0,
        byCode: new Map(),
        counts: new Map(),
      };
      sources.set(sourceId, tally);
    }
    const second = Math.floor(now / 1_000);
    if (tally.second !== second) {
      Object.assign(tally, { second, successes: 0, others: 0 });
      tally.byCode.clear();
    }
    if (now - tally.hour >= HOUR_MS || now < tally.hour) {
      for (const count of tally.counts.values()) carry(count);
      tally.counts.clear();
      tally.hour = startOfHour(now);
    }
    return tally;
  };

  return {
    count(attempt, now) {
      const { sourceId } = attempt.source;
      const tally = tallyOf(sourceId, now);
      const add = (name: string, count: number) => {
        if (count === 0) return;
        const known = tally.counts.get(name);
        if (known) {
          known.count += count;
          known.lastSeenAt = now;
        } else tally.counts.set(name, { sourceId, hour: tally.hour, name, count, lastSeenAt: now });
      };
      countOutcome(attempt, add);
      return tally;
    },

    take(now) {
      const second = Math.floor(now / 1_000);
      for (const [sourceId, tally] of sources) {
        for (const count of tally.counts.values()) carry(count);
        tally.counts.clear();
        if (tally.second !== second) sources.delete(sourceId);
      }
      const taken = [...carried.values()];
      carried = new Map();
      return taken;
    },

    putBack(counts) {
      for (const count of counts) carry(count);
    },
  };
}

/** Beside the contract's four names and the codes: `succeeded` and `proxy_untrusted`, which health is told from. */
function countOutcome(attempt: FinishedAttempt, add: (name: string, count: number) => void): void {
  add(outcomeOf(attempt) === "failed" ? "failed" : "succeeded", 1);
  if (attempt.proxyUntrusted) add("proxy_untrusted", 1);
  if (attempt.outcome.kind === "refused") {
    add(attempt.outcome.refusal.code, 1);
    return;
  }
  const { answer, results } = attempt.outcome;
  add("accepted", answer.accepted ?? 0);
  add("duplicates", answer.duplicates ?? 0);
  add("rejected", answer.rejected ?? 0);
  if (!answer.rejected) return;
  for (const { status, code } of results) if (status === "rejected" && code !== null) add(code, 1);
}
