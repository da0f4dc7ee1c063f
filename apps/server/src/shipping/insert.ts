/** Sends one block to the warehouse as an INSERT. */
import { Readable } from "node:stream";
import { ClickHouseError, type ClickHouseSettings } from "@clickhouse/client";
import { mustBeClickHouse, type WarehouseClient } from "../clickhouse/client.ts";
import { type Block, bodyOf } from "./block.ts";

/** More rows than a block has, so that ClickHouse never splits one. */
const BLOCK_ROWS = 1_000_000;

/** ClickHouse cannot read these events, and would not on the next try either. */
export class EventsRefused extends Error {}

/** A line of the outbox is inserted as a row of `events` without any mapping. */
const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  date_time_input_format: "best_effort",
  input_format_null_as_default: 1,
  input_format_skip_unknown_fields: 1,
  input_format_json_ignore_unknown_keys_in_named_tuple: 1,
  input_format_json_defaults_for_missing_elements_in_named_tuple: 1,
  // `properties` and `context` are stored as their text
  input_format_json_read_objects_as_strings: 1,
  // parallel parsers would make several blocks, each with its own deduplication token
  input_format_parallel_parsing: 0,
  max_insert_block_size: String(BLOCK_ROWS),
  // an import or a move may bring events of many years, and each month is a partition
  max_partitions_per_insert_block: "0",
};
/** ClickHouse error codes that blame the data: it cannot be parsed, or has the wrong type. */
const DATA_ERROR_CODES = new Set([
  "6",
  "26",
  "27",
  "38",
  "41",
  "53",
  "69",
  "70",
  "72",
  "117",
  "130",
  "131",
  "641",
]);
const isDataError = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && DATA_ERROR_CODES.has(error.code);

/**
 * Inserts the block once.
 * @throws EventsRefused when ClickHouse cannot read the data; any other error leaves open whether the block was stored
 */
export async function insert(client: WarehouseClient, block: Block, signal: AbortSignal): Promise<void> {
  const body = await bodyOf(block);
  try {
    const answer = await client.exec({
      query: "INSERT INTO events FORMAT JSONEachRow",
      values: Readable.from([body], { objectMode: false }),
      clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: block.token },
      // ClickHouse decompresses the body (clickhouse.com/docs/interfaces/http, "Compression")
      http_headers: { "Content-Encoding": "zstd" },
      abort_signal: signal,
    });
    await answer.stream.resume().toArray();
    mustBeClickHouse(answer);
  } catch (error) {
    throw isDataError(error) ? new EventsRefused(error.message) : error;
  }
}
