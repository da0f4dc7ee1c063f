/** Token buckets (CONTRACT section 5): synchronous, bounded in memory, on the path of every request. */
import { LRUCache } from "lru-cache";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Taken {
  readonly ok: boolean;
  /** Whole requests left in the bucket. */
  readonly remaining: number;
  /** 0 when ok, else at least 1. */
  readonly retryAfterSeconds: number;
  /** Until the bucket is full again. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly rate: Rate;
  /** @param rate where one key has a rate of its own (a source's limits) */
  take(key: string, now: number, rate?: Rate): Taken;
}

interface Bucket {
  level: number;
  at: number;
}

/** Fills up for the time that passed; a clock that went back adds nothing and does not stick. */
function refill(bucket: Bucket, now: number, { perSecond, burst }: Rate): void {
  const elapsed = now - bucket.at;
  bucket.at = now;
  if (elapsed <= 0) return;
  const level = bucket.level + (elapsed * perSecond) / 1_000;
  bucket.level = level < burst ? level : burst;
}

/**
 * The least recently used key is forgotten beyond `maxKeys`; a forgotten key starts with a full bucket, which
 * errs on the side of letting a request in.
 * @param nodes how many share the limit, each with its part of the requests: one that is taken here stands for one
 *   on each of the others (docs/decisions/0010)
 */
export function createRateLimiter({
  perSecond,
  burst,
  maxKeys,
  nodes = () => 1,
}: Rate & { maxKeys: number; nodes?: () => number }): RateLimiter {
  const standard: Rate = { perSecond, burst };
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });

  function take(key: string, now: number, rate: Rate = standard): Taken {
    let bucket = buckets.get(key);
    if (bucket) refill(bucket, now, rate);
    else {
      bucket = { level: rate.burst, at: now };
      buckets.set(key, bucket);
    }
    const cost = Math.min(nodes(), Math.max(1, rate.burst));
    const ok = bucket.level >= cost;
    if (ok) bucket.level -= cost;
    return {
      ok,
      remaining: Math.floor(bucket.level),
      retryAfterSeconds: ok ? 0 : Math.max(1, Math.ceil((cost - bucket.level) / rate.perSecond)),
      resetSeconds: Math.ceil((rate.burst - bucket.level) / rate.perSecond),
    };
  }
  return { rate: standard, take };
}

/** The `RateLimit-*` headers of a refusal (CONTRACT section 1, 429). */
export function rateHeaders(rate: Rate, taken: Taken): Record<string, string> {
  return {
    "RateLimit-Limit": String(Math.max(1, Math.floor(rate.burst))),
    "RateLimit-Remaining": String(taken.remaining),
    "RateLimit-Reset": String(taken.resetSeconds),
  };
}
