/** Fixes for refused attempts that the console offers as one button. */
import type { DebugAttempt, Permission, Source, SourceLimits, UpdateSourceBody } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { compileOrigins, originToAllow } from "@headwater/contract/origin";
import { api } from "../../api.ts";
import { dateFormat } from "../../own-format.ts";
import { formatCount } from "../../ui/format-count.ts";

interface QuickFix {
  readonly label: string;
  /** The word for a mended refusal, such as `Allowed`. */
  readonly done: string;
  readonly permissions: readonly Permission[];
  run(): Promise<unknown>;
}

/** The fix, made or still to make, that lets a request like a refused one be accepted. */
interface Remedy {
  readonly fix: QuickFix | null;
  /** Set when the settings of the source accept such requests now, such as `Allowed 12:54`. */
  readonly done: string | null;
}
const NONE: Remedy = { fix: null, done: null };
const time = dateFormat({ timeStyle: "short" });

/** When fixes were made in this tab, by the source and the label. */
const madeAt = new Map<string, number>();
const keyOf = (sourceId: string, label: string) => `${sourceId} ${label}`;

/** Makes the fix and remembers when. */
export async function makeFix({ sourceId }: Source, { label, run }: QuickFix): Promise<void> {
  await run();
  madeAt.set(keyOf(sourceId, label), Date.now());
}

/** @param isDone whether the settings of the source accept such requests now */
function toRemedy(source: Source, fix: QuickFix, isDone: boolean): Remedy {
  if (!isDone) return { fix, done: null };
  const at = madeAt.get(keyOf(source.sourceId, fix.label));
  return { fix: null, done: at === undefined ? fix.done : `${fix.done} ${time().format(at)}` };
}

/** A limit is raised to twice the refused value, but not above its ceiling. */
const RAISE_FACTOR = 2;
const RAISABLE_LIMITS = {
  maxBatchSize: { unit: "events", ceiling: LIMITS.maxBatchSizeCeiling },
  maxPayloadBytes: { unit: "bytes", ceiling: LIMITS.maxPayloadBytesCeiling },
  clientRatePerSecond: {
    unit: "requests per second per IP address",
    ceiling: LIMITS.clientRatePerSecondCeiling,
  },
  // a quota is a decision about costs, not a fault of the install
  eventsPerDay: null,
  bytesPerDay: null,
} as const satisfies Record<keyof SourceLimits, { unit: string; ceiling: number } | null>;
const DAY_SECONDS = 86_400;

function updateSource(
  { sourceId, organizationId }: Source,
  texts: Pick<QuickFix, "label" | "done">,
  patch: Omit<UpdateSourceBody, "organizationId">,
): QuickFix {
  return {
    ...texts,
    permissions: ["limits" in patch ? "sources:admin" : "sources:write"],
    run: () => api.updateSource({ params: { sourceId }, body: { organizationId, ...patch } }),
  };
}

/** @param origin the value of the header of a refused request */
export function remedyForOrigin(source: Source, origin: string): Remedy {
  const { allowedOrigins } = source;
  const allowed = originToAllow(origin);
  if (allowed === null) return NONE;
  const fix = updateSource(
    source,
    { label: `Allow ${allowed}`, done: "Allowed" },
    { allowedOrigins: [...allowedOrigins, allowed] },
  );
  const isDone = compileOrigins(allowedOrigins).allows(allowed);
  return !isDone && allowedOrigins.length >= LIMITS.maxAllowedOrigins ? NONE : toRemedy(source, fix, isDone);
}

function raiseLimit(source: Source, { limit }: DebugAttempt): Remedy {
  if (!limit) return NONE;
  const { name, value, actual } = limit;
  const raisable = RAISABLE_LIMITS[name];
  if (raisable === null) return NONE;
  const { unit, ceiling } = raisable;
  const required = actual ?? value + 1;
  const raised = Math.min((actual ?? value) * RAISE_FACTOR, ceiling);
  if (raised < required) return NONE;
  const label = `Raise the limit to ${formatCount(raised)} ${unit}`;
  const fix = updateSource(source, { label, done: "Limit raised" }, { limits: { [name]: raised } });
  return toRemedy(source, fix, (source.limits[name] ?? 0) >= required);
}

/** A source accepts one previous key at a time, so no key is restored while another has a grace period. */
function restoreKey(source: Source, { publicKey }: DebugAttempt): Remedy {
  if (!publicKey) return NONE;
  const { sourceId, previousKeyExpiresAt } = source;
  const label = `Restore key …${publicKey.slice(-6)} for a day`;
  const fix: QuickFix = {
    label,
    done: "Key restored",
    permissions: ["sources:admin"],
    run: () => api.restoreKey({ params: { sourceId }, body: { publicKey, gracePeriodSeconds: DAY_SECONDS } }),
  };
  // the source does not say which key is its previous one
  const isRestored = previousKeyExpiresAt !== null && madeAt.has(keyOf(sourceId, label));
  return previousKeyExpiresAt !== null && !isRestored ? NONE : toRemedy(source, fix, isRestored);
}

/** @returns neither a fix nor that one was made when the console has none for the refusal */
export function remedyFor(source: Source, attempt: DebugAttempt): Remedy {
  switch (attempt.code) {
    case "origin_not_allowed":
      return attempt.origin === null ? NONE : remedyForOrigin(source, attempt.origin);
    case "origin_missing": {
      const texts = { label: "Allow requests without an Origin header", done: "Allowed" };
      return toRemedy(source, updateSource(source, texts, { requireOrigin: false }), !source.requireOrigin);
    }
    case "source_inactive": {
      const texts = { label: "Activate source", done: "Activated" };
      return toRemedy(source, updateSource(source, texts, { isActive: true }), source.isActive);
    }
    case "payload_too_large":
    case "batch_too_large":
    case "rate_limited":
      return raiseLimit(source, attempt);
    case "rotated_public_key":
      return restoreKey(source, attempt);
    default:
      return NONE;
  }
}
