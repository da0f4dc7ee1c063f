/**
 * Finds the keys with the greatest sums over the slices of an answer, of which each returns only its greatest counts: a key that a
 * slice has left out has at most the least count that the slice returned (the threshold algorithm of Fagin, and TPUT).
 */

/** The counts of a slice by key. */
export interface SliceCounts {
  readonly counts: ReadonlyMap<string, number>;
  /** A key that is not in `counts` has at most this count. 0: the slice has returned all keys. */
  readonly maxOther: number;
}

export interface FirstSums {
  /** The keys that may have one of the greatest sums, with the sum of what the slices returned. */
  readonly sums: ReadonlyMap<string, number>;
  /** Whether these are all of their counts. */
  readonly areComplete: boolean;
}

/** @returns null when a key that no slice has returned may have one of the first `limit` sums */
export function firstSums(slices: readonly SliceCounts[], limit: number): FirstSums | null {
  const maxUnseen = slices.reduce((sum, { maxOther }) => sum + maxOther, 0);
  const found = new Map<string, { sum: number; maxMissing: number }>();
  for (const { counts, maxOther } of slices)
    for (const [key, count] of counts) {
      const { sum, maxMissing } = found.get(key) ?? { sum: 0, maxMissing: maxUnseen };
      found.set(key, { sum: sum + count, maxMissing: maxMissing - maxOther });
    }
  const descending = [...found.values()].map(({ sum }) => sum).sort((one, other) => other - one);
  const least = descending[limit - 1] ?? 0;
  if (maxUnseen > 0 && maxUnseen >= least) return null;
  const first = [...found].filter(([, { sum, maxMissing }]) => sum + maxMissing >= least);
  return {
    sums: new Map(first.map(([key, { sum }]) => [key, sum])),
    areComplete: first.every(([, { maxMissing }]) => maxMissing === 0),
  };
}
