/** Finds the name that a misspelled one most likely means. Pure. */

/** Longer names are not compared, because the time of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 64;
/** Shorter names are part of too many others. */
const MIN_PART_LENGTH = 4;

/** Small letters and digits alone. */
export const simplify = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** How many characters must be inserted, deleted or replaced, or swapped with the next one (optimal string alignment). */
export function distanceOf(one: string, other: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1];
    for (const [at, otherCharacter] of [...other].entries()) {
      const replaced = (previous[at] ?? 0) + (character === otherCharacter ? 0 : 1);
      const isSwapped = character === other[at - 1] && otherCharacter === one[row - 1];
      const swapped = isSwapped ? (beforePrevious[at - 1] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}

/** @returns undefined when no name is similar: at most a third of its characters differ, or the given name is a part of it */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const simple = simplify(given);
  if (simple === "" || given.length > MAX_LENGTH) return undefined;
  const rated = names.map((name) => ({ name, distance: distanceOf(simple, simplify(name)) }));
  const [nearest] = rated.toSorted((one, other) => one.distance - other.distance);
  if (nearest && nearest.distance <= simple.length / 3) return nearest.name;
  return simple.length < MIN_PART_LENGTH ? undefined : names.find((name) => simplify(name).includes(simple));
}
