/** How often a client may ask (CONTRACT section 5): by address and source, by source, and for unknown keys. */
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { KnownSource } from "./known-sources.ts";

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}
interface Taken {
  readonly ok: boolean;
  readonly remaining: number;
  readonly retryAfterSeconds: number;
  readonly resetSeconds: number;
}
/** A token bucket a key. */
export interface Limiter {
  readonly rate: Rate;
  take(key: string, now: number, rate?: Rate): Taken;
}

export interface Rates {
  /** null: let in. */
  ofSource(known: KnownSource, clientKey: string, now: number): Refusal | null;
  ofUnknownKey(clientKey: string, now: number): Refusal | null;
  /** Of a key that is not in memory: some more than may be unknown, since known ones are among them. */
  ofLookUp(clientKey: string, now: number): Refusal | null;
}

type Detail = NonNullable<ConstructorParameters<typeof Refusal>[1]>;

function refusalOf(taken: Taken, rate: Rate, whose: string, more: Detail = {}): Refusal {
  return new Refusal("rate_limited", {
    ...more,
    message: `Too many requests ${whose}.`,
    retryAfterSeconds: taken.retryAfterSeconds,
    headers: {
      "RateLimit-Limit": String(rate.burst),
      "RateLimit-Remaining": String(taken.remaining),
      "RateLimit-Reset": String(taken.resetSeconds),
    },
  });
}

const times = ({ perSecond, burst }: Rate, factor: number): Rate => ({
  perSecond: perSecond * factor,
  burst: burst * factor,
});

/** Several visitors may share an address: an office, a proxy that is not vouched for. */
const ofClient = (perSecond: number): Detail => ({
  limitName: "clientRatePerSecond",
  limit: perSecond,
  hint: `Wait as Retry-After says. Where many visitors share one address, raise \`limits.clientRatePerSecond\` of the source (now ${perSecond}).`,
});

/** Makes a limiter with that rate for one key. */
export type MakeLimiter = (rate: Rate & { maxKeys: number }) => Limiter;
export interface RateDefaults {
  client: Rate;
  source: Rate;
  unknownKey: Rate;
}

export function createRates(limiter: MakeLimiter, defaults: RateDefaults): Rates {
  const clients = limiter({ ...defaults.client, maxKeys: SERVER_LIMITS.rateBuckets });
  const sources = limiter({ ...defaults.source, maxKeys: SERVER_LIMITS.sourceCacheEntries });
  const unknownKeys = limiter({ ...defaults.unknownKey, maxKeys: SERVER_LIMITS.rateBuckets });
  const lookUps = limiter({
    ...times(defaults.unknownKey, SERVER_LIMITS.lookUpsPerUnknownKey),
    maxKeys: SERVER_LIMITS.rateBuckets,
  });
  const ofKeys = (keys: Limiter, clientKey: string, now: number) => {
    const taken = keys.take(clientKey, now);
    return taken.ok ? null : refusalOf(taken, keys.rate, "with unknown keys from this address");
  };
  return {
    ofSource(known, clientKey, now) {
      const { client: rate } = known.limits.requestRate;
      const client = clients.take(`${known.source.sourceId} ${clientKey}`, now, rate);
      if (!client.ok)
        return refusalOf(client, rate, "from this address to this source", ofClient(rate.perSecond));
      const source = sources.take(known.source.sourceId, now);
      return source.ok ? null : refusalOf(source, sources.rate, "to this source");
    },
    ofUnknownKey: (clientKey, now) => ofKeys(unknownKeys, clientKey, now),
    ofLookUp: (clientKey, now) => ofKeys(lookUps, clientKey, now),
  };
}
