/** A source as the API shows it, and the limits that apply to it (spec 2.1, docs/api/sources.md and docs/api/limits.md). */
import {
  type AppliedLimits,
  CONTENT_LIMIT_VALUES,
  DEDUP_WINDOW_SECONDS,
  LIMITS,
  type Source,
  type SourceLimits,
} from "@headwater/contract";
import type { Config } from "../config/settings.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import type { SourceRecord } from "../ledger/records.ts";

/** The end of the previous key is shown only while that key is accepted. */
export function renderSource(record: SourceRecord, now: number): Source {
  const { previousKeyExpiresAt } = record;
  const isPreviousKeyAccepted = previousKeyExpiresAt !== null && previousKeyExpiresAt > now;
  return {
    ...record,
    previousKeyExpiresAt: isPreviousKeyAccepted ? toIsoTime(previousKeyExpiresAt) : null,
    publicKeyRotatedAt: toIsoTimeOrNull(record.publicKeyRotatedAt),
    lastBootstrapAt: toIsoTimeOrNull(record.lastBootstrapAt),
    lastEventAt: toIsoTimeOrNull(record.lastEventAt),
    createdAt: toIsoTime(record.createdAt),
    updatedAt: toIsoTime(record.updatedAt),
  };
}

/** The smaller one of two limits. null: no limit. */
const smallerOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/**
 * The source's own limits, or else those of the settings. With its own rate, the burst grows in the same proportion. Its own
 * daily quotas can only be lower than those of the settings.
 */
export function appliedLimits(own: SourceLimits, config: Config): AppliedLimits {
  const perSecond = own.clientRatePerSecond ?? config.CLIENT_RATE_PER_SECOND;
  const ownBurst = Math.ceil((perSecond * config.CLIENT_RATE_BURST) / config.CLIENT_RATE_PER_SECOND);
  const burst = own.clientRatePerSecond === null ? config.CLIENT_RATE_BURST : Math.max(1, ownBurst);
  return {
    maxBatchSize: own.maxBatchSize ?? config.MAX_BATCH_SIZE,
    maxPayloadBytes: own.maxPayloadBytes ?? config.MAX_PAYLOAD_BYTES,
    maxEventBytes: config.MAX_EVENT_BYTES,
    maxEventAgeSeconds: LIMITS.maxEventAgeSeconds,
    dedupWindowSeconds: DEDUP_WINDOW_SECONDS,
    sessionTimeoutSeconds: LIMITS.sessionTimeoutSeconds,
    requestRate: {
      client: { perSecond, burst },
      source: { perSecond: config.SOURCE_RATE_PER_SECOND, burst: config.SOURCE_RATE_BURST },
    },
    clientBytesPerSecond: config.CLIENT_BYTES_PER_SECOND,
    ...CONTENT_LIMIT_VALUES,
    dailyQuota: {
      source: {
        events: smallerOf(own.eventsPerDay, config.SOURCE_EVENTS_PER_DAY),
        bytes: smallerOf(own.bytesPerDay, config.SOURCE_BYTES_PER_DAY),
      },
      workspace: { events: config.WORKSPACE_EVENTS_PER_DAY, bytes: config.WORKSPACE_BYTES_PER_DAY },
    },
  };
}
