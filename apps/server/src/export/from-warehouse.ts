/**
 * Events out of the warehouse, a page a question, in the order in which they lie there. A page is had whole before it is
 * sent, so that a client that reads slowly holds nothing of the warehouse, and one that has gone costs a page at most.
 */

import type { ClickHouseClient } from "@clickhouse/client";
import {
  AFTER_CURSOR,
  AS_WRITTEN,
  CURSOR_ORDER,
  type EventCursor,
  readPageEnd,
} from "../clickhouse/pages.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { type Asked, unknownCursor } from "./range.ts";

const OF_RANGE = `sourceId = {sourceId:String}
  AND occurredAt >= {from:DateTime64(3, 'UTC')} AND occurredAt < {to:DateTime64(3, 'UTC')}`;
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
      clickhouse_settings: AS_WRITTEN,
      abort_signal,
    });
    return Buffer.concat(await stream.toArray());
  } catch (error) {
    throw new Refusal("warehouse_unavailable", {}, error);
  }
}

/** So many that a page has about `exportPageBytes`, and never many more than the last. */
function nextRows(bytes: number, rows: number): number {
  const fitting = Math.floor((SERVER_LIMITS.exportPageBytes * rows) / bytes);
  return Math.max(1, Math.min(fitting, 2 * rows, SERVER_LIMITS.maxExportPageRows));
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
  let last: EventCursor | null = null;
  if (cursor !== null) {
    const query = `SELECT analyticsEventId, sessionId, occurredAt FROM events
      WHERE ${OF_RANGE} AND analyticsEventId = {cursor:String} LIMIT 1`;
    const found = await ask(client(), query, { ...range, cursor }, signal);
    if (found.length === 0) throw unknownCursor();
    last = readPageEnd(found).cursor;
  }
  let rows: number = SERVER_LIMITS.exportFirstPageRows;
  for (let left = limit; left > 0; ) {
    const most = Math.min(rows, left);
    const query = `SELECT * FROM events WHERE ${OF_RANGE} ${last ? AFTER_CURSOR : ""} ORDER BY ${CURSOR_ORDER} LIMIT {most:UInt32}`;
    const after: object = last ? { ...last, occurredAt: new Date(last.occurredAt) } : {};
    const page: Buffer = await ask(client(), query, { ...range, ...after, most }, signal);
    if (page.length === 0) return;
    yield page;
    const end = readPageEnd(page);
    if (end.rows < most) return;
    left -= end.rows;
    last = end.cursor;
    rows = nextRows(page.length, end.rows);
  }
}
