/** Random ids. */
import { randomFillSync } from "node:crypto";

const RANDOM_BYTES = 10;
/** Random bytes are drawn for a thousand ids at once. */
const POOL_BYTES = RANDOM_BYTES * 1_024;

/**
 * Creates ids such as `ses_019aa3f2c1d4…`: 48 bits of time, so that ids of the same time are close in an index, and 80 random
 * bits, so that they cannot be guessed.
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
