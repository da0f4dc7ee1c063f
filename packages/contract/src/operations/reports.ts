/** The operations on reports that are sent by email and to Slack. */
import Type from "typebox";
import {
  BODY_CODES,
  COMMON_CODES,
  type Operation,
  QUERY_CODES,
  sourceCodes,
  WAREHOUSE_CODES,
} from "../operation.ts";
import { SourceOrganizationQuery } from "./queries.ts";
import {
  CreateReportBody,
  DeletedReport,
  ReportList,
  ReportPreview,
  ReportPreviewQuery,
  StatsReport,
} from "./report-schemas.ts";

const REPORTS = "/api/tracking-sources/:sourceId/reports";
const CONSENT = "/api/reports/consent/:token";
const UNSUBSCRIBE = "/api/reports/unsubscribe/:token";

/** A page that a mail links to. */
const LINK_PAGE = {
  access: "public",
  status: 200,
  answer: Type.String(),
  mediaType: "text/html",
  hasClientRate: true,
  codes: COMMON_CODES,
} as const;

export const REPORT_OPERATIONS = [
  {
    id: "listReports",
    tag: "Stats",
    method: "GET",
    path: REPORTS,
    summary: "List the reports of a source",
    description: "Webhook URLs are not shown in full.",
    access: "sources:write",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: ReportList,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "createReport",
    tag: "Stats",
    method: "POST",
    path: REPORTS,
    summary: "Send a report every week or month",
    description:
      "It is sent six hours after each week or month. An email address that is not a member's gets an email with a link, and the report waits for consent. Webhooks: `https://hooks.slack.com`, and origins in `REPORT_WEBHOOK_ORIGINS`.",
    access: "sources:write",
    organization: "optional-body",
    source: "path",
    body: CreateReportBody,
    status: 201,
    answer: StatsReport,
    codes: sourceCodes([...BODY_CODES, "too_many_reports", "mail_unavailable"]),
  },
  {
    id: "deleteReport",
    tag: "Stats",
    method: "DELETE",
    path: `${REPORTS}/:reportId`,
    summary: "Delete a report",
    description: "It is no longer sent.",
    access: "sources:write",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: DeletedReport,
    codes: sourceCodes([...QUERY_CODES, "report_not_found"]),
  },
  {
    id: "sendReport",
    tag: "Stats",
    method: "POST",
    path: `${REPORTS}/:reportId/send`,
    summary: "Send a report now",
    description:
      "The report for the last complete week or month. A source can send 5 a minute. The schedule does not change.",
    access: "sources:write",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: StatsReport,
    codes: sourceCodes([...QUERY_CODES, "report_not_found", "report_unconfirmed", "report_not_sent"]),
  },
  {
    id: "previewReport",
    tag: "Stats",
    method: "GET",
    path: `${REPORTS}/preview`,
    summary: "Preview a report",
    description: "The email about the last complete week or month.",
    access: "sources:read",
    organization: "optional-query",
    source: "path",
    query: ReportPreviewQuery,
    status: 200,
    answer: ReportPreview,
    codes: sourceCodes([...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
  {
    id: "askReportConsent",
    tag: "Stats",
    method: "GET",
    path: CONSENT,
    summary: "Ask whether an address agrees to a report",
    description:
      "The page of the link in the email that asks for consent. It changes nothing, because mail scanners follow links.",
    ...LINK_PAGE,
  },
  {
    id: "giveReportConsent",
    tag: "Stats",
    method: "POST",
    path: CONSENT,
    summary: "Agree to a report",
    description: "The report is sent from its next week or month on. The link works once, within 7 days.",
    ...LINK_PAGE,
  },
  {
    id: "confirmUnsubscribe",
    tag: "Stats",
    method: "GET",
    path: UNSUBSCRIBE,
    summary: "Ask whether to unsubscribe from a report",
    description:
      "The page of the link in each email. It changes nothing, because mail scanners follow links.",
    ...LINK_PAGE,
  },
  {
    id: "unsubscribe",
    tag: "Stats",
    method: "POST",
    path: UNSUBSCRIBE,
    summary: "Unsubscribe from a report",
    description: "Deletes the report. Mail programs send this request with one click (RFC 8058).",
    ...LINK_PAGE,
  },
] as const satisfies readonly Operation[];
