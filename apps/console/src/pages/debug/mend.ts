/** What a refusal can be mended with at a press, by whom. */
import type { Attempt, AuditEntry, Permission, Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { originToAllow } from "@headwater/contract/origin";
import type { Static } from "typebox";
import { call } from "../../api.ts";
import { count } from "../../ui/count.ts";

export interface Mend {
  readonly label: string;
  readonly permissions: readonly Permission[];
  run(): Promise<unknown>;
}

/** A limit is raised to twice what was sent, as far as it may be. */
const ROOM = 2;
const DAY_SECONDS = 86_400;

type Patch = NonNullable<Parameters<typeof call<"updateSource">>[1]>["body"];

function change(source: Source, label: string, patch: Omit<NonNullable<Patch>, "organizationId">): Mend {
  const { sourceId, organizationId } = source;
  return {
    label,
    permissions: ["limits" in patch ? "sources:admin" : "sources:write"],
    run: () => call("updateSource", { params: { sourceId }, body: { organizationId, ...patch } }),
  };
}

function allowOrigin(source: Source, { origin }: Attempt): Mend | null {
  const normal = origin === null ? null : originToAllow(origin);
  if (normal === null || source.allowedOrigins.length >= LIMITS.maxAllowedOrigins) return null;
  if (source.allowedOrigins.includes(normal)) return null;
  return change(source, `Allow ${normal}`, { allowedOrigins: [...source.allowedOrigins, normal] });
}

/** Not where the source has been given a limit since that lets such a request in. */
function raisePayload(source: Source, { payloadBytes }: Attempt): Mend | null {
  const maxPayloadBytes = Math.min(payloadBytes * ROOM, LIMITS.maxPayloadBytesCeiling);
  if (maxPayloadBytes <= payloadBytes || (source.limits.maxPayloadBytes ?? 0) > payloadBytes) return null;
  return change(source, `Raise the limit to ${count(maxPayloadBytes)} bytes`, {
    limits: { maxPayloadBytes },
  });
}

/** As far as they are kept. */
function eventsIn(raw: unknown): number {
  const { events } = (raw ?? {}) as { events?: unknown };
  return Array.isArray(events) ? events.length : 0;
}

function raiseBatch(source: Source, { raw }: Attempt): Mend | null {
  const own = source.limits.maxBatchSize;
  const sent = eventsIn(raw);
  const maxBatchSize = Math.min(
    Math.max(sent, own ?? LIMITS.maxBatchSize) * ROOM,
    LIMITS.maxBatchSizeCeiling,
  );
  if (own !== null && (own >= maxBatchSize || (sent > 0 && own >= sent))) return null;
  return change(source, `Raise the limit to ${count(maxBatchSize)} events`, { limits: { maxBatchSize } });
}

/** An attempt does not tell its key; the log of changes tells the one that was replaced last. */
async function restoreLastKey({ sourceId, organizationId }: Source): Promise<unknown> {
  let cursor: string | null = null;
  do {
    const query = { organizationId, ...(cursor === null ? {} : { cursor }) };
    const page: { entries: Static<typeof AuditEntry>[]; nextCursor: string | null } = await call(
      "listAudit",
      {
        query,
      },
    );
    const rotation = page.entries.find(
      (one) => one.action === "source.key_rotated" && one.target === sourceId,
    );
    if (rotation) {
      const { publicKey } = rotation.before as { publicKey: string };
      const body = { publicKey, gracePeriodSeconds: DAY_SECONDS };
      return call("restoreKey", { params: { sourceId }, body });
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  throw new Error("The log of changes knows of no rotation of this source's key.");
}

/** @returns null where nothing can be mended here */
export function mendOf(source: Source, attempt: Attempt): Mend | null {
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
      return raisePayload(source, attempt);
    case "batch_too_large":
      return raiseBatch(source, attempt);
    case "rotated_public_key":
      return source.previousKeyExpiresAt === null && source.publicKeyRotatedAt !== null
        ? {
            label: "Restore the last key for a day",
            permissions: ["sources:admin", "audit:read"],
            run: () => restoreLastKey(source),
          }
        : null;
    default:
      return null;
  }
}
