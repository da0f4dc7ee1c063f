/** An event as a flat row: the columns of CSV and Parquet, and where in the normal form each of them lies. */

export type Json = Record<string, unknown>;

/** `json`: written as JSON text. */
export type ColumnKind = "text" | "time" | "flag" | "json";

export interface Column {
  name: string;
  path: readonly string[];
  kind: ColumnKind;
}

const column = (path: string, name = path.split(".").at(-1)!, kind: ColumnKind = "text"): Column => ({
  name,
  path: path.split("."),
  kind,
});

/** The first is the event's own id: a download that broke off goes on after the last one that came. */
export const COLUMNS: readonly Column[] = [
  column("analyticsEventId"),
  column("eventId"),
  column("type"),
  column("name"),
  column("occurredAt", "occurredAt", "time"),
  column("receivedAt", "receivedAt", "time"),
  column("timestamp"),
  column("sessionId"),
  column("anonymousId"),
  column("userId"),
  column("page.url"),
  column("page.origin"),
  column("page.host"),
  column("page.path"),
  column("page.query"),
  column("page.utm.source", "utmSource"),
  column("page.utm.medium", "utmMedium"),
  column("page.utm.campaign", "utmCampaign"),
  column("page.utm.term", "utmTerm"),
  column("page.utm.content", "utmContent"),
  column("page.clickIds", "clickIds", "json"),
  column("page.title"),
  column("page.referrer"),
  column("page.referrerHost"),
  column("locale"),
  column("timezone"),
  column("screen"),
  column("viewport"),
  column("device.device"),
  column("device.os"),
  column("device.osVersion"),
  column("device.browser"),
  column("device.browserVersion"),
  column("device.isBot", "isBot", "flag"),
  column("country"),
  column("properties", "properties", "json"),
  column("context", "context", "json"),
  column("sourceId"),
  column("batchId"),
  column("sdkVersion"),
];

/** null when there is nothing. */
export function valueAt(event: Json, { path }: Column): unknown {
  let value: unknown = event;
  for (const member of path) value = (value as Json | null | undefined)?.[member];
  return value ?? null;
}
