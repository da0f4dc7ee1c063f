/** When a generation of dedup keys is followed by a new one, and when it is past the window; the same for both engines (docs/decisions/0003). */
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";

export const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** Every key is kept at least this long, also one that was accepted just before the next generation was opened. */
export const WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;
/**
 * A generation with this many keys, or this share of all keys, is full and followed by a new one: keys are random, so a key
 * that goes into a large table rewrites a page of its own.
 */
export const FULL_KEYS = 4_000_000;
export const FULL_SHARE = 1 / 12;
