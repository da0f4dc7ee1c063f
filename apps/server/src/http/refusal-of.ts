/** Whatever was thrown, as a refusal: what nobody foresaw is `internal_error`, which says nothing of the inside. */
import type { ErrorCode } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { StorageError } from "../ledger/ledger.ts";

/** What the framework refuses by itself. */
const FRAMEWORK: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_BAD_URL: "malformed_http",
  FST_ERR_MAX_PARAM_LENGTH: "route_not_found",
};

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StorageError)
    return new Refusal(error.full ? "storage_full" : "storage_unavailable", {}, error);
  const known = FRAMEWORK[codeOf(error)];
  return new Refusal(known ?? "internal_error", {}, error);
}

/** Is it worth a line in the log? The client that went away while it was sending is not. */
export const isBug = (refusal: Refusal): boolean =>
  refusal.code === "internal_error" && codeOf(refusal.cause) !== "ECONNRESET";
