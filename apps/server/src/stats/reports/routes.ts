/** The operations on reports (docs/api/reports.md). */
import type { CreateReportBody, Issue, StatsReport } from "@headwater/contract";
import { issueAt, Refusal, requireNoIssues } from "../../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull } from "../../core/time.ts";
import type { Call, Handler } from "../../http/handler.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import type { ReportRecord } from "../../ledger/report-record.ts";
import { readEmailAddress, toEmailAddress } from "../../mail/email-address.ts";
import { toMailRefusal } from "../../mail/mail-limits.ts";
import { atMost, createRateLimiter, requireRate } from "../../overload/rate-limit.ts";
import { isZone } from "../calendar.ts";
import { UNKNOWN_ZONE } from "../scope.ts";
import { isMemberAddress } from "./consent.ts";
import { nextReportAt } from "./period.ts";
import type { Reports } from "./reports.ts";

/** Reports of one source that users send now: nobody can flood a mailbox with them. */
const REPORTS_SENT_PER_MINUTE = 5;

export interface ReportRouteDeps {
  readonly catalog: Catalog;
  readonly reports: Reports;
  /** false: no SMTP_URL. */
  readonly canMail: boolean;
  /** REPORT_WEBHOOK_ORIGINS. */
  readonly webhookOrigins: readonly string[];
  readonly newId: (prefix: string) => string;
  /** Nodes that share the rate of reports that users send now, this one included. */
  readonly nodes: () => number;
}

const SLACK_ORIGIN = "https://hooks.slack.com";
const SHOWN_CHARACTERS = 4;

/** Whoever knows the URL of a webhook can post to it. */
const maskTarget = ({ channel, target }: ReportRecord): string =>
  channel === "email" ? target : `${new URL(target).origin}/…${target.slice(-SHOWN_CHARACTERS)}`;

const renderReport = (report: ReportRecord): StatsReport => ({
  reportId: report.reportId,
  period: report.period,
  channel: report.channel,
  target: maskTarget(report),
  timezone: report.timezone,
  userId: report.userId,
  createdAt: toIsoTime(report.createdAt),
  confirmedAt: toIsoTimeOrNull(report.confirmedAt),
  nextAt: report.confirmedAt === null ? null : toIsoTime(report.nextAt),
  lastSentAt: toIsoTimeOrNull(report.lastSentAt),
  lastError: report.lastError,
});

const zoneIssues = (timezone: string): Issue[] => (isZone(timezone) ? [] : [UNKNOWN_ZONE]);

/** Users choose the address, so only the operator chooses the hosts that the service posts to. */
function targetIssues({ channel, target }: CreateReportBody, webhookOrigins: readonly string[]): Issue[] {
  const invalid = (message: string) => [issueAt(["target"], message)];
  if (channel === "email")
    return toEmailAddress(target) !== null
      ? []
      : invalid("must be an email address, such as name@example.com");
  const url = URL.parse(target);
  const allowed = [SLACK_ORIGIN, ...webhookOrigins];
  if (url && url.username === "" && url.password === "" && allowed.includes(url.origin)) return [];
  return invalid(
    `must be a webhook URL that starts with ${allowed.map((origin) => `${origin}/`).join(" or ")}`,
  );
}

const NO_MAIL_SERVER = issueAt(
  ["channel"],
  "cannot be email, because the service has no mail server. The operator must set SMTP_URL and MAIL_FROM",
);

export const listReports =
  ({ catalog, canMail }: ReportRouteDeps): Handler<"listReports"> =>
  async ({ source: { sourceId } }) => ({
    body: { reports: (await catalog.reports({ sourceId })).map(renderReport), canMail },
  });

/** If the mail with the link cannot be sent, the report is deleted, because nobody could ever agree to it. */
async function askForConsent(
  { catalog, reports }: ReportRouteDeps,
  report: ReportRecord,
  change: Pick<Call<"createReport">, "actor" | "now">,
): Promise<void> {
  try {
    await reports.askForConsent(report);
  } catch (error) {
    await catalog.deleteReport({ ...report, ...change });
    throw toMailRefusal(error);
  }
}

export const createReport =
  (deps: ReportRouteDeps): Handler<"createReport"> =>
  async ({ source: { sourceId, organizationId }, actor, body, now }) => {
    const { catalog, canMail, webhookOrigins, newId } = deps;
    const { period, channel, timezone = "UTC" } = body;
    const isUnsent = channel === "email" && !canMail;
    requireNoIssues([
      ...zoneIssues(timezone),
      ...(isUnsent ? [NO_MAIL_SERVER] : targetIssues(body, webhookOrigins)),
    ]);
    const target = channel === "slack" ? new URL(body.target).href : readEmailAddress("target", body.target);
    const isConfirmed = channel === "slack" || (await isMemberAddress(catalog, organizationId, target));
    const report: ReportRecord = {
      reportId: newId("rep"),
      organizationId,
      sourceId,
      userId: actor.userId,
      period,
      channel,
      target,
      timezone,
      createdAt: now,
      confirmedAt: isConfirmed ? now : null,
      nextAt: nextReportAt(period, timezone, now),
      tries: 0,
      lastSentAt: null,
      lastError: null,
    };
    const created = await catalog.createReport({ report, actor, now });
    if (created === "unknown") throw new Refusal("source_not_found");
    if (created === "too_many") throw new Refusal("too_many_reports");
    if (!isConfirmed) await askForConsent(deps, report, { actor, now });
    return { body: renderReport(report) };
  };

export const deleteReport =
  ({ catalog }: ReportRouteDeps): Handler<"deleteReport"> =>
  async ({ source: { sourceId }, params: { reportId }, actor, now }) => {
    const isDeleted = await catalog.deleteReport({ sourceId, reportId, actor, now });
    if (!isDeleted) throw new Refusal("report_not_found");
    return { body: { reportId, deletedAt: toIsoTime(now) } };
  };

export function sendReport({ catalog, reports, nodes }: ReportRouteDeps): Handler<"sendReport"> {
  const perMinute = REPORTS_SENT_PER_MINUTE;
  const limiter = createRateLimiter({ ...atMost(perMinute, 60), nodes });
  return async ({ source: { sourceId }, params: { reportId }, actor: { userId }, now, signal }) => {
    const report = (await catalog.reports({ sourceId })).find((one) => one.reportId === reportId);
    if (!report) throw new Refusal("report_not_found");
    if (report.confirmedAt === null) throw new Refusal("report_unconfirmed");
    requireRate(limiter, sourceId, now, `At most ${perMinute} reports of a source can be sent in a minute.`);
    await reports.sendNow(report, userId, signal).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === "rate_limited") throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Refusal("report_not_sent", { message: `The report could not be sent: ${reason}` }, error);
    });
    return { body: renderReport({ ...report, lastSentAt: now, lastError: null }) };
  };
}

export const previewReport =
  ({ reports }: ReportRouteDeps): Handler<"previewReport"> =>
  async ({ source, query: { period, timezone = "UTC" }, now, signal }) => {
    requireNoIssues(zoneIssues(timezone));
    return { body: await reports.preview({ source, period, timezone, now }, signal) };
  };
