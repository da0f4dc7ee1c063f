/** The columns of CSV and Parquet, where each value is in a stored event, and its SQL over the table `events`. */

export type ExportedEvent = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** `json`: written as JSON text. */
  readonly kind: "text" | "number" | "time" | "flag" | "json";
}

/** Default name: the last part of the path. */
const column = (path: string, name = path.replace(/^.*\./, ""), kind: Column["kind"] = "text"): Column => ({
  name,
  path: path.split("."),
  kind,
});

/** The first column is the event's own id, after which an interrupted download continues. */
export const COLUMNS: readonly Column[] = [
  column("analyticsEventId"),
  column("eventId"),
  column("type"),
  column("name"),
  column("passive", "passive", "flag"),
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
  column("source"),
  column("channel"),
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
  column("region"),
  column("city"),
  column("properties", "properties", "json"),
  column("context", "context", "json"),
  column("sourceId"),
  column("batchId"),
  column("sdkVersion"),
  column("sentBy"),
  column("revenue", "revenue", "number"),
  column("currency"),
  column("engagedSeconds", "engagedSeconds", "number"),
  column("scrollDepth", "scrollDepth", "number"),
  column("planViolation", "planViolation", "flag"),
  column("replayedAt", "replayedAt", "time"),
];

const isObject = (value: unknown): value is ExportedEvent => typeof value === "object" && value !== null;

/** Objects whose JSON text is stored as it is. */
const STORED_TEXTS = ["properties", "context"];

/** Selects the columns from `events AS event`: the alias tells the member `device.device` from the column `device`. */
export const SELECTED_COLUMNS: string = COLUMNS.map(({ name, path, kind }) => {
  const value = `event.${path.join(".")}`;
  if (kind === "json" && !STORED_TEXTS.includes(name)) return `toJSONString(${value}) AS ${name}`;
  // as text first: 0.1 stays 0.1 when it was stored with fewer bits
  return `${kind === "number" ? `toFloat64(toString(${value}))` : value} AS ${name}`;
}).join(", ");

/** @returns null when the event has no such value */
export function readColumn(event: ExportedEvent, { path }: Column): unknown {
  let value: unknown = event;
  for (const member of path) value = isObject(value) ? value[member] : undefined;
  return value ?? null;
}
