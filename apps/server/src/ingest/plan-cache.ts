/** The compiled tracking plans of sources in use. A version of a plan never changes, so no change makes it outdated. */
import { createCache } from "../core/cache.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { type CompiledPlan, compilePlan } from "../plan/compile-plan.ts";

/** Compiled tracking plans, and their bytes as JSON: 32 plans of the greatest size. */
const PLAN_CACHE_ENTRIES = 1_000;
const PLAN_CACHE_BYTES = 8 * 1_048_576;

export type PlanCache = ReturnType<typeof createPlanCache>;

const keyOf = (sourceId: string, version: number) => `${version} ${sourceId}`;

export function createPlanCache(ledger: Pick<Catalog, "trackingPlan">) {
  const cache = createCache<CompiledPlan>({
    maxEntries: PLAN_CACHE_ENTRIES,
    maxWeight: PLAN_CACHE_BYTES,
    weightOf: ({ sizeBytes }) => sizeBytes,
    lookUp: async (key) => {
      const at = key.indexOf(" ");
      const record = await ledger.trackingPlan({
        sourceId: key.slice(at + 1),
        version: Number(key.slice(0, at)),
      });
      return record && compilePlan(record.plan);
    },
  });
  return {
    /** null: the version is no longer kept. */
    find: (sourceId: string, version: number) => {
      const key = keyOf(sourceId, version);
      return cache.get(key) ?? cache.load(key);
    },
    /** Removes all, when the ledger may have become an earlier one. */
    forgetAll: () => cache.clear(),
  };
}
