/** A source as the contract shows it, and the limits that hold for it (spec 2.1, CONTRACT sections 2 and 5). */
import {
  type AppliedLimits,
  DEDUP_WINDOW_SECONDS,
  LIMITS,
  type Source,
  type SourceLimits,
} from "@headwater/contract";
import type { SourceRecord } from "../core/records.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";

/** What holds where a source has no limit of its own; an operator may set each. */
export interface LimitDefaults {
  readonly maxBatchSize: number;
  readonly maxPayloadBytes: number;
  readonly maxEventBytes: number;
  readonly clientRatePerSecond: number;
  readonly clientRateBurst: number;
  readonly sourceRatePerSecond: number;
  readonly sourceRateBurst: number;
}

/** A previous key is shown while it is let in, and no longer. */
export function renderSource(record: SourceRecord, now: number): Source {
  const previous = record.previousKeyExpiresAt;
  return {
    sourceId: record.sourceId,
    organizationId: record.organizationId,
    name: record.name,
    slug: record.slug,
    publicKey: record.publicKey,
    allowedOrigins: record.allowedOrigins,
    frameworkHint: record.frameworkHint,
    isActive: record.isActive,
    requireOrigin: record.requireOrigin,
    privacy: record.privacy,
    goals: record.goals,
    bots: record.bots,
    excludedPaths: record.excludedPaths,
    retentionDays: record.retentionDays,
    limits: record.limits,
    previousKeyExpiresAt: previous !== null && previous > now ? toIsoTime(previous) : null,
    publicKeyRotatedAt: toIsoTimeOrNull(record.publicKeyRotatedAt),
    lastBootstrapAt: toIsoTimeOrNull(record.lastBootstrapAt),
    lastEventAt: toIsoTimeOrNull(record.lastEventAt),
    createdAt: toIsoTime(record.createdAt),
    updatedAt: toIsoTime(record.updatedAt),
  };
}

/** The source's own limits, else the defaults. A raised rate keeps the default's proportion of burst. */
export function appliedLimits(own: SourceLimits, defaults: LimitDefaults): AppliedLimits {
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
  };
}
