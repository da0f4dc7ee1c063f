/** When a generation of keys is followed by a new one, and when it is past its time: on either engine (decision 3). */
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";

export const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** What the debug view promises; a key accepted just before the next generation opens is kept that long too. */
export const NEEDED_MS = DEDUP_WINDOW_SECONDS * 1_000;
/**
 * Keys are random, so in a large table each rewrites a page of its own. A generation of so many, or of a share of all that
 * are known, is followed by a new one, which is small; unless there were more keys than filters can be had for, since what
 * has none is one more table to search.
 */
export const FULL_KEYS = 4_000_000;
export const FULL_SHARE = 1 / 12;
