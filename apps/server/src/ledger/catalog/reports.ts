/** Reports of the stats of sources (docs/api/reports.md). A node claims a report before it sends it. */
import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ReportRecord } from "../report-record.ts";
import { type AuditedChange, type AuditNote, LINK_HOLDER, writeAudit } from "./audit.ts";
import { type CatalogDb, nextTryAt } from "./database.ts";
import { lockSource } from "./sources.ts";

/** The newest mails of one report whose links work. */
const MAX_REPORT_LINKS = 200;

/** Reports of the source that are sent every week or month, oldest first. */
const reports = (db: CatalogDb, { sourceId }: { sourceId: string }): Promise<ReportRecord[]> =>
  db
    .selectFrom("reports")
    .selectAll()
    .where("sourceId", "=", sourceId)
    .orderBy("createdAt")
    .orderBy("reportId")
    .execute();

/** The members that audit entries show. They exclude the target, because the URL of a webhook is a secret. */
const audited = ({ reportId, period, channel }: ReportRecord) => ({ reportId, period, channel });

async function createReport(
  db: CatalogDb,
  made: AuditedChange & { report: ReportRecord },
): Promise<"created" | "unknown" | "too_many"> {
  const { report, now } = made;
  const { sourceId, organizationId } = report;
  // the lock keeps requests at the same time below the limit
  if (!(await lockSource(db, { sourceId, now }))) return "unknown";
  if ((await reports(db, { sourceId })).length >= LIMITS.maxReports) return "too_many";
  await db.insertInto("reports").values(report).execute();
  const entry = { organizationId, action: "source.report_created", target: sourceId };
  await writeAudit(db, made, { ...entry, before: null, after: audited(report) });
  return "created";
}

async function remove(
  db: CatalogDb,
  found: ReportRecord | null | undefined,
  change: Pick<AuditNote, "actor" | "now">,
): Promise<boolean> {
  if (!found) return false;
  const { reportId, organizationId, sourceId: target } = found;
  const { numDeletedRows } = await db
    .deleteFrom("reports")
    .where("reportId", "=", reportId)
    .executeTakeFirstOrThrow();
  // another request was faster
  if (numDeletedRows === 0n) return false;
  const action = change.actor.userId === null ? "source.report_unsubscribed" : "source.report_deleted";
  await writeAudit(db, change, { organizationId, target, action, before: audited(found), after: null });
  return true;
}

/** @returns false when the source has no such report */
async function deleteReport(
  db: CatalogDb,
  { sourceId, reportId, ...change }: AuditedChange & { sourceId: string; reportId: string },
): Promise<boolean> {
  const found = (await reports(db, { sourceId })).find((one) => one.reportId === reportId);
  return remove(db, found, change);
}

/**
 * Stores the hash of the code in the link of a mail. It also deletes the links of old mails and of deleted
 * reports, and all but the newest links of this report.
 */
async function addReportLink(
  db: CatalogDb,
  { reportId, hash, now: createdAt }: { reportId: string; hash: string; now: number },
): Promise<void> {
  const { reportLinkMs } = SERVER_LIMITS;
  await db
    .deleteFrom("reportLinks")
    .where("createdAt", "<", createdAt - reportLinkMs)
    .execute();
  const newest = db
    .selectFrom("reportLinks")
    .select("hash")
    .where("reportId", "=", reportId)
    .orderBy("createdAt", "desc")
    .limit(MAX_REPORT_LINKS - 1);
  await db
    .deleteFrom("reportLinks")
    .where("reportId", "=", reportId)
    .where("hash", "not in", newest)
    .execute();
  await db.insertInto("reportLinks").values({ hash, reportId, createdAt }).execute();
}

/** The hash of a link in a mail, and the time from which links are accepted. */
interface ReportLink {
  hash: string;
  since: number;
}

async function reportByLink(db: CatalogDb, { hash, since }: ReportLink): Promise<ReportRecord | null> {
  const found = await db
    .selectFrom("reportLinks")
    .innerJoin("reports", "reports.reportId", "reportLinks.reportId")
    .selectAll("reports")
    .where("reportLinks.hash", "=", hash)
    .where("reportLinks.createdAt", ">=", since)
    .executeTakeFirst();
  return found ?? null;
}

/** The address of the link agrees to its report, and the link ends. @returns false when no report waits for this link */
async function confirmReport(
  db: CatalogDb,
  { nextAt, now, ...link }: ReportLink & { nextAt: number; now: number },
): Promise<boolean> {
  const found = await reportByLink(db, link);
  if (!found) return false;
  const { reportId, organizationId, sourceId: target } = found;
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set({ confirmedAt: now, nextAt })
    .where("reportId", "=", reportId)
    .where("confirmedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await db.deleteFrom("reportLinks").where("hash", "=", link.hash).execute();
  const entry = { organizationId, target, action: "source.report_confirmed" };
  await writeAudit(db, { actor: LINK_HOLDER, now }, { ...entry, before: null, after: audited(found) });
  return true;
}

/** Deletes the report of an unsubscribe link. @returns false when there is none */
const unsubscribeReport = async (
  db: CatalogDb,
  { now, ...link }: ReportLink & { now: number },
): Promise<boolean> => remove(db, await reportByLink(db, link), { actor: LINK_HOLDER, now });

/** Claims reports that are due and that their addresses have agreed to. Each is due again after `retryMs[number of earlier tries]`. */
function claimReports(
  db: CatalogDb,
  { now, limit, retryMs }: { now: number; limit: number; retryMs: readonly number[] },
): Promise<ReportRecord[]> {
  const due = db
    .selectFrom("reports")
    .select("reportId")
    .where("nextAt", "<=", now)
    .where("confirmedAt", "is not", null)
    .orderBy("nextAt")
    .limit(limit);
  return (
    db
      .updateTable("reports")
      .set((eb) => ({ tries: eb("tries", "+", 1), nextAt: nextTryAt(now, retryMs) }))
      .where("reportId", "in", due)
      // false when another node has claimed it since
      .where("nextAt", "<=", now)
      .returningAll()
      .execute()
  );
}

/** Stores that a report was sent, or why not. @param done nextAt: when it is due next; null: as it was */
async function recordReport(
  db: CatalogDb,
  done: { reportId: string; sentAt: number | null; error: string | null; nextAt: number | null },
): Promise<void> {
  const { reportId, sentAt, error, nextAt } = done;
  await db
    .updateTable("reports")
    .set({
      lastError: error,
      ...(sentAt !== null && { lastSentAt: sentAt }),
      ...(nextAt !== null && { nextAt, tries: 0 }),
    })
    .where("reportId", "=", reportId)
    .execute();
}

/** Reports that a member created, and those to the member's addresses. */
export async function deleteReportsOf(
  db: CatalogDb,
  { organizationId, userId, emails }: { organizationId: string; userId: string; emails: readonly string[] },
): Promise<void> {
  await db
    .deleteFrom("reports")
    .where("organizationId", "=", organizationId)
    .where((eb) => eb.or([eb("userId", "=", userId), eb(eb.fn("lower", ["target"]), "in", [...emails, ""])]))
    .execute();
}

export const reportReads = { reports, reportByLink };
export const reportWrites = {
  createReport,
  deleteReport,
  addReportLink,
  confirmReport,
  unsubscribeReport,
  claimReports,
  recordReport,
};
