/** Fixes for refused attempts that the console offers as one button. */
import type { DebugAttempt, Permission, Source, SourceLimits, UpdateSourceBody } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { originToAllow } from "@headwater/contract/origin";
import { api } from "../../api.ts";
import { formatCount } from "../../ui/format-count.ts";

interface QuickFix {
  readonly label: string;
  readonly permissions: readonly Permission[];
  run(): Promise<unknown>;
}

/** A limit is raised to twice the refused value, but not above its ceiling. */
const RAISE_FACTOR = 2;
const RAISABLE_LIMITS = {
  maxBatchSize: { unit: "events", ceiling: LIMITS.maxBatchSizeCeiling },
  maxPayloadBytes: { unit: "bytes", ceiling: LIMITS.maxPayloadBytesCeiling },
  clientRatePerSecond: {
    unit: "requests per second and IP address",
    ceiling: LIMITS.clientRatePerSecondCeiling,
  },
  // a quota is a decision about costs, not a fault of the install
  eventsPerDay: null,
  bytesPerDay: null,
} as const satisfies Record<keyof SourceLimits, { unit: string; ceiling: number } | null>;
const DAY_SECONDS = 86_400;

function updateSource(
  source: Source,
  label: string,
  patch: Omit<UpdateSourceBody, "organizationId">,
): QuickFix {
  const { sourceId, organizationId } = source;
  return {
    label,
    permissions: ["limits" in patch ? "sources:admin" : "sources:write"],
    run: () => api.updateSource({ params: { sourceId }, body: { organizationId, ...patch } }),
  };
}

function allowOrigin(source: Source, { origin }: DebugAttempt): QuickFix | null {
  const allowed = origin === null ? null : originToAllow(origin);
  if (allowed === null || source.allowedOrigins.length >= LIMITS.maxAllowedOrigins) return null;
  if (source.allowedOrigins.includes(allowed)) return null;
  return updateSource(source, `Allow ${allowed}`, { allowedOrigins: [...source.allowedOrigins, allowed] });
}

/** @returns null when the source's limit has already been raised far enough since the attempt */
function raiseLimit(source: Source, { limit }: DebugAttempt): QuickFix | null {
  if (!limit) return null;
  const { name, value, actual } = limit;
  const raisable = RAISABLE_LIMITS[name];
  if (raisable === null) return null;
  const { unit, ceiling } = raisable;
  const required = actual ?? value + 1;
  const raised = Math.min((actual ?? value) * RAISE_FACTOR, ceiling);
  if (raised < required || (source.limits[name] ?? 0) >= required) return null;
  return updateSource(source, `Raise the limit to ${formatCount(raised)} ${unit}`, {
    limits: { [name]: raised },
  });
}

/** A source accepts one previous key at a time, so no key is restored while another has a grace period. */
function restoreKey(
  { sourceId, previousKeyExpiresAt }: Source,
  { publicKey }: DebugAttempt,
): QuickFix | null {
  if (!publicKey || previousKeyExpiresAt !== null) return null;
  const body = { publicKey, gracePeriodSeconds: DAY_SECONDS };
  return {
    label: `Restore the key that ends in ${publicKey.slice(-6)} for a day`,
    permissions: ["sources:admin"],
    run: () => api.restoreKey({ params: { sourceId }, body }),
  };
}

/** @returns null when the console has no fix for the refusal */
export function quickFixFor(source: Source, attempt: DebugAttempt): QuickFix | null {
  switch (attempt.code) {
    case "origin_not_allowed":
      return allowOrigin(source, attempt);
    case "origin_missing":
      return source.requireOrigin
        ? updateSource(source, "Allow requests without an Origin header", { requireOrigin: false })
        : null;
    case "source_inactive":
      return source.isActive ? null : updateSource(source, "Activate source", { isActive: true });
    case "payload_too_large":
    case "batch_too_large":
    case "rate_limited":
      return raiseLimit(source, attempt);
    case "rotated_public_key":
      return restoreKey(source, attempt);
    default:
      return null;
  }
}
