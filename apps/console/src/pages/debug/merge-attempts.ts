import type { DebugAttempt } from "@headwater/contract";

/** The number of attempts that a page keeps in memory. At about 3 KB each they take about 20 MB. */
export const MAX_ATTEMPTS = 6_000;

const isNewer = (a: DebugAttempt, b: DebugAttempt) =>
  a.receivedAt === b.receivedAt ? a.attemptId > b.attemptId : a.receivedAt > b.receivedAt;

/** Merges new attempts into the list, newest first, without duplicates. The oldest are dropped beyond `MAX_ATTEMPTS`. */
export function mergeAttempts(
  shown: readonly DebugAttempt[],
  added: readonly DebugAttempt[],
): DebugAttempt[] {
  const known = new Set(shown.map(({ attemptId }) => attemptId));
  const fresh = added
    .filter(({ attemptId }) => !known.has(attemptId) && known.add(attemptId))
    .sort((a, b) => (isNewer(a, b) ? -1 : 1));
  const merged: DebugAttempt[] = [];
  let next = 0;
  for (const attempt of fresh) {
    while (next < shown.length && isNewer(shown[next]!, attempt)) merged.push(shown[next++]!);
    merged.push(attempt);
  }
  return [...merged, ...shown.slice(next)].slice(0, MAX_ATTEMPTS);
}
