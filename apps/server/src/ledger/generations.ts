/** When a new generation of dedup keys is opened, and when an old one is deleted; the same for both engines (docs/decisions/0003). */
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";

export const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** Every key is kept at least this long, also one that was accepted just before the next generation was opened. */
export const WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;
/**
 * A generation is full when it has this many keys and this share of all keys. A new one is then opened, because tables must
 * stay small: keys are random, so each key that is inserted into a large table rewrites a page of its own.
 */
export const FULL_KEYS = 4_000_000;
export const FULL_SHARE = 1 / 12;
