/** Runs statements of stats queries: coalesced, admitted in turn, within limits; ClickHouse's errors become refusals. */
import type { ClickHouseSettings } from "@clickhouse/client";
import { ERRORS, type ErrorCode } from "@headwater/contract";
import { isDamage } from "../clickhouse/completeness.ts";
import { refuseElsewhere, type Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { issueAt, Refusal } from "../core/refusal.ts";
import { SECOND_MS } from "../core/time.ts";
import { AdmissionFull, createAdmission } from "../overload/admission.ts";
import { createCoalescer } from "../overload/coalesce.ts";
import { memorySettings, PLAIN_NUMBERS, type RunQuery, type RunStatement, runOn } from "./sql/run-on.ts";
import type { Statement } from "./sql/statement.ts";

/** Limits of one query in the warehouse. An ordinary query over a year of a busy site stays below them. */
const STATS_TIMEOUT_SECONDS = 20;
const MAX_STATS_READ_ROWS = 1_000_000_000;
const MAX_STATS_STATEMENT_BYTES = 4 * 1_048_576;
/** Statements that run at once, fewer than there are connections: shipping needs one. Further ones wait. */
export const MAX_ACTIVE_STATS_QUERIES = 6;
export const MAX_WAITING_STATS_QUERIES = 100;
/** A longer list of an IN is not looked up in the primary index: it is of sessions, and no table is sorted by session. */
const MAX_STATS_INDEXED_VALUES = 10_000;

export type StatsWarehouse = Pick<Warehouse, "state" | "client" | "nodeUrl">;

/** The time and rows that one query may use. */
const QUERY_LIMITS: ClickHouseSettings = {
  ...PLAIN_NUMBERS,
  max_execution_time: STATS_TIMEOUT_SECONDS,
  use_index_for_in_with_subqueries_max_values: String(MAX_STATS_INDEXED_VALUES),
  max_rows_to_read: String(MAX_STATS_READ_ROWS),
  // the filters are repeated in each aggregate of a statement
  max_query_size: String(MAX_STATS_STATEMENT_BYTES),
  max_result_rows: String(SERVER_LIMITS.maxStatsResultRows),
  result_overflow_mode: "throw",
  read_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  // nearly every row fits the conditions, so filtering column by column costs more than it saves
  enable_multiple_prewhere_read_steps: 0,
  // NULL IN (…) is NULL
  transform_null_in: 0,
};

/** Error codes of ClickHouse: too slow, now or as it estimates. */
const TOO_SLOW = new Set(["159", "160"]);
/** Error codes of ClickHouse: too many rows or bytes, too much memory. */
const TOO_HEAVY = new Set(["158", "191", "241", "307", "396"]);
const INVALID_PATTERN = "427";
const TOO_MANY_QUERIES = "202";
const CANCELLED = "394";
/** The statements that run at the same time need more memory than the warehouse has. */
const isShortOfMemory = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("(total) memory limit exceeded");

const overloaded = (cause?: unknown) =>
  new Refusal(
    "overloaded",
    { message: "Too many queries are running.", hint: "Wait a few seconds, then try again." },
    cause,
  );

/** Errors of ClickHouse for a statement with too many parts: too deep, or too large, also after aliases are replaced. */
const TOO_LARGE: ReadonlySet<string> = new Set(["167", "168", "306"]);

function refusalOf(code: ErrorCode, member: string, message: string, cause?: unknown): Refusal {
  const issue = issueAt([member], message, code === "query_too_heavy" ? "too_many" : "invalid_value");
  return new Refusal(code, { issues: [issue] }, cause);
}

function tooSlow(cause: unknown): Refusal {
  const issues = [issueAt(["dateRange"], "the query takes too long over this range", "too_many")];
  return new Refusal(
    "query_too_heavy",
    { message: "The query took too long and was stopped.", issues },
    cause,
  );
}

function toRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  // expected under load: without a cause it is not logged as a failure
  if (error instanceof AdmissionFull) return overloaded();
  const message = error instanceof Error ? error.message : "";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // the client of ClickHouse has no code for a query that it gave up
  if (TOO_SLOW.has(code) || message.startsWith("Timeout")) return tooSlow(error);
  if (TOO_HEAVY.has(code))
    return refusalOf("query_too_heavy", "dateRange", "the range has too many events for this query", error);
  if (TOO_LARGE.has(code) || message.includes("Max query size exceeded")) {
    const problem = "the query has too many filters and properties for one statement";
    return refusalOf("query_too_heavy", "filters", problem, error);
  }
  // the caller's mistake: without a cause it is not logged as a failure
  if (code === INVALID_PATTERN)
    return refusalOf(
      "invalid_payload",
      "filters",
      "a `matches` pattern is not a valid RE2 regular expression",
    );
  if (isDamage(error)) return new Refusal("warehouse_damaged", {}, error);
  if (code === TOO_MANY_QUERIES) return overloaded(error);
  // any other code of ClickHouse means that the statement is wrong: a bug, answered 500
  return /^\d+$/.test(code) && code !== CANCELLED ? error : new Refusal("warehouse_unavailable", {}, error);
}

/** @returns what runs the statements of one request; they are cancelled when its signal aborts */
export type QueryRunner = (call: { organizationId: string; signal: AbortSignal }) => RunQuery;

interface QueryRunnerOptions {
  /** The hint of the answer when there is no warehouse. */
  readonly offHint?: string;
  /** The memory of one query. */
  readonly memoryBytes?: number;
}

export function createQueryRunner(
  warehouse: StatsWarehouse,
  {
    offHint = ERRORS.warehouse_off.hint,
    memoryBytes = SERVER_LIMITS.maxStatsMemoryBytes,
  }: QueryRunnerOptions = {},
): QueryRunner {
  const settings = { ...QUERY_LIMITS, ...memorySettings(memoryBytes) };
  const admission = createAdmission({
    maxActive: MAX_ACTIVE_STATS_QUERIES,
    maxActivePerKey: Math.ceil(MAX_ACTIVE_STATS_QUERIES / 2),
    maxAdmitted: MAX_ACTIVE_STATS_QUERIES + MAX_WAITING_STATS_QUERIES,
    maxAdmittedPerKey: Math.ceil((MAX_ACTIVE_STATS_QUERIES + MAX_WAITING_STATS_QUERIES) / 2),
  });
  // statements that fail because others use the memory run again when these are done, one after the other
  let firstTries = 0;
  const maxWaitMs = STATS_TIMEOUT_SECONDS * SECOND_MS;
  const secondTries = createAdmission({ maxActive: 1, maxWaitMs, isOpen: () => firstTries === 0 });
  const coalesce = createCoalescer<unknown[][]>();
  const run = async (key: string, statement: Statement, signal: AbortSignal): Promise<unknown[][]> => {
    refuseElsewhere(warehouse);
    if (warehouse.state() === "off") throw new Refusal("warehouse_off", { hint: offHint });
    const client = warehouse.client();
    if (!client) throw new Refusal("warehouse_unavailable");
    const once = () => runOn(client, signal, settings)<unknown[]>(statement);
    firstTries += 1;
    try {
      return await once();
    } catch (error) {
      if (!isShortOfMemory(error)) throw error;
    } finally {
      firstTries -= 1;
      secondTries.resume();
    }
    return secondTries.run(key, once, signal);
  };
  return ({ organizationId, signal }) => {
    const runOne: RunStatement = async <Row extends readonly unknown[]>(statement: Statement) => {
      const key = JSON.stringify([organizationId, statement]);
      const admit = (abandoned: AbortSignal) =>
        admission.run(organizationId, async () => run(organizationId, statement, abandoned), abandoned);
      const rows = await coalesce(key, signal, admit).catch((error: unknown) => {
        // the client has left: the answer has no reader
        throw signal.aborted ? new Refusal("warehouse_unavailable") : toRefusal(error);
      });
      // the statement's text selects the columns of Row; ClickHouse reports no types of TypeScript
      return rows as unknown[] as Row[];
    };
    return Object.assign(runOne, { memoryBytes });
  };
}
