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

/** The `anonymousId` of clients whose browser stores nothing (docs/api/ingest.md). */
export const NO_ID = "$none";
/** The beginning of the ids that their visitors get for a day. */
export const DAILY_ID_PREFIX = `${NO_ID}.`;
/** The beginning of the ids of sessions that are found by their visitor, because the client does not know them. */
export const FOUND_SESSION_PREFIX = "sesv_";
