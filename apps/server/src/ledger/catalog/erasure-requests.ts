/** Requests to erase a visitor, and their receipts (docs/api/erasure.md). */
import type { VisitorKind } from "@headwater/contract";
import type { ErasureRecord } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, lockOrganization } from "./database.ts";
import { sourcesToErase } from "./erasures.ts";

/** Unfinished erasures of one workspace: a script may request this many while the warehouse is down. */
const MAX_OPEN_ERASURES = 10_000;

/** Receipts deleted by one call of `expireReceipts`. */
const SLICE_RECEIPTS = 1_000;

interface ErasureRequest extends AuditedChange {
  receiptId: string;
  organizationId: string;
  /** null: every source of the workspace. */
  sourceId: string | null;
  kind: VisitorKind;
  /** The visitor's id. */
  id: string;
}

/**
 * Once this resolves, everything accepted earlier from the visitor will be erased, even after a crash. The audit entry says who
 * erased a visitor and in which source. It does not contain the visitor's id.
 */
async function requestErasure(
  db: CatalogDb,
  requested: ErasureRequest,
): Promise<ErasureRecord | "unknown_source" | "too_many"> {
  const { receiptId, organizationId, sourceId, kind, id, now: requestedAt } = requested;
  await lockOrganization(db, organizationId);
  if (sourceId !== null && (await sourcesToErase(db, organizationId, sourceId)).length === 0)
    return "unknown_source";
  const open = db
    .selectFrom("erasures")
    .select("receiptId")
    .where("organizationId", "=", organizationId)
    .where("finishedAt", "is", null);
  if (await hasRows(open, MAX_OPEN_ERASURES)) return "too_many";
  const asked = { receiptId, organizationId, sourceId, kind, requestedAt };
  const receipt: ErasureRecord = { ...asked, status: "ledger", finishedAt: null };
  await db
    .insertInto("erasures")
    .values({ ...receipt, visitorId: id, pages: "[]", claimedUntil: 0 })
    .execute();
  const after = { sourceId, by: kind };
  await writeAudit(db, requested, { organizationId, action: "visitor.erased", target: receiptId, after });
  return receipt;
}

/** @returns null when the workspace has no such receipt */
async function erasure(
  db: CatalogDb,
  { receiptId, organizationId }: { receiptId: string; organizationId: string },
): Promise<ErasureRecord | null> {
  const row = await db
    .selectFrom("erasures")
    .select(["receiptId", "organizationId", "sourceId", "kind", "status", "requestedAt", "finishedAt"])
    .where("receiptId", "=", receiptId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a slice of the receipts of erasures that were done before that time. @returns false when done */
async function expireReceipts(db: CatalogDb, { before }: { before: number }): Promise<boolean> {
  const old = db
    .selectFrom("erasures")
    .select("receiptId")
    .where("finishedAt", "<", before)
    .limit(SLICE_RECEIPTS);
  const { numDeletedRows } = await db
    .deleteFrom("erasures")
    .where("receiptId", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === SLICE_RECEIPTS;
}

export const erasureRequestReads = { erasure };
export const erasureRequestWrites = { requestErasure, expireReceipts };
