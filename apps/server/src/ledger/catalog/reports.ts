/** Reports of the stats of sources (docs/api/reports.md). A node claims a report before it sends it. */
import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { ReportRecord } from "../report-record.ts";
import { writeAudit } from "./audit.ts";
import type { Argument, CatalogDb } from "./database.ts";
import { lockSource } from "./sources.ts";

/** The newest mails of one report whose links work. */
const MAX_REPORT_LINKS = 200;

export const reports = (db: CatalogDb, { sourceId }: Argument<"reports">): Promise<ReportRecord[]> =>
  db
    .selectFrom("reports")
    .selectAll()
    .where("sourceId", "=", sourceId)
    .orderBy("createdAt")
    .orderBy("reportId")
    .execute();

/** Who has the link of a mail. */
const NOBODY = { userId: null, tokenId: null };

/** Without the target: the URL of a webhook is a secret. */
const audited = ({ reportId, period, channel }: ReportRecord) => ({ reportId, period, channel });

export async function createReport(
  db: CatalogDb,
  { report, actor, now }: Argument<"createReport">,
): Promise<"created" | "unknown" | "too_many"> {
  const { sourceId, organizationId } = report;
  // the lock keeps requests at the same time below the limit
  if (!(await lockSource(db, { sourceId, now }))) return "unknown";
  if ((await reports(db, { sourceId })).length >= LIMITS.maxReports) return "too_many";
  await db.insertInto("reports").values(report).execute();
  const entry = { organizationId, now, actor, target: sourceId };
  await writeAudit(db, { ...entry, action: "source.report_created", before: null, after: audited(report) });
  return "created";
}

async function remove(
  db: CatalogDb,
  found: ReportRecord | undefined,
  { actor, now }: { actor: { userId: string | null; tokenId: string | null }; now: number },
): Promise<boolean> {
  if (!found) return false;
  const { reportId, organizationId, sourceId: target } = found;
  const { numDeletedRows } = await db
    .deleteFrom("reports")
    .where("reportId", "=", reportId)
    .executeTakeFirstOrThrow();
  // another request was faster
  if (numDeletedRows === 0n) return false;
  const action = actor.userId === null ? "source.report_unsubscribed" : "source.report_deleted";
  await writeAudit(db, { organizationId, now, actor, target, action, before: audited(found), after: null });
  return true;
}

export async function deleteReport(
  db: CatalogDb,
  { sourceId, reportId, ...change }: Argument<"deleteReport">,
): Promise<boolean> {
  const found = (await reports(db, { sourceId })).find((one) => one.reportId === reportId);
  return remove(db, found, change);
}

/** Also deletes the links of old mails, those of deleted reports among them, and of one report those beyond the newest. */
export async function addReportLink(
  db: CatalogDb,
  { reportId, hash, now }: Argument<"addReportLink">,
): Promise<void> {
  const { reportLinkMs } = SERVER_LIMITS;
  await db
    .deleteFrom("reportLinks")
    .where("createdAt", "<", now - reportLinkMs)
    .execute();
  const beyond = await db
    .selectFrom("reportLinks")
    .select("hash")
    .where("reportId", "=", reportId)
    .orderBy("createdAt", "desc")
    .offset(MAX_REPORT_LINKS - 1)
    .limit(MAX_REPORT_LINKS)
    .execute();
  const hashes = beyond.map((link) => link.hash);
  if (hashes.length > 0) await db.deleteFrom("reportLinks").where("hash", "in", hashes).execute();
  await db.insertInto("reportLinks").values({ hash, reportId, createdAt: now }).execute();
}

export async function reportByLink(
  db: CatalogDb,
  { hash, since }: Argument<"reportByLink">,
): Promise<ReportRecord | null> {
  const found = await db
    .selectFrom("reportLinks")
    .innerJoin("reports", "reports.reportId", "reportLinks.reportId")
    .selectAll("reports")
    .where("reportLinks.hash", "=", hash)
    .where("reportLinks.createdAt", ">=", since)
    .executeTakeFirst();
  return found ?? null;
}

export async function confirmReport(
  db: CatalogDb,
  { hash, since, nextAt, now }: Argument<"confirmReport">,
): Promise<boolean> {
  const found = await reportByLink(db, { hash, since });
  if (!found) return false;
  const { reportId, organizationId, sourceId: target } = found;
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set({ confirmedAt: now, nextAt })
    .where("reportId", "=", reportId)
    .where("confirmedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await db.deleteFrom("reportLinks").where("hash", "=", hash).execute();
  const entry = { organizationId, now, actor: NOBODY, target, action: "source.report_confirmed" };
  await writeAudit(db, { ...entry, before: null, after: audited(found) });
  return true;
}

export async function unsubscribeReport(
  db: CatalogDb,
  { hash, since, now }: Argument<"unsubscribeReport">,
): Promise<boolean> {
  const found = await reportByLink(db, { hash, since });
  return remove(db, found ?? undefined, { actor: NOBODY, now });
}

export async function claimReports(
  db: CatalogDb,
  { now, limit, retryMs }: Argument<"claimReports">,
): Promise<ReportRecord[]> {
  const due = await db
    .selectFrom("reports")
    .selectAll()
    .where("nextAt", "<=", now)
    .where("confirmedAt", "is not", null)
    .orderBy("nextAt")
    .limit(limit)
    .execute();
  const claimed: ReportRecord[] = [];
  for (const report of due) {
    const { reportId, nextAt, tries } = report;
    const claim = { tries: tries + 1, nextAt: now + (retryMs[tries] ?? retryMs.at(-1) ?? 0) };
    const { numUpdatedRows } = await db
      .updateTable("reports")
      .set(claim)
      .where("reportId", "=", reportId)
      // false when another node has claimed it since
      .where("nextAt", "=", nextAt)
      .where("tries", "=", tries)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) claimed.push({ ...report, ...claim });
  }
  return claimed;
}

export async function recordReport(
  db: CatalogDb,
  { reportId, sentAt, error, nextAt }: Argument<"recordReport">,
): Promise<void> {
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
