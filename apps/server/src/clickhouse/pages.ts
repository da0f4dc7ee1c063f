/** Events out of the warehouse, a page a question, in the order in which they lie there. */

/** As a normal form is written: times in ISO 8601, numbers as numbers; what fails is no half of an answer. */
export const AS_WRITTEN = {
  date_time_output_format: "iso",
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_64bit_integers: 0,
  wait_end_of_query: 1,
  // each thread would hold rows of its own, and the next page is asked for when this one has been taken anyway
  max_threads: 1,
} as const;

/** Where an event lies. */
export interface Place {
  sessionId: string;
  occurredAt: string;
  analyticsEventId: string;
}

export const PLACE_ORDER = "toDate(occurredAt), sessionId, occurredAt, analyticsEventId";
/** Behind the place whose members are bound. The first condition is what lets parts be left out. */
export const AFTER_PLACE = `AND toDate(occurredAt) >= toDate({occurredAt:DateTime64(3, 'UTC')})
  AND (${PLACE_ORDER}) > (
    toDate({occurredAt:DateTime64(3, 'UTC')}), {sessionId:String}, {occurredAt:DateTime64(3, 'UTC')}, {analyticsEventId:String})`;

const LINE_END = 10;

/** Of a page as lines of JSON, which is not empty: how many they are, and where the last event lies. */
export function endOf(page: Buffer): { rows: number; place: Place } {
  let rows = 0;
  for (let at = page.indexOf(LINE_END); at !== -1; at = page.indexOf(LINE_END, at + 1)) rows += 1;
  const start = page.lastIndexOf(LINE_END, page.length - 2) + 1;
  const { sessionId, occurredAt, analyticsEventId } = JSON.parse(page.toString("utf8", start));
  return { rows, place: { sessionId, occurredAt, analyticsEventId } };
}
