/** The example of a report that is sent to Slack each week. */
import { AT, IDS } from "./example-values.ts";

const REPORT_PERIOD = { period: "week" as const, channel: "slack" as const, timezone: "UTC" };
export const NEW_REPORT = { ...REPORT_PERIOD, target: "https://hooks.slack.com/services/a1b2" };
export const REPORT = {
  ...REPORT_PERIOD,
  reportId: IDS.reportId,
  userId: IDS.userId,
  target: "https://hooks.slack.com/…a1b2",
  createdAt: AT,
  confirmedAt: AT,
  nextAt: "2026-11-23T06:00:00.000Z",
  lastSentAt: null,
  lastError: null,
};
