/** What a refusal can be mended with at a press, by whom. */
import type { Attempt, Permission, Source, SourceLimits } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { originToAllow } from "@headwater/contract/origin";
import { callApi } from "../../api.ts";
import { formatCount } from "../../ui/format-count.ts";

export interface QuickFix {
  readonly label: string;
  readonly permissions: readonly Permission[];
  run(): Promise<unknown>;
}

/** A limit is raised to twice what was sent, as far as it may be. */
const ROOM = 2;
const RAISED = {
  maxBatchSize: { unit: "events", most: LIMITS.maxBatchSizeCeiling },
  maxPayloadBytes: { unit: "bytes", most: LIMITS.maxPayloadBytesCeiling },
  clientRatePerSecond: { unit: "requests a second of one address", most: LIMITS.clientRatePerSecondCeiling },
} as const satisfies Record<keyof SourceLimits, { unit: string; most: number }>;
const DAY_SECONDS = 86_400;

type Patch = NonNullable<Parameters<typeof callApi<"updateSource">>[1]>["body"];

function change(source: Source, label: string, patch: Omit<NonNullable<Patch>, "organizationId">): QuickFix {
  const { sourceId, organizationId } = source;
  return {
    label,
    permissions: ["limits" in patch ? "sources:admin" : "sources:write"],
    run: () => callApi("updateSource", { params: { sourceId }, body: { organizationId, ...patch } }),
  };
}

function allowOrigin(source: Source, { origin }: Attempt): QuickFix | null {
  const normal = origin === null ? null : originToAllow(origin);
  if (normal === null || source.allowedOrigins.length >= LIMITS.maxAllowedOrigins) return null;
  if (source.allowedOrigins.includes(normal)) return null;
  return change(source, `Allow ${normal}`, { allowedOrigins: [...source.allowedOrigins, normal] });
}

/** Not where the source has been given a limit since that lets such a request in. */
function raiseLimit(source: Source, { limit }: Attempt): QuickFix | null {
  if (!limit) return null;
  const { name, value, actual } = limit;
  const enough = actual ?? value + 1;
  const raised = Math.min((actual ?? value) * ROOM, RAISED[name].most);
  if (raised < enough || (source.limits[name] ?? 0) >= enough) return null;
  return change(source, `Raise the limit to ${formatCount(raised)} ${RAISED[name].unit}`, {
    limits: { [name]: raised },
  });
}

/** One previous key is let in at a time: another one's grace would end. */
function restoreKey({ sourceId, previousKeyExpiresAt }: Source, { publicKey }: Attempt): QuickFix | null {
  if (!publicKey || previousKeyExpiresAt !== null) return null;
  const body = { publicKey, gracePeriodSeconds: DAY_SECONDS };
  return {
    label: `Restore the key that ends in ${publicKey.slice(-6)} for a day`,
    permissions: ["sources:admin"],
    run: () => callApi("restoreKey", { params: { sourceId }, body }),
  };
}

/** @returns null where nothing can be mended here */
export function quickFixFor(source: Source, attempt: Attempt): QuickFix | null {
  switch (attempt.code) {
    case "origin_not_allowed":
      return allowOrigin(source, attempt);
    case "origin_missing":
      return source.requireOrigin
        ? change(source, "Let in requests without an origin", { requireOrigin: false })
        : null;
    case "source_inactive":
      return source.isActive ? null : change(source, "Switch the source on", { isActive: true });
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
