/**
 * Reads the events of an export from the warehouse, page by page. A page is read as a whole before it is sent: a slow client
 * occupies no connection of the warehouse, and one that leaves wastes a page at most.
 */
import type { ClickHouseClient } from "@clickhouse/client";
import { isDamage } from "../clickhouse/completeness.ts";
import {
  AFTER_CURSOR,
  CURSOR_ORDER,
  EVENT_LINE,
  type EventCursor,
  PAGE_QUERY_SETTINGS,
  readPageEnd,
} from "../clickhouse/pages.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { type ExportSelection, unknownCursor } from "./selection.ts";

const SELECTED = `sourceId = {sourceId:String}
  AND occurredAt >= {from:DateTime64(3, 'UTC')} AND occurredAt < {to:DateTime64(3, 'UTC')}`;

/** @returns the raw bytes of the answer: as a string they would take three times the memory */
async function runQuery(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown>,
  abort_signal: AbortSignal,
): Promise<Buffer> {
  try {
    abort_signal.throwIfAborted();
    const { stream } = await client.exec({
      query,
      query_params,
      clickhouse_settings: PAGE_QUERY_SETTINGS,
      abort_signal,
    });
    return Buffer.concat(await stream.toArray());
  } catch (error) {
    throw new Refusal(isDamage(error) ? "warehouse_damaged" : "warehouse_unavailable", {}, error);
  }
}

/** As many rows as make a page of about `exportPageBytes`, and at most twice as many as in the page before. */
function nextPageRows(bytes: number, rows: number): number {
  const fitting = Math.floor((SERVER_LIMITS.exportPageBytes * rows) / bytes);
  return Math.max(1, Math.min(fitting, 2 * rows, SERVER_LIMITS.maxExportPageRows));
}

/**
 * Yields pages of lines of JSON.
 * @param client returns the present client of the warehouse; throws when it is down
 * @throws Refusal `invalid_payload` when no event has the id of the cursor, `warehouse_unavailable`,
 *   `warehouse_damaged`
 */
export async function* warehousePages(
  client: () => ClickHouseClient,
  { sourceId, from, to, cursor: afterId, limit }: ExportSelection,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const selection = { sourceId, from: new Date(from), to: new Date(to) };
  let cursor: EventCursor | null = null;
  if (afterId !== null) {
    const query = `SELECT analyticsEventId, sessionId, occurredAt FROM events
      WHERE ${SELECTED} AND analyticsEventId = {afterId:String} LIMIT 1 FORMAT JSONEachRow`;
    const found = await runQuery(client(), query, { ...selection, afterId }, signal);
    if (found.length === 0) throw unknownCursor();
    cursor = readPageEnd(found).cursor;
  }
  let rows: number = SERVER_LIMITS.exportFirstPageRows;
  for (let left = limit; left > 0; ) {
    const maxRows = Math.min(rows, left);
    const query = `SELECT ${EVENT_LINE} FROM events WHERE ${SELECTED} ${cursor ? AFTER_CURSOR : ""}
      ORDER BY ${CURSOR_ORDER} LIMIT {maxRows:UInt32} FORMAT TSVRaw`;
    const after: object = cursor ? { ...cursor, occurredAt: new Date(cursor.occurredAt) } : {};
    const page: Buffer = await runQuery(client(), query, { ...selection, ...after, maxRows }, signal);
    if (page.length === 0) return;
    yield page;
    const end = readPageEnd(page);
    if (end.rows < maxRows) return;
    left -= end.rows;
    cursor = end.cursor;
    rows = nextPageRows(page.length, end.rows);
  }
}
