/** Attempts that wait for the next flush, bounded in number and in bytes; successes give way first, what is assured last. */
import type { FinishedAttempt } from "./render.ts";
import type { Place, RecorderLimits } from "./sampling.ts";

export interface Pending {
  /** False: there was no room for this one. */
  add(attempt: FinishedAttempt, place: Place, now: number): boolean;
  /** All that waits, oldest first, without those that the store would prune at once; and how many had to give way. */
  take(): { attempts: FinishedAttempt[]; dropped: number };
}

/** What an attempt holds beside its body: envelope, results, normal forms. */
const OVERHEAD_BYTES = 2_000;

function bytesOf(attempt: FinishedAttempt): number {
  return OVERHEAD_BYTES + 2 * ((attempt.text?.length ?? 0) + (attempt.head?.length ?? 0));
}

export function createPending(limits: RecorderLimits): Pending {
  let successes: FinishedAttempt[] = [];
  let others: FinishedAttempt[] = [];
  let assuredOthers: FinishedAttempt[] = [];
  let shared = { second: 0, successes: 0 };
  let bytes = 0;
  let dropped = 0;

  const full = (more: number) =>
    successes.length + others.length + assuredOthers.length >= limits.pendingAttempts ||
    bytes + more > limits.pendingBytes;

  /** The oldest go, as many as the new attempt needs. */
  const makeRoom = (more: number, from: FinishedAttempt[]): boolean => {
    while (full(more) && from.length > 0) {
      bytes -= bytesOf(from.shift()!);
      dropped++;
    }
    return !full(more);
  };

  const takeShare = (now: number): boolean => {
    const second = Math.floor(now / 1_000);
    if (second !== shared.second) shared = { second, successes: 0 };
    shared.successes++;
    return shared.successes <= limits.sharedSuccessesPerSecond;
  };

  return {
    add(attempt, { queue, assured }, now) {
      const more = bytesOf(attempt);
      if (queue === "others") {
        if (!makeRoom(more, successes) && !(assured && makeRoom(more, others))) return false;
        (assured ? assuredOthers : others).push(attempt);
      } else {
        if (full(more) || !(assured || takeShare(now))) return false;
        successes.push(attempt);
      }
      bytes += more;
      return true;
    },

    take() {
      const attempts = [...newest(successes, limits.successesKept), ...others, ...assuredOthers].sort(
        (one, other) => one.receivedAt - other.receivedAt,
      );
      const taken = { attempts, dropped };
      successes = [];
      others = [];
      assuredOthers = [];
      bytes = 0;
      dropped = 0;
      return taken;
    },
  };
}

/** At most so many of each source and kind: the store keeps no more. */
function newest(attempts: readonly FinishedAttempt[], kept: number): FinishedAttempt[] {
  const seen = new Map<string, number>();
  return attempts
    .toReversed()
    .filter(({ source, kind }) => {
      const key = `${source.sourceId} ${kind}`;
      const before = seen.get(key) ?? 0;
      seen.set(key, before + 1);
      return before < kept;
    })
    .reverse();
}
