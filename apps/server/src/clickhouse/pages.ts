/** Helpers to read events from the warehouse page by page, in the order of the table's sorting key. */

/**
 * ClickHouse settings of a query for a page: times in ISO 8601, numbers without quotes, and an error instead of a partial
 * response when the query fails.
 */
export const PAGE_QUERY_SETTINGS = {
  date_time_output_format: "iso",
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_64bit_integers: 0,
  wait_end_of_query: 1,
  // more threads would use more memory without a gain: the reader waits for a page before it requests the next
  max_threads: 1,
} as const;

const TEXTS = ["properties", "context"];
/** Selects an event as a line of JSON, in which `properties` and `context` are the stored texts. For the format TSVRaw. */
export const EVENT_LINE = `concat(
  substring(formatRowNoNewline('JSONEachRow', * EXCEPT (${TEXTS})) AS line, 1, length(line) - 1),
  ${TEXTS.map((name) => `',"${name}":', ${name}`)}, '}')`;

/** The last event of a page; the next page starts after it. */
export interface EventCursor {
  sessionId: string;
  occurredAt: string;
  analyticsEventId: string;
}

export const CURSOR_ORDER = "toDate(occurredAt), sessionId, occurredAt, analyticsEventId";
/** The events after a cursor whose members are bound as parameters. The first condition lets ClickHouse skip parts. */
export const AFTER_CURSOR = `AND toDate(occurredAt) >= toDate({occurredAt:DateTime64(3, 'UTC')})
  AND (${CURSOR_ORDER}) > (
    toDate({occurredAt:DateTime64(3, 'UTC')}), {sessionId:String}, {occurredAt:DateTime64(3, 'UTC')}, {analyticsEventId:String})`;

const NEWLINE = 10;

/** Counts the rows of a page of JSON lines and reads the cursor from its last line. The page must not be empty. */
export function readPageEnd(page: Buffer): { rows: number; cursor: EventCursor } {
  let rows = 0;
  for (let at = page.indexOf(NEWLINE); at !== -1; at = page.indexOf(NEWLINE, at + 1)) rows += 1;
  const start = page.lastIndexOf(NEWLINE, page.length - 2) + 1;
  const { sessionId, occurredAt, analyticsEventId } = JSON.parse(page.toString("utf8", start));
  return { rows, cursor: { sessionId, occurredAt, analyticsEventId } };
}
