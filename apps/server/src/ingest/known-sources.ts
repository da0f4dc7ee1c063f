/** Sources by public key, remembered for a while, so that an ingest request asks the ledger for none of it. */

import type { AppliedLimits, KeyState } from "@headwater/contract";
import { createRemembered } from "../core/cache.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SourceRecord } from "../core/records.ts";
import type { IngestLedger } from "../ledger/ledger.ts";

/** What the source's own rules come to, worked out once. */
export interface SourceRules {
  limits: AppliedLimits;
  allowsAnyOrigin: boolean;
  allows(origin: string): boolean;
  /** What in `allowedOrigins` lets this origin in and no other; null: nothing does. */
  originToAllow(origin: string): string | null;
  /** Its `excludedPaths`. */
  excludes(path: string): boolean;
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
  /** Something of this source changed, here or elsewhere; without one, of any. */
  forget(sourceId?: string): void;
}

/** A key of ours; others need no look-up. */
const KEY = /^[A-Za-z0-9_-]{1,100}$/;

export function createKnownSources(
  ledger: IngestLedger,
  rulesOf: (source: SourceRecord) => SourceRules,
  clock: () => number,
): KnownSources {
  const remembered = createRemembered<KnownSource>({
    max: SERVER_LIMITS.sourceCacheEntries,
    maxAbsent: SERVER_LIMITS.sourceCacheEntries,
    lookUp: async (publicKey) => {
      const keyed = await ledger.sourceByKey({ publicKey, now: clock() });
      return keyed && { ...keyed, publicKey, ...rulesOf(keyed.source) };
    },
  });
  return {
    cached: remembered.get,
    find: async (publicKey) => (KEY.test(publicKey) ? remembered.ask(publicKey) : null),
    forget: (sourceId) =>
      remembered.forget(sourceId === undefined ? undefined : ({ source }) => source.sourceId === sourceId),
  };
}
