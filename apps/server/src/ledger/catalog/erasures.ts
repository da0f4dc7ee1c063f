/** The part of erasing visitors that both engines share: claims, progress, and deleting the visitors' sessions. */
import { sql } from "kysely";
import type { ErasedSessions } from "../ledger.ts";
import type { OpenErasure, SourceRetention } from "../records.ts";
import { belongsTo, sourcesOf, visitorsIn } from "../visitors.ts";
import type { Argument, CatalogDb, LeaseClock } from "./database.ts";
import { subtractRemoved } from "./warehouse-checks.ts";

const SLICE_SESSIONS = 5_000;
/** SQLite binds at most 32,766 values in a statement, PostgreSQL 65,535. */
const DELETES_AT_ONCE = 1_000;

/** When two nodes claim at the same time, the second finds that `claimed_until` has changed and claims nothing. */
export async function claimErasures(
  db: CatalogDb,
  leaseClock: LeaseClock,
  { now, leaseMs, limit }: Argument<"claimErasures">,
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
  for (const {
    receiptId,
    organizationId,
    sourceId,
    kind,
    visitorId,
    status,
    pages,
    requestedAt,
  } of claimed) {
    if (visitorId === null) continue;
    const sourceIds = await sourcesToErase(db, organizationId, sourceId);
    const visitor = { sourceIds, kind, id: visitorId, until: requestedAt };
    open.push({ receiptId, status, pages: JSON.parse(pages), visitor });
  }
  return open;
}

/** Includes deleted sources: their events still exist. */
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

export async function renewErasureLeases(
  db: CatalogDb,
  leaseClock: LeaseClock,
  { receiptIds, now, leaseMs }: Argument<"renewErasureLeases">,
): Promise<void> {
  if (receiptIds.length === 0) return;
  await db
    .updateTable("erasures")
    .set({ claimedUntil: sql<number>`${leaseClock(now)} + ${leaseMs}` })
    .where("receiptId", "in", receiptIds)
    .where("finishedAt", "is", null)
    .execute();
}

export async function advanceErasures(
  db: CatalogDb,
  { receiptIds, from, status, pages, removed, now }: Argument<"advanceErasures">,
): Promise<void> {
  if (receiptIds.length === 0) return;
  const finished = status === "done" ? { finishedAt: now, visitorId: null } : {};
  const { numUpdatedRows } = await db
    .updateTable("erasures")
    .set({ status, pages: JSON.stringify(pages), ...finished })
    .where("receiptId", "in", receiptIds)
    .where("status", "=", from)
    .where("finishedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (!removed) return;
  if (Number(numUpdatedRows) < receiptIds.length)
    throw new Error("Another node has advanced the erasures; they are counted again.");
  await subtractRemoved(db, removed);
}

export async function eraseSessions(
  db: CatalogDb,
  { visitors, after }: Argument<"eraseSessions">,
): Promise<ErasedSessions> {
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

export async function retentions(db: CatalogDb): Promise<SourceRetention[]> {
  const rows = await db.selectFrom("sources").select(["sourceId", "retentionDays"]).execute();
  return rows.flatMap(({ sourceId, retentionDays }) =>
    retentionDays === null ? [] : [{ sourceId, retentionDays }],
  );
}

export async function sealedPages(db: CatalogDb): Promise<string[]> {
  const rows = await db.selectFrom("outboxPages").select("pageId").execute();
  return rows.map(({ pageId }) => pageId);
}
