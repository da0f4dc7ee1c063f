/** Rate limits as token buckets (docs/api/limits.md): synchronous and bounded in memory. */

import { SERVER_LIMITS } from "../core/limits.ts";
import { createLru } from "../core/lru.ts";
import { Refusal, type RefusalDetail } from "../core/refusal.ts";
import { networkKey } from "./client-key.ts";

/** Clients of one IPv6 /48 that may use their whole rate at once. */
export const NETWORK_RATE_FACTOR = 16;

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Whether a request is within the limit, and the values for its response headers. */
interface RateLimitResult {
  /** false: the bucket had too few tokens, so the request is refused. */
  readonly ok: boolean;
  /** Whole tokens left in the bucket. */
  readonly remaining: number;
  /** 0 when ok, else at least 1. */
  readonly retryAfterSeconds: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly rate: Rate;
  /** Takes the tokens for one request. @param rate for a key with a rate of its own, such as a source with its own limits */
  take(key: string, now: number, rate?: Rate): RateLimitResult;
  /** Takes tokens whether they are there or not. A bucket in debt refuses until it is refilled. */
  charge(key: string, now: number, tokens: number, rate?: Rate): void;
}

/** @param count how often something may happen in that time, even all at once */
export const atMost = (count: number, seconds: number): Rate => ({
  perSecond: count / seconds,
  burst: count,
});

interface RateLimiterOptions extends Rate {
  /** Default: `SERVER_LIMITS.rateBuckets`. */
  readonly maxKeys?: number;
  /** How many nodes share the limit, this one included. Default: only this one. */
  readonly nodes?: () => number;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** Adds tokens for the time that passed. A clock that was set back adds none. */
function refill(bucket: Bucket, now: number, { perSecond, burst }: Rate): void {
  const elapsedMs = now - bucket.refilledAt;
  bucket.refilledAt = now;
  if (elapsedMs <= 0) return;
  const tokens = bucket.tokens + (elapsedMs * perSecond) / 1_000;
  bucket.tokens = tokens < burst ? tokens : burst;
}

/**
 * Keeps at most `maxKeys` buckets. It drops the least recently used one; that key starts again with a full bucket.
 * @param nodes how many nodes share the limit. A request takes that many tokens instead of one, because the other nodes
 *   serve about as many requests as this one (docs/decisions/0010)
 */
export function createRateLimiter({
  perSecond,
  burst,
  maxKeys = SERVER_LIMITS.rateBuckets,
  nodes = () => 1,
}: RateLimiterOptions): RateLimiter {
  const standard: Rate = { perSecond, burst };
  // with `max` instead of `maxSize`, each cache reserves the memory of all its entries at once: 1 MB for 50,000
  const buckets = createLru<string, Bucket>(maxKeys);

  function bucketOf(key: string, now: number, rate: Rate): Bucket {
    const known = buckets.get(key);
    if (known) {
      refill(known, now, rate);
      return known;
    }
    const bucket = { tokens: rate.burst, refilledAt: now };
    buckets.set(key, bucket);
    return bucket;
  }

  function take(key: string, now: number, rate: Rate = standard): RateLimitResult {
    const bucket = bucketOf(key, now, rate);
    const cost = Math.min(nodes(), Math.max(1, rate.burst));
    const ok = bucket.tokens >= cost;
    if (ok) bucket.tokens -= cost;
    return {
      ok,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      retryAfterSeconds: ok ? 0 : Math.max(1, Math.ceil((cost - bucket.tokens) / rate.perSecond)),
      resetSeconds: Math.ceil((rate.burst - bucket.tokens) / rate.perSecond),
    };
  }
  return {
    rate: standard,
    take,
    charge: (key, now, tokens, rate = standard) => {
      bucketOf(key, now, rate).tokens -= tokens * nodes();
    },
  };
}

/**
 * A rate limiter for client addresses: its keys end in the `key` of a client. An IPv6 client also counts towards its /48,
 * because many providers give one customer that many addresses. A /48 has the rate of `NETWORK_RATE_FACTOR` clients.
 */
export function createClientRateLimiter(options: RateLimiterOptions): RateLimiter {
  const limiter = createRateLimiter(options);
  const shared = (rate: Rate): Rate => ({
    perSecond: rate.perSecond * NETWORK_RATE_FACTOR,
    burst: rate.burst * NETWORK_RATE_FACTOR,
  });
  return {
    rate: limiter.rate,
    take(key, now, rate = limiter.rate) {
      const own = limiter.take(key, now, rate);
      const network = own.ok ? networkKey(key) : null;
      if (network === null) return own;
      const taken = limiter.take(network, now, shared(rate));
      return taken.ok ? own : taken;
    },
    charge(key, now, tokens, rate = limiter.rate) {
      limiter.charge(key, now, tokens, rate);
      const network = networkKey(key);
      if (network !== null) limiter.charge(network, now, tokens, shared(rate));
    },
  };
}

/** The 429, or null. @param detail such as its message */
export function rateRefusal(rate: Rate, taken: RateLimitResult, detail: RefusalDetail): Refusal | null {
  if (taken.ok) return null;
  const { retryAfterSeconds } = taken;
  return new Refusal("rate_limited", { ...detail, retryAfterSeconds, headers: rateHeaders(rate, taken) });
}

/** Counts something that a key does. @throws Refusal 429 with the message */
export function requireRate(limiter: RateLimiter, key: string, now: number, message: string): void {
  const refusal = rateRefusal(limiter.rate, limiter.take(key, now), { message });
  if (refusal) throw refusal;
}

/** The `RateLimit-*` headers of a refusal (docs/api/conventions.md, 429). */
export function rateHeaders(rate: Rate, result: RateLimitResult): Record<string, string> {
  return {
    "RateLimit-Limit": String(Math.max(1, Math.floor(rate.burst))),
    "RateLimit-Remaining": String(result.remaining),
    "RateLimit-Reset": String(result.resetSeconds),
  };
}
