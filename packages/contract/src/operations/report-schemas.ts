/** Weekly and monthly reports of the stats of a source, by email or to a Slack webhook (docs/api/reports.md). */
import Type, { type Static } from "typebox";
import { LIMITS } from "../limits.ts";
import { Closed, flag, OneOf, SameOrganizationId, text, textOrNull, time, timeOrNull } from "../shapes.ts";

const REPORT_PERIODS = ["week", "month"] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];
const REPORT_CHANNELS = ["email", "slack"] as const;
export type ReportChannel = (typeof REPORT_CHANNELS)[number];

const period = OneOf(REPORT_PERIODS, { description: "Weeks begin on Monday." });
const channel = OneOf(REPORT_CHANNELS, { description: "How the report is sent." });
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`.",
});

export const CreateReportBody = Closed({
  organizationId: SameOrganizationId,
  period,
  channel,
  target: Type.String({
    minLength: 1,
    maxLength: LIMITS.maxReportTargetLength,
    description: "One email address, or the URL of a Slack incoming webhook.",
  }),
  timezone: Type.Optional(timezone),
});
export type CreateReportBody = Static<typeof CreateReportBody>;

export const StatsReport = Closed({
  reportId: text("Its id."),
  period,
  channel,
  target: text("The email address, or the origin of the webhook and the last characters of its URL."),
  timezone: text("The time zone of its days."),
  userId: text("Who created it."),
  createdAt: time("When it was created."),
  confirmedAt: timeOrNull("When sending began; null: the recipient has not agreed yet."),
  nextAt: timeOrNull("When it is sent next; null: the recipient has not agreed yet."),
  lastSentAt: timeOrNull("When it was sent last; null: not yet."),
  lastError: textOrNull("Why the last attempt to send it failed; null: it did not fail."),
});
export type StatsReport = Static<typeof StatsReport>;

export const ReportList = Closed({
  reports: Type.Array(StatsReport, { description: "Oldest first." }),
  canMail: flag("false: the service has no mail server (SMTP_URL), so it sends no reports by email."),
});
export const DeletedReport = Closed({
  reportId: text("The id of the deleted report."),
  deletedAt: time("When it was deleted."),
});
export const ReportPreviewQuery = Closed({
  organizationId: SameOrganizationId,
  period,
  timezone: Type.Optional(timezone),
});
export const ReportPreview = Closed({
  subject: text("The subject of the email."),
  html: text("The HTML part of the email."),
  text: text("The text part of the email."),
});
