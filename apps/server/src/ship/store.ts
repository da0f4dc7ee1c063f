/** One block into the warehouse, exactly once. */
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { ClickHouseSettings } from "@clickhouse/client";
import { LIMITS } from "@headwater/contract/limits";
import type { WarehouseClient } from "../warehouse/client.ts";
import { onCluster, onEveryNode, storedName } from "../warehouse/cluster.ts";
import type { Block } from "./block.ts";

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
  max_insert_block_size: String(LIMITS.blockRows),
};
/** Slower, and takes whole numbers of any size where the other takes none above 2^64. */
const TOLERANT: ClickHouseSettings = { allow_simdjson: 0 };

/** Codes of ClickHouse that say of the data that it cannot be read, or be what it should. */
const DATA = new Set(["6", "26", "27", "38", "41", "53", "69", "70", "72", "117", "130", "131", "641"]);
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

async function insert(client: WarehouseClient, { token, body }: Block, signal: AbortSignal): Promise<void> {
  const attempt = async (more: ClickHouseSettings) => {
    const { stream } = await client.exec({
      query: "INSERT INTO events FORMAT JSONEachRow",
      values: Readable.from([body], { objectMode: false }),
      clickhouse_settings: { ...SETTINGS, ...more, insert_deduplication_token: token },
      abort_signal: signal,
    });
    await stream.resume().toArray();
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

const ROUNDS = 20;
const ROUND_MS = 500;
const OF_BLOCK = "startsWith(Settings['insert_deduplication_token'], {token:String})";

/** An insert that was begun before may still be at work; none is when it resolves. */
async function endEarlier(client: WarehouseClient, token: string, signal: AbortSignal): Promise<void> {
  const query_params = { token };
  for (let round = 0; round < ROUNDS; round++) {
    const query = `SELECT count() AS running FROM ${onEveryNode(client, "system.processes")} WHERE ${OF_BLOCK}`;
    const answer = await client.query({ query, query_params, format: "JSONEachRow", abort_signal: signal });
    const [row] = await answer.json<{ running: string | number }>();
    if (Number(row?.running) === 0) return;
    const kill = `KILL QUERY${onCluster(client)} WHERE ${OF_BLOCK} ASYNC`;
    await client.command({ query: kill, query_params, abort_signal: signal });
    await pause(ROUND_MS, undefined, { signal });
  }
  throw new Error("an earlier insert of the same events does not end");
}

interface Row {
  line: string;
  id: string;
  sourceId: string;
  occurredAt: Date;
}

function rowsOf(body: Buffer): Row[] {
  const lines = body.toString("utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const { analyticsEventId, sourceId, occurredAt } = JSON.parse(line);
    return { line, id: analyticsEventId, sourceId, occurredAt: new Date(occurredAt) };
  });
}

/** It stands in the statement, because so many are too long for an address. */
function literal(id: string): string {
  if (!/^evt_[0-9a-f]{32}$/.test(id)) throw new Refused("an event has no id of ours");
  return `'${id}'`;
}

/** Those of the rows that the warehouse does not hold. */
async function missing(client: WarehouseClient, rows: Row[], signal: AbortSignal): Promise<Row[]> {
  const held = new Set<string>();
  const stored = onEveryNode(client, `${client.database}.${storedName(client, "events")}`);
  for (let start = 0; start < rows.length; start += LIMITS.warehouseKeys) {
    const slice = rows.slice(start, start + LIMITS.warehouseKeys);
    const times = slice.map(({ occurredAt }) => occurredAt.getTime());
    const answer = await client.query({
      query: `SELECT analyticsEventId AS id FROM ${stored} WHERE sourceId IN {sources:Array(String)}
        AND occurredAt BETWEEN {from:DateTime64(3)} AND {to:DateTime64(3)}
        AND analyticsEventId IN (${slice.map(({ id }) => literal(id))})`,
      query_params: {
        sources: [...new Set(slice.map(({ sourceId }) => sourceId))],
        from: new Date(Math.min(...times)),
        to: new Date(Math.max(...times)),
      },
      format: "JSONEachRow",
      abort_signal: signal,
    });
    for (const { id } of await answer.json<{ id: string }>()) held.add(id);
  }
  return rows.filter(({ id }) => !held.has(id));
}

const COMPARISONS = 3;

/**
 * What became of an earlier try is not known, or the ledger may be a copy of an older one: what the warehouse holds is
 * left out. The token alone would not do: its log says what was begun, and is not flushed to the disk.
 * @returns how many of them it did not hold
 */
export async function storeMissing(
  client: WarehouseClient,
  block: Block,
  signal: AbortSignal,
): Promise<number> {
  await endEarlier(client, block.token, signal);
  const sent = rowsOf(block.body);
  const { length: all } = sent;
  let rows = await missing(client, sent, signal);
  const { length: stored } = rows;
  for (let round = 0; round < COMPARISONS && rows.length > 0; round++) {
    // the whole block under its own token: another try of it that nobody can see does no harm
    const isWhole = rows.length === all && round === 0;
    const token = isWhole ? block.token : `${block.token}.${rows.length}.${round}`;
    await insert(
      client,
      { token, body: Buffer.from(`${rows.map(({ line }) => line).join("\n")}\n`) },
      signal,
    );
    rows = await missing(client, rows, signal);
  }
  if (rows.length > 0) throw new Error("the warehouse says that it stored events, and does not hold them");
  return stored;
}

/**
 * Resolves when the warehouse holds every event of the block once.
 * @param isFirst nobody has tried before, and its events are younger than any copy of the ledger
 * @throws Refused, or the client's error: then it may hold them or not
 */
export async function store(
  client: WarehouseClient,
  block: Block,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isFirst) await insert(client, block, signal);
  else await storeMissing(client, block, signal);
}
