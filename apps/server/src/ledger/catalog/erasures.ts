/** Visitors that are to be erased: the request and its receipt. What is done about it is written by hand for each engine. */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ErasureRecord } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { writeAudit } from "./audit.ts";
import { type Asked, type Db, lockOrganization, number, numberOrNull } from "./database.ts";

/** Deleted ones too: what they hold is still there. */
async function isSourceOf(db: Db, sourceId: string, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom("sources")
    .select("source_id")
    .where("source_id", "=", sourceId)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row !== undefined;
}

async function openErasures(db: Db, organizationId: string): Promise<number> {
  const row = await db
    .selectFrom("erasures")
    .select((eb) => eb.fn.countAll<number>().as("open"))
    .where("organization_id", "=", organizationId)
    .where("finished_at", "is", null)
    .executeTakeFirstOrThrow();
  return number(row.open);
}

/** The log says that a visitor was erased, by whom and where; it outlives the visitor's id. */
async function requestErasure(
  db: Db,
  requested: Asked<"requestErasure">,
): Promise<ErasureRecord | "unknown_source" | "too_many"> {
  const { receiptId, organizationId, sourceId, kind, id, actor, now } = requested;
  await lockOrganization(db, organizationId);
  if (sourceId !== null && !(await isSourceOf(db, sourceId, organizationId))) return "unknown_source";
  if ((await openErasures(db, organizationId)) >= SERVER_LIMITS.openErasures) return "too_many";
  await db
    .deleteFrom("erasures")
    .where("organization_id", "=", organizationId)
    .where("finished_at", "<", now - SERVER_LIMITS.erasureReceiptSeconds * 1_000)
    .execute();
  await db
    .insertInto("erasures")
    .values({
      receipt_id: receiptId,
      organization_id: organizationId,
      source_id: sourceId,
      kind,
      visitor_id: id,
      status: "ledger",
      pages: "[]",
      requested_at: now,
      finished_at: null,
      claimed_until: 0,
    })
    .execute();
  const after = { sourceId, by: kind };
  await writeAudit(db, { organizationId, now, actor, action: "visitor.erased", target: receiptId, after });
  const record = { receiptId, organizationId, sourceId, kind, requestedAt: now, finishedAt: null };
  return { ...record, status: "ledger" };
}

async function erasure(
  db: Db,
  { receiptId, organizationId }: Asked<"erasure">,
): Promise<ErasureRecord | null> {
  const row = await db
    .selectFrom("erasures")
    .selectAll()
    .where("receipt_id", "=", receiptId)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    receiptId,
    organizationId,
    sourceId: row.source_id,
    kind: row.kind,
    status: row.status,
    requestedAt: number(row.requested_at),
    finishedAt: numberOrNull(row.finished_at),
  };
}

export const erasureVerbs = (db: Db): Pick<Catalog, "requestErasure" | "erasure"> => ({
  requestErasure: (requested) => db.transaction().execute((trx) => requestErasure(trx, requested)),
  erasure: (asked) => erasure(db, asked),
});
