import { Refusal } from "../core/refusal.ts";
import { AdmissionFull } from "../overload/admission.ts";
import { LedgerBusy, StorageError } from "./ledger.ts";

/**
 * Maps a thrown error to the refusal that the client gets. The error is the `cause` of the refusal if storage failed or there
 * is a bug; other refusals have no cause.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof LedgerBusy || error instanceof AdmissionFull) return new Refusal("overloaded");
  if (error instanceof StorageError)
    return new Refusal(error.kind === "full" ? "storage_full" : "storage_unavailable", {}, error);
  return new Refusal("internal_error", {}, error);
}
