/**
 * Requests to erase a visitor and their receipts (docs/api/erasure.md), and the part of erasing that both engines share: claims,
 * progress, and deleting the visitors' sessions. Every method may be repeated, even by another node.
 */
import type { ErasureStatus, VisitorKind } from "@headwater/contract";
import { sql } from "kysely";
import type { ErasureRecord, OpenErasure, SourceRetention } from "../records.ts";
import { belongsTo, type ErasedSessions, type ErasureSlice, sourcesOf, visitorsIn } from "../visitors.ts";
import type { DayCount } from "../warehouse-report.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, type LeaseClock, lockOrganization } from "./database.ts";
import { subtractRemoved } from "./warehouse-checks.ts";

const SLICE_SESSIONS = 5_000;
/** SQLite binds at most 32,766 values in a statement, PostgreSQL 65,535. */
const DELETES_AT_ONCE = 1_000;

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
  const request = { receiptId, organizationId, sourceId, kind, requestedAt };
  const receipt: ErasureRecord = { ...request, status: "ledger", finishedAt: null };
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

/**
 * Claims unfinished erasures: new ones first, then the one that has waited longest. A claim ends after `leaseMs`. When two nodes
 * claim at the same time, the second finds that `claimed_until` has changed and claims nothing.
 */
async function claimErasures(
  db: CatalogDb,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
  leaseClock: LeaseClock,
): Promise<OpenErasure[]> {
  const time = leaseClock(now);
  const free = db
    .selectFrom("erasures")
    .select("receiptId")
    .where("finishedAt", "is", null)
    .where("claimedUntil", "<=", time)
    .orderBy("claimedUntil")
    .orderBy("requestedAt")
    .orderBy("receiptId")
    .limit(limit);
  const claimed = await db
    .updateTable("erasures")
    .set({ claimedUntil: sql<number>`${time} + ${leaseMs}` })
    .where("receiptId", "in", free)
    .where("claimedUntil", "<=", time)
    .returningAll()
    .execute();
  const open: OpenErasure[] = [];
  for (const { receiptId, kind, visitorId: id, status, pages, requestedAt: until, ...row } of claimed) {
    if (id === null) continue;
    const sourceIds = await sourcesToErase(db, row.organizationId, row.sourceId);
    open.push({ receiptId, status, pages: JSON.parse(pages), visitor: { sourceIds, kind, id, until } });
  }
  return open;
}

/** Includes deleted sources: their events still exist. @param sourceId null: every source of the workspace */
async function sourcesToErase(
  db: CatalogDb,
  organizationId: string,
  sourceId: string | null,
): Promise<string[]> {
  const rows = await db
    .selectFrom("sources")
    .select("sourceId")
    .where("organizationId", "=", organizationId)
    .$if(sourceId !== null, (query) => query.where("sourceId", "=", sourceId))
    .execute();
  return rows.map((row) => row.sourceId);
}

/** Extends claims to `leaseMs` from now. With 0 it releases them; they are then claimed last. */
async function renewErasureLeases(
  db: CatalogDb,
  { receiptIds, now, leaseMs }: { receiptIds: string[]; now: number; leaseMs: number },
  leaseClock: LeaseClock,
): Promise<void> {
  if (receiptIds.length === 0) return;
  await db
    .updateTable("erasures")
    .set({ claimedUntil: sql<number>`${leaseClock(now)} + ${leaseMs}` })
    .where("receiptId", "in", receiptIds)
    .where("finishedAt", "is", null)
    .execute();
}

interface ErasureStep {
  receiptIds: string[];
  from: ErasureStatus;
  status: ErasureStatus;
  /** The sealed pages that must be shipped before the warehouse deletes. */
  pages: string[];
  /** The events that the warehouse is going to delete. */
  removed?: DayCount[];
  now: number;
}

/**
 * Moves erasures from one status to the next. An erasure that is no longer at `from` (another node has moved it) stays as it is. At
 * `done` the visitor's id is deleted.
 * @throws Error when `removed` is given and an erasure is no longer at `from`, or another one is at `warehouse`: nothing is
 * changed then
 */
async function advanceErasures(
  db: CatalogDb,
  { receiptIds, from, status, pages, removed, now }: ErasureStep,
): Promise<void> {
  if (receiptIds.length === 0) return;
  if (removed && !(await subtractRemoved(db, removed)))
    throw new Error("Other visitors are being deleted; the events are counted again.");
  const finished = status === "done" ? { finishedAt: now, visitorId: null } : {};
  const { numUpdatedRows } = await db
    .updateTable("erasures")
    .set({ status, pages: JSON.stringify(pages), ...finished })
    .where("receiptId", "in", receiptIds)
    .where("status", "=", from)
    .where("finishedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (removed && Number(numUpdatedRows) < receiptIds.length)
    throw new Error("Another node has advanced the erasures; they are counted again.");
}

/** Deletes a slice of the visitors' sessions. @returns the deleted ones, and the cursor of the next slice */
async function eraseSessions(db: CatalogDb, { visitors, after }: ErasureSlice): Promise<ErasedSessions> {
  const { sourceIndex = 0, afterSessionId = "" } = after ?? {};
  const sourceId = sourcesOf(visitors)[sourceIndex];
  if (sourceId === undefined) return { erased: [], next: null };
  const slice = await db
    .selectFrom("sessions")
    .select(["sessionId", "anonymousId", "userId", "startedAt"])
    .where("sourceId", "=", sourceId)
    .where("sessionId", ">", afterSessionId)
    .orderBy("sessionId")
    .limit(SLICE_SESSIONS)
    .execute();
  const visitorsOfSource = visitorsIn(visitors, sourceId);
  const erased = slice
    .filter((session) => belongsTo(visitorsOfSource, { ...session, at: session.startedAt }))
    .map(({ sessionId }) => ({ sourceId, sessionId }));
  for (let start = 0; start < erased.length; start += DELETES_AT_ONCE) {
    const sessionIds = erased.slice(start, start + DELETES_AT_ONCE).map(({ sessionId }) => sessionId);
    await db
      .deleteFrom("sessions")
      .where("sourceId", "=", sourceId)
      .where("sessionId", "in", sessionIds)
      .execute();
  }
  const last = slice.length < SLICE_SESSIONS ? undefined : slice.at(-1);
  const next = last ? { sourceIndex, afterSessionId: last.sessionId } : { sourceIndex: sourceIndex + 1 };
  return { erased, next };
}

/** The sources that delete events after a number of days, including deleted sources. */
async function retentions(db: CatalogDb): Promise<SourceRetention[]> {
  const rows = await db.selectFrom("sources").select(["sourceId", "retentionDays"]).execute();
  return rows.flatMap(({ sourceId, retentionDays }) =>
    retentionDays === null ? [] : [{ sourceId, retentionDays }],
  );
}

/** The ids of the pages that are sealed and not shipped. */
async function sealedPages(db: CatalogDb): Promise<string[]> {
  const rows = await db.selectFrom("outboxPages").select("pageId").execute();
  return rows.map(({ pageId }) => pageId);
}

export const erasureReads = { erasure, retentions, sealedPages };
export const erasureWrites = {
  requestErasure,
  expireReceipts,
  claimErasures,
  renewErasureLeases,
  advanceErasures,
  eraseSessions,
};
