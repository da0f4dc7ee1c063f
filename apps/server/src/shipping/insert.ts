/** One block into the warehouse: the statement. */

import { Readable } from "node:stream";
import type { ClickHouseSettings } from "@clickhouse/client";
import { mustBeClickHouse, type WarehouseClient } from "../clickhouse/client.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { type Block, bodyOf } from "./block.ts";

/** The warehouse will not take it, however often it is asked. */
export class Refused extends Error {}

/** A line of the outbox is a row of `events` as it is. */
const SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  date_time_input_format: "best_effort",
  input_format_null_as_default: 1,
  input_format_skip_unknown_fields: 1,
  input_format_json_ignore_unknown_keys_in_named_tuple: 1,
  input_format_json_defaults_for_missing_elements_in_named_tuple: 1,
  // a text of an application that looks like a time is a text all the same, and comes back as it was
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // `{"a.b": 1, "a": {"b": 2}}` is one path twice
  type_json_skip_duplicated_paths: 1,
  // several parsers would make several blocks, of which each has a token of its own
  input_format_parallel_parsing: 0,
  max_insert_block_size: String(SERVER_LIMITS.blockRows),
  // what a file or another warehouse brings may be of many years, and there is a part for each month anyhow
  max_partitions_per_insert_block: "0",
};
/** Slower, and takes whole numbers of any size where the other takes none above 2^64. */
const TOLERANT: ClickHouseSettings = { allow_simdjson: 0 };

/** Codes of ClickHouse that say of the data that it cannot be read, or be what it should. */
const DATA = new Set(["6", "26", "27", "38", "41", "53", "69", "70", "72", "117", "130", "131", "641"]);
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

/** @throws Refused, or the client's error: then it may be stored or not */
export async function insert(client: WarehouseClient, block: Block, signal: AbortSignal): Promise<void> {
  const body = await bodyOf(block);
  const attempt = async (more: ClickHouseSettings) => {
    const answer = await client.exec({
      query: "INSERT INTO events FORMAT JSONEachRow",
      values: Readable.from([body], { objectMode: false }),
      clickhouse_settings: { ...SETTINGS, ...more, insert_deduplication_token: block.token },
      // a server unpacks what it is sent (clickhouse.com/docs/interfaces/http, "Compression")
      http_headers: { "Content-Encoding": "zstd" },
      abort_signal: signal,
    });
    await answer.stream.resume().toArray();
    mustBeClickHouse(answer);
  };
  try {
    await attempt({});
  } catch (error) {
    if (!DATA.has(codeOf(error))) throw error;
    await attempt(TOLERANT).catch((again: Error) => {
      throw DATA.has(codeOf(again)) ? new Refused(again.message) : again;
    });
  }
}
