/** Reads the events of an export from the warehouse: page by page, or as a Parquet file that ClickHouse writes. */
import { addAbortSignal } from "node:stream";
import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";
import { isDamage } from "../clickhouse/completeness.ts";
import {
  AFTER_CURSOR,
  CURSOR_ORDER,
  EVENT_LINE,
  type EventCursor,
  PAGE_QUERY_SETTINGS,
  readPageEnd,
} from "../clickhouse/pages.ts";
import { Refusal } from "../core/refusal.ts";
import { SELECTED_COLUMNS } from "./columns.ts";
import { type ExportSelection, unknownCursor } from "./selection.ts";

export const EXPORT_FIRST_PAGE_ROWS = 500;
/** A page of the largest possible events has 16 MiB. */
const MAX_EXPORT_PAGE_ROWS = 500;
const EXPORT_PAGE_BYTES = 4 * 1_048_576;

const SELECTED = `sourceId = {sourceId:String}
  AND occurredAt >= {from:DateTime64(3, 'UTC')} AND occurredAt < {to:DateTime64(3, 'UTC')}`;

interface ExportStatement {
  readonly query: string;
  readonly params: Record<string, unknown>;
  readonly settings: ClickHouseSettings;
}

/** Yields the raw bytes of the answer: as a string they would take three times the memory. */
async function* runQuery(
  client: ClickHouseClient,
  { query, params, settings }: ExportStatement,
  abort_signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    abort_signal.throwIfAborted();
    const { stream } = await client.exec({
      query,
      query_params: params,
      clickhouse_settings: settings,
      abort_signal,
    });
    // it is left alone when the client leaves before its answer begins
    yield* addAbortSignal(abort_signal, stream);
  } catch (error) {
    // a client that has left is not a failure to log
    if (abort_signal.aborted) throw new Refusal("warehouse_unavailable");
    throw new Refusal(isDamage(error) ? "warehouse_damaged" : "warehouse_unavailable", {}, error);
  }
}

const readPage = async (
  client: ClickHouseClient,
  query: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Buffer> =>
  Buffer.concat(
    await Array.fromAsync(runQuery(client, { query, params, settings: PAGE_QUERY_SETTINGS }, signal)),
  );

const selected = ({ sourceId, from, to }: ExportSelection) => ({
  sourceId,
  from: new Date(from),
  to: new Date(to),
});

/** @throws Refusal `invalid_payload` when no event has the id of the cursor */
async function findCursor(
  client: ClickHouseClient,
  selection: ExportSelection,
  signal: AbortSignal,
): Promise<EventCursor | null> {
  if (selection.cursor === null) return null;
  const query = `SELECT analyticsEventId, sessionId, occurredAt FROM events
    WHERE ${SELECTED} AND analyticsEventId = {afterId:String} LIMIT 1 FORMAT JSONEachRow`;
  const params = { ...selected(selection), afterId: selection.cursor };
  const found = await readPage(client, query, params, signal);
  if (found.length === 0) throw unknownCursor();
  return readPageEnd(found).cursor;
}

const cursorParams = (cursor: EventCursor | null): object =>
  cursor ? { ...cursor, occurredAt: new Date(cursor.occurredAt) } : {};

/** The number of rows that make a page of about `EXPORT_PAGE_BYTES`, at most twice as many as in the page before. */
function nextPageRows(bytes: number, rows: number): number {
  const fitting = Math.floor((EXPORT_PAGE_BYTES * rows) / bytes);
  return Math.max(1, Math.min(fitting, 2 * rows, MAX_EXPORT_PAGE_ROWS));
}

/**
 * Yields pages of lines of JSON. A page is read as a whole before it is sent: a slow client occupies no connection of the warehouse,
 * and one that leaves wastes a page at most.
 * @param client returns the present client of the warehouse; throws when it is down
 * @throws Refusal `invalid_payload` when no event has the id of the cursor, `warehouse_unavailable`,
 *   `warehouse_damaged`
 */
export async function* warehousePages(
  client: () => ClickHouseClient,
  selection: ExportSelection,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let cursor = await findCursor(client(), selection, signal);
  let rows: number = EXPORT_FIRST_PAGE_ROWS;
  for (let left = selection.limit; left > 0; ) {
    const maxRows = Math.min(rows, left);
    const query = `SELECT ${EVENT_LINE} FROM events WHERE ${SELECTED} ${cursor ? AFTER_CURSOR : ""}
      ORDER BY ${CURSOR_ORDER} LIMIT {maxRows:UInt32} FORMAT TSVRaw`;
    const params = { ...selected(selection), ...cursorParams(cursor), maxRows };
    const page = await readPage(client(), query, params, signal);
    if (page.length === 0) return;
    yield page;
    const end = readPageEnd(page);
    if (end.rows < maxRows) return;
    left -= end.rows;
    cursor = end.cursor;
    rows = nextPageRows(page.length, end.rows);
  }
}

/** ClickHouse holds one row group in memory. Few rows in a block: an event may have 32 KB. */
const PARQUET_SETTINGS: ClickHouseSettings = {
  ...PAGE_QUERY_SETTINGS,
  wait_end_of_query: 0,
  max_block_size: "2000",
  output_format_parquet_compression_method: "zstd",
  output_format_parquet_row_group_size: "50000",
  output_format_parquet_row_group_size_bytes: "33554432",
  output_format_parquet_parallel_encoding: 0,
  // a sixth of the file
  output_format_parquet_write_bloom_filter: 0,
  // a third of the memory, for the parts of the table that are not merged yet
  read_in_order_use_buffering: 0,
};
/** A file that ends otherwise is not whole. */
const PARQUET_END = "PAR1";

/**
 * Yields a Parquet file as ClickHouse writes it.
 * @throws what `warehousePages` throws
 */
export async function* warehouseParquet(
  client: () => ClickHouseClient,
  selection: ExportSelection,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const cursor = await findCursor(client(), selection, signal);
  const { limit } = selection;
  const query = `SELECT ${SELECTED_COLUMNS} FROM events AS event WHERE ${SELECTED} ${cursor ? AFTER_CURSOR : ""}
    ORDER BY ${CURSOR_ORDER} ${Number.isFinite(limit) ? "LIMIT {limit:UInt64}" : ""} FORMAT Parquet`;
  const params = {
    ...selected(selection),
    ...cursorParams(cursor),
    ...(Number.isFinite(limit) && { limit }),
  };
  let end = "";
  for await (const part of runQuery(client(), { query, params, settings: PARQUET_SETTINGS }, signal)) {
    end = (end + part.toString("latin1", Math.max(0, part.length - PARQUET_END.length))).slice(
      -PARQUET_END.length,
    );
    yield part;
  }
  // some versions of ClickHouse end a failed answer as if it were whole
  if (end !== PARQUET_END) throw new Refusal("warehouse_unavailable");
}
