/** Sources by public key, cached in memory, so that most ingest requests need no look-up in the ledger. */
import type { AppliedLimits, KeyState } from "@headwater/contract";
import { compileOrigins } from "@headwater/contract/origin";
import { pathMatcher, storedPattern } from "@headwater/contract/path-pattern";
import type { SourceLists } from "../channels/source-lists.ts";
import { createVisitClassifier, type VisitClassifier } from "../channels/visit-classifier.ts";
import { type ContainsAddress, parseAddressRanges } from "../core/address-ranges.ts";
import { createCache } from "../core/cache.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { type AddressRules, compileAddressRules } from "./address-rules.ts";

/** A source found by one of its public keys, with its settings compiled. */
export interface CachedSource {
  readonly source: SourceRecord;
  /** null: the source has no tracking plan. */
  readonly planVersion: number | null;
  readonly publicKey: string;
  readonly keyState: KeyState;
  /** When a previous key stops being accepted. null: the key is current or retired. */
  readonly keyExpiresAt: number | null;
  readonly limits: AppliedLimits;
  /** Whether the source or its workspace has a daily quota. */
  readonly hasQuota: boolean;
  readonly allowsAnyOrigin: boolean;
  readonly allowsOrigin: (origin: string) => boolean;
  readonly excludesPath: (path: string) => boolean;
  /** null: no address is excluded. */
  readonly excludesAddress: ContainsAddress | null;
  readonly addressRules: AddressRules;
  readonly classifyVisit: VisitClassifier;
}

export interface SourceCache {
  /** null: no source has the key. undefined: not cached; call `find`. */
  cached(publicKey: string): CachedSource | null | undefined;
  /** Looks the key up in the ledger. */
  find(publicKey: string): Promise<CachedSource | null>;
  /** Whether `find` would share a look-up that has not ended. */
  isFinding(publicKey: string): boolean;
  /** Waits until the ledger has answered the latest look-up. @throws StorageError when that look-up failed */
  requireAnswer(): Promise<void>;
  /** Removes a source that changed, on this node or another. Without an id: removes all, since any may have changed. */
  forget(sourceId?: string): void;
}

const hasQuota = ({ dailyQuota: { source, workspace } }: AppliedLimits): boolean =>
  [source.events, source.bytes, workspace.events, workspace.bytes].some((limit) => limit !== null);

/** The characters of public keys. Any other text is not a key and needs no look-up. */
const PUBLIC_KEY = /^[A-Za-z0-9_-]{1,100}$/;

interface SourceCacheDeps {
  readonly ledger: IngestLedger;
  /** The source's own limits, else the defaults. */
  readonly limitsOf: (source: SourceRecord) => AppliedLimits;
  readonly sourceLists: SourceLists;
  readonly clock: () => number;
}

export function createSourceCache({ ledger, limitsOf, sourceLists, clock }: SourceCacheDeps): SourceCache {
  let latestFailure: Promise<unknown> = Promise.resolve(null);
  const cache = createCache<CachedSource>({
    maxEntries: SERVER_LIMITS.sourceCacheEntries,
    maxAbsent: SERVER_LIMITS.sourceCacheEntries,
    lookUp: async (publicKey) => {
      const keyed = await ledger.sourceByKey({ publicKey, now: clock() });
      if (!keyed) return null;
      const { allows, any } = compileOrigins(keyed.source.allowedOrigins);
      const { excludedAddresses, excludedPaths, pathRules } = keyed.source;
      const limits = limitsOf(keyed.source);
      return {
        ...keyed,
        publicKey,
        limits,
        hasQuota: hasQuota(limits),
        allowsAnyOrigin: any,
        allowsOrigin: allows,
        excludesPath: pathMatcher(excludedPaths.map(storedPattern(pathRules))),
        excludesAddress: excludedAddresses.length === 0 ? null : parseAddressRanges(excludedAddresses),
        addressRules: compileAddressRules(keyed.source),
        classifyVisit: createVisitClassifier(sourceLists, keyed.source),
      };
    },
  });
  return {
    cached: cache.get,
    find: async (publicKey) => {
      if (!PUBLIC_KEY.test(publicKey)) return null;
      const found = cache.load(publicKey);
      latestFailure = found.then(
        () => null,
        (error: unknown) => error,
      );
      return found;
    },
    isFinding: cache.isLoading,
    requireAnswer: async () => {
      const failure = await latestFailure;
      if (failure !== null) throw failure;
    },
    forget: (sourceId) =>
      cache.clear(sourceId === undefined ? undefined : ({ source }) => source.sourceId === sourceId),
  };
}
