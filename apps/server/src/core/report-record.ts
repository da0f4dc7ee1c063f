import type { ReportChannel, ReportPeriod } from "@headwater/contract";

/** A report of a source's stats that is sent every week or month. */
export interface ReportRecord {
  reportId: string;
  organizationId: string;
  sourceId: string;
  userId: string;
  period: ReportPeriod;
  channel: ReportChannel;
  /** An e-mail address, or the URL of a webhook, which is a secret. */
  target: string;
  timezone: string;
  /** Ends the report. It is stored as it is, because each mail has it in its link, and it can do nothing else. */
  unsubscribeToken: string;
  createdAt: number;
  /** When it is sent next, or tried again. */
  nextAt: number;
  /** Failed tries since it was due. */
  tries: number;
  lastSentAt: number | null;
  lastError: string | null;
}
