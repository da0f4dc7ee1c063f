/** Requests to erase a visitor, and their receipts (docs/api/erasure.md). */
import type { ErasureRecord } from "../records.ts";
import { writeAudit } from "./audit.ts";
import { type Argument, type CatalogDb, lockOrganization } from "./database.ts";

/** Unfinished erasures of one workspace: a script may request this many while the warehouse is down. */
const MAX_OPEN_ERASURES = 10_000;

/** Receipts deleted by one call of `expireReceipts`. */
const SLICE_RECEIPTS = 1_000;

const RECEIPT_COLUMNS = [
  "receiptId",
  "organizationId",
  "sourceId",
  "kind",
  "status",
  "requestedAt",
  "finishedAt",
] as const;

/** True for deleted sources too, because their events still exist. */
async function belongsToOrganization(
  db: CatalogDb,
  sourceId: string,
  organizationId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("sources")
    .select("sourceId")
    .where("sourceId", "=", sourceId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row !== undefined;
}

async function countOpenErasures(db: CatalogDb, organizationId: string): Promise<number> {
  const { open } = await db
    .selectFrom("erasures")
    .select((eb) => eb.fn.countAll<number>().as("open"))
    .where("organizationId", "=", organizationId)
    .where("finishedAt", "is", null)
    .executeTakeFirstOrThrow();
  return open;
}

/** The audit entry says who erased a visitor and in which source. It does not contain the visitor's id. */
export async function requestErasure(
  db: CatalogDb,
  requested: Argument<"requestErasure">,
): Promise<ErasureRecord | "unknown_source" | "too_many"> {
  const { receiptId, organizationId, sourceId, kind, id, actor, now } = requested;
  await lockOrganization(db, organizationId);
  if (sourceId !== null && !(await belongsToOrganization(db, sourceId, organizationId)))
    return "unknown_source";
  if ((await countOpenErasures(db, organizationId)) >= MAX_OPEN_ERASURES) return "too_many";
  const receipt: ErasureRecord = {
    receiptId,
    organizationId,
    sourceId,
    kind,
    status: "ledger",
    requestedAt: now,
    finishedAt: null,
  };
  await db
    .insertInto("erasures")
    .values({ ...receipt, visitorId: id, pages: "[]", claimedUntil: 0 })
    .execute();
  const after = { sourceId, by: kind };
  await writeAudit(db, { organizationId, now, actor, action: "visitor.erased", target: receiptId, after });
  return receipt;
}

export async function erasure(
  db: CatalogDb,
  { receiptId, organizationId }: Argument<"erasure">,
): Promise<ErasureRecord | null> {
  const row = await db
    .selectFrom("erasures")
    .select(RECEIPT_COLUMNS)
    .where("receiptId", "=", receiptId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return row ?? null;
}

export async function expireReceipts(
  db: CatalogDb,
  { before }: Argument<"expireReceipts">,
): Promise<boolean> {
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
