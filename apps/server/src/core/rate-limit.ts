/** Rate limits as token buckets (docs/contract.md section 5): synchronous and bounded in memory. */
import { LRUCache } from "lru-cache";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The result of taking a token from a bucket. */
export interface TakenToken {
  readonly ok: boolean;
  /** Whole requests left in the bucket. */
  readonly remaining: number;
  /** 0 when ok, else at least 1. */
  readonly retryAfterSeconds: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly rate: Rate;
  /** @param rate for a key that has its own rate, such as a source with limits of its own */
  take(key: string, now: number, rate?: Rate): TakenToken;
}

interface Bucket {
  level: number;
  at: number;
}

/** Adds tokens for the time that passed. A clock that was set back adds none. */
function refill(bucket: Bucket, now: number, { perSecond, burst }: Rate): void {
  const elapsedMs = now - bucket.at;
  bucket.at = now;
  if (elapsedMs <= 0) return;
  const level = bucket.level + (elapsedMs * perSecond) / 1_000;
  bucket.level = level < burst ? level : burst;
}

/**
 * Beyond `maxKeys` the least recently used key is dropped. A dropped key starts again with a full bucket.
 * @param nodes how many nodes share the limit. Each node takes its part of the requests, so one request here counts
 *   for one on each of the others (docs/decisions/0010)
 */
export function createRateLimiter({
  perSecond,
  burst,
  maxKeys,
  nodes = () => 1,
}: Rate & { maxKeys: number; nodes?: () => number }): RateLimiter {
  const standard: Rate = { perSecond, burst };
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });

  function take(key: string, now: number, rate: Rate = standard): TakenToken {
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

/** The `RateLimit-*` headers of a refusal (docs/contract.md section 1, 429). */
export function rateHeaders(rate: Rate, taken: TakenToken): Record<string, string> {
  return {
    "RateLimit-Limit": String(Math.max(1, Math.floor(rate.burst))),
    "RateLimit-Remaining": String(taken.remaining),
    "RateLimit-Reset": String(taken.resetSeconds),
  };
}
