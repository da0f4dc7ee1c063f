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
  createdAt: number;
  /** Since when it is sent; null: its e-mail address was asked, and has not agreed yet. */
  confirmedAt: number | null;
  /** When it is sent next, or tried again. */
  nextAt: number;
  /** Failed tries since it was due. */
  tries: number;
  lastSentAt: number | null;
  lastError: string | null;
}
