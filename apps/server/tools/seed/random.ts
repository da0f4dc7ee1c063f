/** Chance that can be had again: the same seed and place give the same numbers, on every machine. */

/** Numbers in [0, 1). */
export type Chance = () => number;

const GOLDEN = 0x9e3779b9;
const RANGE = 2 ** 32;

/** Spreads 32 bits (the finalizer of MurmurHash3). */
function spread(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** One number of two. */
export const mixed = (one: number, other: number): number => spread(one ^ spread(other + GOLDEN));

const WARM_UP = 12;

/**
 * sfc32 of the PractRand suite: 128 bits of state, so that no two sequences meet.
 * @param place what the numbers are for, by its kind and its number: each has a sequence of its own
 */
export function chanceOf(seed: number, kind: number, place: number): Chance {
  let [one, two, three, count] = [seed | 0, spread(kind) | 0, place | 0, 1];
  const next = () => {
    const sum = (((one + two) | 0) + count) | 0;
    count = (count + 1) | 0;
    one = two ^ (two >>> 9);
    two = (three + (three << 3)) | 0;
    three = (((three << 21) | (three >>> 11)) + sum) | 0;
    return (sum >>> 0) / RANGE;
  };
  for (let round = 0; round < WARM_UP; round++) next();
  return next;
}

export const wholeBelow = (chance: Chance, bound: number): number => Math.floor(chance() * bound);

/** Waiting times of what happens by itself, in the unit of the mean. */
export const waiting = (chance: Chance, mean: number): number => -mean * Math.log(1 - chance());

/** Chooses with given weights. */
export function weighted<T>(
  choices: readonly (readonly [weight: number, value: T])[],
): (chance: Chance) => T {
  const sums = new Float64Array(choices.length);
  let sum = 0;
  for (const [index, [weight]] of choices.entries()) {
    sum += weight;
    sums[index] = sum;
  }
  return (chance) => {
    const wanted = chance() * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return choices[low]![1];
  };
}

/** Few are popular and many are not: the n-th in proportion to n to the power of −1.1. */
export const byPopularity = <T>(values: readonly T[]): ((chance: Chance) => T) =>
  weighted(values.map((value, index) => [(index + 1) ** -1.1, value] as const));

const bits = new Uint32Array(4);
const bytes = Buffer.from(bits.buffer);
/** Thirty-two of them; one call for all costs a fifth of one for each. */
function hexDigits(chance: Chance): string {
  for (let index = 0; index < bits.length; index++) bits[index] = chance() * RANGE;
  return bytes.toString("hex");
}

/** As random ids of browsers are written (UUID, version 4). */
export function uuid(chance: Chance): string {
  const hex = hexDigits(chance);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** As this service makes ids: 48 bits of time and 80 of chance. */
export const timedId = (prefix: string, at: number, chance: Chance): string =>
  `${prefix}_${at.toString(16).padStart(12, "0")}${hexDigits(chance).slice(12)}`;
