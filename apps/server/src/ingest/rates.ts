/** Rate limits of ingest (docs/api/limits.md): for each client address of a source, for each source, for unknown keys and for bad tokens. */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { RefusalDetail } from "../core/refusal.ts";
import {
  createClientRateLimiter,
  createRateLimiter,
  type Rate,
  type RateLimiter,
  rateRefusal,
} from "../overload/rate-limit.ts";
import type { CachedSource } from "./source-cache.ts";

/** How many uncached keys a client address may look up for each unknown key that it may try. */
const LOOK_UPS_PER_UNKNOWN_KEY = 10;

export interface IngestRates {
  readonly client: Rate;
  readonly source: Rate;
  readonly unknownKey: Rate;
  readonly failedAuth: Rate;
  /** Bytes of bodies of one address; null: no limit. */
  readonly clientBytes: Rate | null;
}

export type RateChecks = ReturnType<typeof createRateChecks>;

/** Visitors of one office, or behind a proxy that TRUST_PROXY does not name, share an address. The hint says so. */
const clientDetail = (perSecond: number): RefusalDetail => ({
  message: "Too many requests from this address to this source.",
  limitName: "clientRatePerSecond",
  limit: perSecond,
  hint: `Wait for the time in the Retry-After header. If many visitors share one address, raise the source's \`limits.clientRatePerSecond\` (now ${perSecond}).`,
});

const BYTES_DETAIL: RefusalDetail = {
  message: "Too many bytes from this address.",
  hint: "Wait for the time in the Retry-After header. If many visitors share one address, the operator can raise CLIENT_BYTES_PER_SECOND.",
};

/**
 * Each function counts one request and returns the refusal when the rate is exceeded.
 * @param nodes how many nodes share the limits, this one included
 */
export function createRateChecks(rates: IngestRates, nodes: () => number) {
  const { sourceCacheEntries } = SERVER_LIMITS;
  const createClientLimiter = (rate: Rate) => createClientRateLimiter({ ...rate, nodes });
  const clients = createClientLimiter(rates.client);
  const sources = createRateLimiter({ ...rates.source, maxKeys: sourceCacheEntries, nodes });
  const unknownKeys = createClientLimiter(rates.unknownKey);
  const { perSecond, burst } = rates.unknownKey;
  const lookUps = createClientLimiter({
    perSecond: perSecond * LOOK_UPS_PER_UNKNOWN_KEY,
    burst: burst * LOOK_UPS_PER_UNKNOWN_KEY,
  });
  const badTokens = createClientLimiter(rates.failedAuth);
  const clientBytes = rates.clientBytes && createClientLimiter(rates.clientBytes);

  const checkClient = (limiter: RateLimiter, clientKey: string, now: number, what = "unknown keys") =>
    rateRefusal(limiter.rate, limiter.take(clientKey, now), {
      message: `Too many requests with ${what} from this address.`,
    });
  const checkBytes = (limiter: RateLimiter, clientKey: string, now: number) =>
    rateRefusal(limiter.rate, limiter.take(clientKey, now), BYTES_DETAIL);
  return {
    checkSource({ source: { sourceId }, limits }: CachedSource, clientKey: string, now: number) {
      const { client: rate } = limits.requestRate;
      const client = clients.take(`${sourceId} ${clientKey}`, now, rate);
      if (!client.ok) return rateRefusal(rate, client, clientDetail(rate.perSecond));
      const tooManyBytes = clientBytes && checkBytes(clientBytes, clientKey, now);
      if (tooManyBytes) return tooManyBytes;
      return rateRefusal(sources.rate, sources.take(sourceId, now), {
        message: "Too many requests to this source.",
      });
    },
    /** Counts the body of a request, whose size is known only when it has been read. */
    countBytes: (clientKey: string, now: number, bytes: number) => clientBytes?.charge(clientKey, now, bytes),
    checkUnknownKey: (clientKey: string, now: number) => checkClient(unknownKeys, clientKey, now),
    /** Look-ups of keys that are not cached. The rate is higher than for unknown keys, since some of the keys exist. */
    checkLookUp: (clientKey: string, now: number) => checkClient(lookUps, clientKey, now),
    /** Gives back a look-up that the ledger did not answer. */
    returnLookUp: (clientKey: string, now: number) => lookUps.charge(clientKey, now, -1),
    checkBadToken: (clientKey: string, now: number) =>
      checkClient(badTokens, clientKey, now, "tokens that are not valid"),
  };
}
