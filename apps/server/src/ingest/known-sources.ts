/** Sources by public key, remembered for a while, so that an ingest request asks the ledger for none of it. */
import { type AppliedLimits, type KeyState, LIMITS } from "@headwater/contract";
import { LRUCache } from "lru-cache";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SourceRecord } from "../ledger/records.ts";

/** What the source's own rules come to, worked out once. */
export interface SourceRules {
  limits: AppliedLimits;
  allowsAnyOrigin: boolean;
  allows(origin: string): boolean;
  /** What in `allowedOrigins` lets this origin in and no other; null: nothing does. */
  originToAllow(origin: string): string | null;
}

export interface KnownSource extends SourceRules {
  source: SourceRecord;
  /** The key it was found by. */
  publicKey: string;
  keyState: KeyState;
  keyExpiresAt: number | null;
}

export interface KnownSources {
  /** undefined: ask `find`. */
  cached(publicKey: string): KnownSource | null | undefined;
  find(publicKey: string): Promise<KnownSource | null>;
  /** Something of a source changed, here or elsewhere. */
  forget(): void;
}

/** A key of ours; others need no look-up. */
const KEY = /^[A-Za-z0-9_-]{1,100}$/;

export function createKnownSources(
  ledger: IngestLedger,
  rulesOf: (source: SourceRecord) => SourceRules,
  clock: () => number,
): KnownSources {
  const known = new LRUCache<string, KnownSource>({ max: LIMITS.sourceCacheEntries });
  /** Apart, so that made-up keys push no source out. */
  const unknown = new LRUCache<string, true>({ max: LIMITS.sourceCacheEntries });
  let epoch = 0;

  const cached = (publicKey: string) => known.get(publicKey) ?? (unknown.has(publicKey) ? null : undefined);
  const find = async (publicKey: string) => {
    if (!KEY.test(publicKey)) return null;
    const asked = epoch;
    const keyed = await ledger.sourceByKey({ publicKey, now: clock() });
    const found = keyed && { ...keyed, publicKey, ...rulesOf(keyed.source) };
    // an answer from before a change is used once and not kept
    if (asked === epoch && found) known.set(publicKey, found);
    else if (asked === epoch) unknown.set(publicKey, true);
    return found;
  };
  return {
    cached,
    find,
    forget() {
      epoch += 1;
      known.clear();
      unknown.clear();
    },
  };
}
