import { randomFillSync } from "node:crypto";

const RANDOM_BYTES = 10;
const POOL_BYTES = RANDOM_BYTES * 1_024;

/**
 * Makes ids like `ses_019aa3f2c1d4…`: 48 bits of time, so that neighbours in time are neighbours in an index, and
 * 80 random bits, so that nobody guesses one.
 */
export function createIds(clock: () => number): (prefix: string) => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let at = POOL_BYTES;
  return (prefix) => {
    if (at === POOL_BYTES) {
      randomFillSync(pool);
      at = 0;
    }
    const random = pool.toString("hex", at, at + RANDOM_BYTES);
    at += RANDOM_BYTES;
    return `${prefix}_${clock().toString(16).padStart(12, "0")}${random}`;
  };
}
