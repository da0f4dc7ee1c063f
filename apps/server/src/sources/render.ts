/** A source as the API shows it, and the limits that apply to it (spec 2.1, docs/api/sources.md and docs/api/limits.md). */
import {
  type AppliedLimits,
  CONTENT_LIMIT_VALUES,
  DEDUP_WINDOW_SECONDS,
  LIMITS,
  type Source,
  type SourceLimits,
} from "@headwater/contract";
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

/** The limits of a source that sets none itself. Each is a setting of the server. */
interface LimitDefaults {
  readonly maxBatchSize: number;
  readonly maxPayloadBytes: number;
  readonly maxEventBytes: number;
  readonly clientRatePerSecond: number;
  readonly clientRateBurst: number;
  readonly sourceRatePerSecond: number;
  readonly sourceRateBurst: number;
  readonly clientBytesPerSecond: number | null;
  readonly dailyQuota: AppliedLimits["dailyQuota"];
}

/** The smaller one of two limits. null: no limit. */
const smallerOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/**
 * The source's own limits, or else the defaults. With its own rate, the burst grows in the same proportion. Its own daily
 * quotas can only be lower than the defaults.
 */
export function appliedLimits(own: SourceLimits, defaults: LimitDefaults): AppliedLimits {
  const { source, workspace } = defaults.dailyQuota;
  const perSecond = own.clientRatePerSecond ?? defaults.clientRatePerSecond;
  const burst =
    own.clientRatePerSecond === null
      ? defaults.clientRateBurst
      : Math.max(1, Math.ceil((perSecond * defaults.clientRateBurst) / defaults.clientRatePerSecond));
  return {
    maxBatchSize: own.maxBatchSize ?? defaults.maxBatchSize,
    maxPayloadBytes: own.maxPayloadBytes ?? defaults.maxPayloadBytes,
    maxEventBytes: defaults.maxEventBytes,
    maxEventAgeSeconds: LIMITS.maxEventAgeSeconds,
    dedupWindowSeconds: DEDUP_WINDOW_SECONDS,
    sessionTimeoutSeconds: LIMITS.sessionTimeoutSeconds,
    requestRate: {
      client: { perSecond, burst },
      source: { perSecond: defaults.sourceRatePerSecond, burst: defaults.sourceRateBurst },
    },
    clientBytesPerSecond: defaults.clientBytesPerSecond,
    ...CONTENT_LIMIT_VALUES,
    dailyQuota: {
      source: {
        events: smallerOf(own.eventsPerDay, source.events),
        bytes: smallerOf(own.bytesPerDay, source.bytes),
      },
      workspace,
    },
  };
}
