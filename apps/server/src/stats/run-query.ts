/** Puts a statement to the warehouse, within what one question may take, and says in the contract's words why it fails. */

import type { ClickHouseSettings } from "@clickhouse/client";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { createShared } from "../core/coalesce.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Statement } from "./sql.ts";
import { busy, createTurns } from "./turns.ts";

/** Rows of the answer, each a list of its columns. */
export type Ask = (statement: Statement) => Promise<unknown[][]>;

export interface AskedWarehouse {
  state(): "off" | "starting" | "up" | "down";
  /** null unless it is up. */
  client(): WarehouseClient | null;
}

const SETTINGS: ClickHouseSettings = {
  max_execution_time: SERVER_LIMITS.statsTimeoutSeconds,
  max_memory_usage: String(SERVER_LIMITS.statsMemoryBytes),
  // what does not fit half of that goes to the disk, and takes longer
  max_bytes_before_external_group_by: String(SERVER_LIMITS.statsMemoryBytes / 2),
  max_rows_to_read: String(SERVER_LIMITS.statsReadRows),
  // a question of many filters is written out once for each of its sums
  max_query_size: String(SERVER_LIMITS.statsStatementBytes),
  max_result_rows: String(SERVER_LIMITS.statsResultRows),
  result_overflow_mode: "throw",
  read_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  // nearly every row that is read fits: to read a column for those alone that fit the one before costs more than it saves
  enable_multiple_prewhere_read_steps: 0,
  // what is null is no member of any list
  transform_null_in: 0,
  output_format_json_quote_64bit_integers: 0,
};

/** Codes of ClickHouse: too slow, too many rows or bytes, too much memory. */
const TOO_HEAVY = new Set(["158", "159", "160", "191", "241", "307", "396"]);
const BAD_PATTERN = "427";
const TOO_MANY_QUERIES = "202";
const CANCELLED = "394";

function refusalOf(error: unknown): unknown {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (TOO_HEAVY.has(code)) {
    const issue = {
      path: ["dateRange"],
      code: "too_many" as const,
      message: "reaches over too many events for this question",
    };
    return new Refusal("query_too_heavy", { issues: [issue] }, error);
  }
  if (code === BAD_PATTERN) {
    const issue = {
      path: ["filters"],
      code: "invalid_value" as const,
      message: "a pattern of matches is no regular expression (RE2)",
    };
    return new Refusal("invalid_payload", { issues: [issue] }, error);
  }
  if (code === TOO_MANY_QUERIES || message.startsWith("Timeout")) return busy(error);
  // every other number is the engine's word that the statement is wrong: a bug
  return /^\d+$/.test(code) && code !== CANCELLED ? error : new Refusal("warehouse_unavailable", {}, error);
}

/** Who asks, and until when. */
export type Asker = (call: { organizationId: string; signal: AbortSignal }) => Ask;

/** @returns what asks for one request; the question ends with its signal */
export function createAsker(warehouse: () => AskedWarehouse | null): Asker {
  const inTurn = createTurns(SERVER_LIMITS.statsAtWork, SERVER_LIMITS.statsWaiting);
  const shared = createShared();
  async function put({ query, parameters }: Statement, signal: AbortSignal): Promise<unknown[][]> {
    const asked = warehouse();
    if (asked?.state() === "off") throw new Refusal("warehouse_off");
    const client = asked?.client();
    if (!client || signal.aborted) throw new Refusal("warehouse_unavailable");
    try {
      const answer = await client.query({
        query,
        query_params: parameters as Record<string, unknown>,
        format: "JSONCompactEachRow",
        clickhouse_settings: SETTINGS,
        abort_signal: signal,
      });
      return await answer.json<unknown[]>();
    } catch (error) {
      throw refusalOf(error);
    }
  }
  return ({ organizationId, signal }) =>
    (statement) =>
      shared(JSON.stringify([organizationId, statement]), signal, (ended) =>
        inTurn(organizationId, ended, () => put(statement, ended)),
      );
}
