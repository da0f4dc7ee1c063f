/** Finds the name that a misspelled one most likely means. Pure. */

/** Longer names are not compared, because the time of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 64;
/** Shorter names are part of too many others. */
const MIN_PART_LENGTH = 4;

/** Small letters and digits alone. */
export const simplify = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * How many characters must be inserted, deleted or replaced, or swapped with the next one (optimal string alignment).
 * @param most the distance that matters: a greater one may be returned as any number above it
 */
export function distanceOf(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(one.length - other.length) > most) return Math.abs(one.length - other.length);
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 0; row < one.length; row++) {
    const current = [row + 1];
    let least = row + 1;
    for (let at = 0; at < other.length; at++) {
      const isSwapped = one[row] === other[at - 1] && other[at] === one[row - 1];
      const replaced = (previous[at] ?? 0) + (one[row] === other[at] ? 0 : 1);
      const swapped = isSwapped ? (beforePrevious[at - 1] ?? 0) + 1 : replaced;
      const distance = Math.min(replaced, swapped, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1);
      current.push(distance);
      if (distance < least) least = distance;
    }
    // a swap reaches back by two rows, so by one more than `least` says
    if (least > most + 1) return least;
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}

/** A batch of events can give hundreds of names to compare, and must not keep the thread busy. */
const MAX_COMPARED = 100;

/** @returns undefined when no name is similar: at most a third of its characters differ, or the given name is a part of it */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const simple = simplify(given.slice(0, MAX_LENGTH + 1));
  if (simple === "" || given.length > MAX_LENGTH) return undefined;
  const most = simple.length / 3;
  let nearest: { name: string; distance: number } | undefined;
  let part: string | undefined;
  for (const name of names.slice(0, MAX_COMPARED)) {
    const other = simplify(name.slice(0, 2 * MAX_LENGTH));
    const distance = distanceOf(simple, other, most);
    if (distance <= most && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { name, distance };
    if (simple.length >= MIN_PART_LENGTH && other.includes(simple)) part ??= name;
  }
  return nearest?.name ?? part;
}
