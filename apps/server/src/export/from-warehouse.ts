/**
 * Events out of the warehouse, a page a question, in the order in which they lie there. A page is had whole before it is
 * sent, so that a client that reads slowly holds nothing of the warehouse, and one that has gone costs a page at most.
 */
import type { ClickHouseClient } from "@clickhouse/client";
import { LIMITS } from "@headwater/contract/limits";
import { Refusal } from "../refusal.ts";
import { type Asked, unknownCursor } from "./range.ts";

/** As a normal form is written: times in ISO 8601, numbers as numbers. */
const SETTINGS = {
  date_time_output_format: "iso",
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_64bit_integers: 0,
  // what fails is then no half of an answer
  wait_end_of_query: 1,
} as const;

/** Where the last event lies that was had. */
interface Place {
  analyticsEventId: string;
  sessionId: string;
  occurredAt: string;
}

const OF_RANGE = `sourceId = {sourceId:String}
  AND occurredAt >= {from:DateTime64(3, 'UTC')} AND occurredAt < {to:DateTime64(3, 'UTC')}`;
/** The first condition is what lets parts be left out. */
const AFTER = `AND toDate(occurredAt) >= toDate({occurredAt:DateTime64(3, 'UTC')})
  AND (toDate(occurredAt), sessionId, occurredAt, analyticsEventId) > (
    toDate({occurredAt:DateTime64(3, 'UTC')}), {sessionId:String}, {occurredAt:DateTime64(3, 'UTC')}, {analyticsEventId:String})`;
const ORDER = "ORDER BY toDate(occurredAt), sessionId, occurredAt, analyticsEventId";

/** The answer as it came: as text it would be three times as much, and most of it garbage. */
async function ask(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown>,
  abort_signal: AbortSignal,
): Promise<Buffer> {
  try {
    abort_signal.throwIfAborted();
    const { stream } = await client.exec({
      query: `${query} FORMAT JSONEachRow`,
      query_params,
      clickhouse_settings: SETTINGS,
      abort_signal,
    });
    return Buffer.concat(await stream.toArray());
  } catch (error) {
    throw new Refusal("warehouse_unavailable", {}, error);
  }
}

const LINE_END = 10;

function rowsOf(page: Buffer): number {
  let rows = 0;
  for (let at = page.indexOf(LINE_END); at !== -1; at = page.indexOf(LINE_END, at + 1)) rows += 1;
  return rows;
}

/** Of the last line. */
function placeOf(page: Buffer): Place {
  const start = page.lastIndexOf(LINE_END, page.length - 2) + 1;
  const { analyticsEventId, sessionId, occurredAt } = JSON.parse(page.toString("utf8", start));
  return { analyticsEventId, sessionId, occurredAt };
}

/** So many that a page has about `exportPageBytes`, and never many more than the last. */
function nextRows(bytes: number, rows: number): number {
  const fitting = Math.floor((LIMITS.exportPageBytes * rows) / bytes);
  return Math.max(1, Math.min(fitting, 2 * rows, LIMITS.exportPageRows));
}

/**
 * Lines of JSON, a page at a time.
 * @param client the warehouse's, asked for anew for each page; throws when it is down
 * @throws Refusal 422 when the cursor's event is not there
 */
export async function* pagesOfWarehouse(
  client: () => ClickHouseClient,
  { sourceId, from, to, cursor, limit }: Asked,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const range = { sourceId, from: new Date(from), to: new Date(to) };
  let place: Place | null = null;
  if (cursor !== null) {
    const query = `SELECT analyticsEventId, sessionId, occurredAt FROM events
      WHERE ${OF_RANGE} AND analyticsEventId = {cursor:String} LIMIT 1`;
    const found = await ask(client(), query, { ...range, cursor }, signal);
    if (found.length === 0) throw unknownCursor();
    place = placeOf(found);
  }
  let rows: number = LIMITS.exportFirstRows;
  for (let left = limit; left > 0; ) {
    const most = Math.min(rows, left);
    const query = `SELECT * FROM events WHERE ${OF_RANGE} ${place ? AFTER : ""} ${ORDER} LIMIT {most:UInt32}`;
    const after: object = place ? { ...place, occurredAt: new Date(place.occurredAt) } : {};
    const page: Buffer = await ask(client(), query, { ...range, ...after, most }, signal);
    const had = rowsOf(page);
    if (had > 0) yield page;
    if (had < most) return;
    left -= had;
    place = placeOf(page);
    rows = nextRows(page.length, had);
  }
}
