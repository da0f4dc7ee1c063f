/**
 * Daily quotas of sources and workspaces (docs/api/limits.md). The usage of a workspace is read from the ledger every
 * few seconds; in between this node adds what it stores. So on one node the request that reaches a quota is the last one that
 * is accepted, and on several nodes each learns a few seconds later what the others have stored.
 */
import type { DailyQuota, SourceLimits } from "@headwater/contract";
import { createCache } from "../core/cache.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { DAY_MS, utcDay } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { Commit, StoredFlags, UsageRow } from "../ledger/records.ts";
import type { CachedSource } from "./source-cache.ts";

/** How old the known usage of a workspace with quotas can be: after this, a node has seen what the others stored. */
const QUOTA_REFRESH_MS = 5_000;

interface Used {
  events: number;
  bytes: number;
}

/** The usage of a workspace on one day. */
interface DayUsage {
  /** When it was read from the ledger. */
  readonly readAt: number;
  readonly workspace: Used;
  readonly sources: Map<string, Used>;
}

export type Quotas = ReturnType<typeof createQuotas>;

interface QuotaDeps {
  readonly ledger: Pick<Catalog, "usage">;
  readonly clock: () => number;
}

function addUsed(usage: DayUsage, sourceId: string, events: number, bytes: number): void {
  const own = usage.sources.get(sourceId) ?? { events: 0, bytes: 0 };
  usage.sources.set(sourceId, own);
  for (const used of [own, usage.workspace]) {
    used.events += events;
    used.bytes += bytes;
  }
}

function toDayUsage(rows: readonly UsageRow[], readAt: number): DayUsage {
  const usage: DayUsage = { readAt, workspace: { events: 0, bytes: 0 }, sources: new Map() };
  for (const { sourceId, accepted, bytes } of rows) addUsed(usage, sourceId, accepted, bytes);
  return usage;
}

const MEASURES = ["events", "bytes"] as const;
const LIMIT_NAMES = { events: "eventsPerDay", bytes: "bytesPerDay" } as const satisfies Record<
  keyof DailyQuota,
  keyof SourceLimits
>;
const SETTINGS = {
  source: { events: "SOURCE_EVENTS_PER_DAY", bytes: "SOURCE_BYTES_PER_DAY" },
  workspace: { events: "WORKSPACE_EVENTS_PER_DAY", bytes: "WORKSPACE_BYTES_PER_DAY" },
} as const;

/** The refusal if one of the quotas of the source or of the workspace is reached. */
function findReached(usage: DayUsage, { source, limits }: CachedSource, now: number): Refusal | null {
  const used = { source: usage.sources.get(source.sourceId), workspace: usage.workspace };
  for (const owner of ["source", "workspace"] as const) {
    for (const measure of MEASURES) {
      const limit = limits.dailyQuota[owner][measure];
      const actual = used[owner]?.[measure] ?? 0;
      if (limit === null || actual < limit) continue;
      const resetAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
      const seconds = Math.ceil((resetAt - now) / 1_000);
      const setting = SETTINGS[owner][measure];
      return new Refusal("quota_exceeded", {
        message: `The ${owner} has used its quota of ${limit} ${measure} for this day (UTC).`,
        hint:
          owner === "source"
            ? `Wait until \`resetAt\`. If the source's \`limits.${LIMIT_NAMES[measure]}\` is too low, an admin can raise it, up to the operator's ${setting}.`
            : `Wait until \`resetAt\`, or ask the operator to raise ${setting}.`,
        ...(owner === "source" && { limitName: LIMIT_NAMES[measure] }),
        limit,
        actual,
        resetAt,
        retryAfterSeconds: seconds,
        headers: {
          "RateLimit-Limit": String(limit),
          "RateLimit-Remaining": "0",
          "RateLimit-Reset": String(seconds),
        },
      });
    }
  }
  return null;
}

/** Counts what the ledger adds to the usage for a commit. */
function countStored({ bootstrap, bytes }: Commit, flags: StoredFlags): Used {
  const events = flags.reduce((sum, flag) => sum + flag, 0);
  return { events, bytes: events > 0 || bootstrap ? bytes : 0 };
}

/** For sources with quotas only (`CachedSource.hasQuota`), so that other sources pay nothing for them. */
export function createQuotas({ ledger, clock }: QuotaDeps) {
  const cache = createCache<DayUsage>({
    maxEntries: SERVER_LIMITS.sourceCacheEntries,
    lookUp: async (key) => {
      const [day = "", organizationId = ""] = key.split(" ");
      const readAt = clock();
      return toDayUsage(await ledger.usage({ organizationId, from: day, to: day }), readAt);
    },
  });
  async function usageOf({ source }: CachedSource, now: number): Promise<DayUsage> {
    const key = `${utcDay(now)} ${source.organizationId}`;
    const known = cache.get(key);
    if (known && clock() - known.readAt < QUOTA_REFRESH_MS) return known;
    // a look-up always has a result
    return (await cache.load(key)) ?? toDayUsage([], now);
  }
  return {
    /** The refusal if a quota is reached. */
    check: async (keyed: CachedSource, now: number) => findReached(await usageOf(keyed, now), keyed, now),
    /**
     * Adds a commit to the usage while it is written. Takes back what was not stored.
     * @throws Refusal 429 when a quota was reached since the check
     */
    async store(
      keyed: CachedSource,
      commit: Commit,
      write: () => Promise<StoredFlags>,
    ): Promise<StoredFlags> {
      const { sourceId, receivedAt, entries, bytes } = commit;
      const usage = await usageOf(keyed, receivedAt);
      const reached = findReached(usage, keyed, receivedAt);
      if (reached) throw reached;
      addUsed(usage, sourceId, entries.length, bytes);
      let stored: Used = { events: 0, bytes: 0 };
      try {
        const flags = await write();
        stored = countStored(commit, flags);
        return flags;
      } finally {
        addUsed(usage, sourceId, stored.events - entries.length, stored.bytes - bytes);
      }
    },
  };
}
