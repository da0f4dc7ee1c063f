/** Reproducible random numbers: the same seed and stream give the same sequence on every machine. */

/** Returns a number in [0, 1). */
export type RandomSource = () => number;

const GOLDEN_RATIO = 0x9e3779b9;
const RANGE = 2 ** 32;

/** The 32-bit finalizer of MurmurHash3. */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Combines two numbers into one of 32 bits. */
export const combine = (one: number, other: number): number => mix(one ^ mix(other + GOLDEN_RATIO));

const WARM_UP_ROUNDS = 12;

/**
 * The generator sfc32 of PractRand. Its state has 128 bits, so sequences do not overlap.
 * @param kind and `number` select the sequence: each pair has its own
 */
export function createRandom(seed: number, kind: number, number: number): RandomSource {
  let [a, b, c, counter] = [seed | 0, mix(kind) | 0, number | 0, 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / RANGE;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) next();
  return next;
}

/** A whole number from 0 to below the bound. */
export const integerBelow = (random: RandomSource, bound: number): number => Math.floor(random() * bound);

/** An exponentially distributed number. */
export const exponential = (random: RandomSource, mean: number): number => -mean * Math.log(1 - random());

/** Chooses a value with a probability in proportion to its weight. */
export function weighted<T>(
  choices: readonly (readonly [weight: number, value: T])[],
): (random: RandomSource) => T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  const last = choices.at(-1);
  if (last === undefined) throw new Error("there is nothing to choose from");
  return (random) => {
    let rest = random() * total;
    for (const [weight, value] of choices) {
      rest -= weight;
      if (rest < 0) return value;
    }
    // rounding may leave a tiny rest
    return last[1];
  };
}

/** The first values are chosen often and the last rarely: the n-th in proportion to n to the power of −1.1. */
export const byPopularity = <T>(values: readonly T[]): ((random: RandomSource) => T) =>
  weighted(values.map((value, index) => [(index + 1) ** -1.1, value] as const));

const words = new Uint32Array(4);
const bytes = Buffer.from(words.buffer);
/** 32 hexadecimal digits; one conversion of 16 bytes costs a fifth of four conversions. */
function hexDigits(random: RandomSource): string {
  for (let index = 0; index < words.length; index++) words[index] = random() * RANGE;
  return bytes.toString("hex");
}

/** A UUID of version 4. */
export function uuid(random: RandomSource): string {
  const hex = hexDigits(random);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** An id as the service makes them (`core/ids.ts`): 48 bits of time and 80 random bits. */
export const timedId = (prefix: string, at: number, random: RandomSource): string =>
  `${prefix}_${at.toString(16).padStart(12, "0")}${hexDigits(random).slice(12)}`;
