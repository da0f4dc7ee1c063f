/**
 * Sends reports by email and to Slack: those that are due, and one that a user sends now. The ledger lets one of several nodes
 * claim a report, so it is sent once.
 */
import { messageOf } from "../../core/errors.ts";
import { postJson } from "../../core/post-json.ts";
import { makeCode } from "../../core/token.ts";
import { escapeText } from "../../http/escape-html.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import type { ReportRecord } from "../../ledger/report-record.ts";
import type { LimitedMailer } from "../../mail/mail-limits.ts";
import type { QueryStats } from "../query.ts";
import { askForConsent } from "./consent.ts";
import { type ReportContent, type ReportScope, readReport } from "./content.ts";
import { lastPeriod, nextReportAt, PERIOD_WORDS } from "./period.ts";
import { type ReportFooter, renderHtml, renderText, reportSubject } from "./render.ts";

/** Reports that are sent at once. */
const REPORT_SEND_BATCH_SIZE = 4;
/** Waits between the tries to send a report, each longer than a try takes. After the last try it waits for its next period. */
export const REPORT_RETRY_MS = [300_000, 900_000, 3_600_000, 10_800_000, 43_200_000];
const MAX_REPORT_ERROR_LENGTH = 300;

interface ReportDeps {
  readonly ledger: Pick<
    Catalog,
    "source" | "claimReports" | "recordReport" | "addReportLink" | "organizationsOf" | "profile"
  >;
  readonly queryStats: QueryStats;
  /** null: no SMTP_URL. */
  readonly mailer: LimitedMailer | null;
  readonly addresses: () => { readonly baseUrl: string; readonly appUrl: string };
  readonly clock: () => number;
  readonly log: { error(fields: object, message: string): void };
}

interface ReportTotals {
  sent: number;
  failures: number;
}

export interface Reports {
  /** The mail of the last complete period. @throws Refusal when the warehouse cannot answer */
  preview(scope: ReportScope, signal: AbortSignal): Promise<{ subject: string; html: string; text: string }>;
  /** Asks the address of a report whether it agrees. @throws Error or Refusal when the mail could not be sent */
  askForConsent(report: ReportRecord): Promise<void>;
  /** @throws Error that says why it could not be sent */
  sendNow(report: ReportRecord, userId: string, signal: AbortSignal): Promise<void>;
  /** Sends some of the reports that are due. @returns whether more may be due */
  sendDue(signal: AbortSignal): Promise<boolean>;
  /** Since the start of this process. */
  totals(): Readonly<ReportTotals>;
}

const footerOf = (period: ReportRecord["period"], unsubscribeUrl: string | null): ReportFooter => ({
  text: `Headwater sends this ${PERIOD_WORDS[period]} report. Members of the workspace can delete it on the source's stats page.`,
  url: unsubscribeUrl,
});

interface ReportDelivery {
  /** null: a new one for each mail, since mailboxes drop a second mail with the same id. */
  readonly messageId: string | null;
  /** Who sends the report now; null: it is due. */
  readonly userId: string | null;
}

function createDelivery({ ledger, mailer, addresses, clock }: ReportDeps) {
  async function sendMail(
    content: ReportContent,
    report: ReportRecord,
    { messageId, userId }: ReportDelivery,
  ) {
    if (!mailer) throw new Error("the service has no mail server (SMTP_URL)");
    const { code, codeHash: hash } = makeCode();
    await ledger.addReportLink({ reportId: report.reportId, hash, now: clock() });
    const unsubscribeUrl = `${addresses().baseUrl}/api/reports/unsubscribe/${code}`;
    const footer = footerOf(report.period, unsubscribeUrl);
    const mail = {
      to: report.target,
      subject: reportSubject(content),
      text: renderText(content, footer),
      html: renderHtml(content, footer),
      // RFC 8058
      headers: {
        "List-Unsubscribe": `<${unsubscribeUrl}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
      ...(messageId !== null && { messageId }),
    };
    // the report itself is tried again later
    await mailer.send(mail, { organizationId: report.organizationId, userId }, false);
  }

  const sendToSlack = (content: ReportContent, { period, target }: ReportRecord) =>
    postJson(
      target,
      JSON.stringify({
        // Slack reads `<…>` as links and mentions, so what a visitor sends must not become one
        text: escapeText(renderText(content, footerOf(period, null))),
        unfurl_links: false,
        unfurl_media: false,
      }),
    );

  return (content: ReportContent, report: ReportRecord, delivery: ReportDelivery) =>
    report.channel === "slack" ? sendToSlack(content, report) : sendMail(content, report, delivery);
}

interface ReportSending {
  /** Who sends the report now; null: it is due. */
  readonly userId: string | null;
  /** When it is due next, after it was sent and after a failure. null: as it was. */
  readonly sent: number | null;
  readonly failed: number | null;
}

/** Sends a report, and stores whether it was sent. */
function createSending(deps: ReportDeps, totals: ReportTotals) {
  const { ledger, queryStats, addresses, clock, log } = deps;
  const deliver = createDelivery(deps);
  return async (report: ReportRecord, signal: AbortSignal, sending: ReportSending): Promise<void> => {
    const { reportId, sourceId, period, timezone, tries } = report;
    const now = clock();
    const source = await ledger.source({ sourceId, now });
    // its reports were deleted with it
    if (!source) return;
    const [firstDay] = lastPeriod(period, timezone, now).days;
    try {
      const scope = { source, period, timezone, now };
      const content = await readReport(queryStats, scope, addresses().appUrl, signal);
      const messageId = sending.userId === null ? `${reportId}.${firstDay}` : null;
      await deliver(content, report, { messageId, userId: sending.userId });
    } catch (error) {
      const reason = messageOf(error).slice(0, MAX_REPORT_ERROR_LENGTH);
      totals.failures += 1;
      log.error({ reportId, sourceId, tries, reason }, "a report could not be sent");
      await ledger.recordReport({ reportId, sentAt: null, error: reason, nextAt: sending.failed });
      throw error;
    }
    totals.sent += 1;
    await ledger.recordReport({ reportId, sentAt: now, error: null, nextAt: sending.sent });
  };
}

export function createReports(deps: ReportDeps): Reports {
  const { ledger, queryStats, addresses, clock } = deps;
  const totals: ReportTotals = { sent: 0, failures: 0 };
  const send = createSending(deps, totals);

  async function sendClaimed(report: ReportRecord, signal: AbortSignal): Promise<void> {
    const sent = nextReportAt(report.period, report.timezone, clock());
    const isLast = report.tries > REPORT_RETRY_MS.length;
    // the claim has set the time of the next try; the failure is stored and logged
    await send(report, signal, { userId: null, sent, failed: isLast ? sent : null }).catch(() => undefined);
  }

  return {
    preview: async (scope, signal) => {
      const content = await readReport(queryStats, scope, addresses().appUrl, signal);
      const footer = footerOf(scope.period, null);
      const subject = reportSubject(content);
      return { subject, html: renderHtml(content, footer), text: renderText(content, footer) };
    },
    askForConsent: (report) => askForConsent(deps, report),
    sendNow: (report, userId, signal) => send(report, signal, { userId, sent: null, failed: null }),
    sendDue: async (signal) => {
      const due = await ledger.claimReports({
        now: clock(),
        limit: REPORT_SEND_BATCH_SIZE,
        retryMs: REPORT_RETRY_MS,
      });
      await Promise.all(due.map((report) => sendClaimed(report, signal)));
      return due.length === REPORT_SEND_BATCH_SIZE;
    },
    totals: () => totals,
  };
}
