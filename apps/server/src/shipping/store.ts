/** Stores one block in the warehouse so that each of its events is there exactly once (docs/decisions/0014). */
import { setTimeout as sleep } from "node:timers/promises";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { onCluster, onEveryNode, storedName } from "../clickhouse/cluster.ts";
import { DAY_MS, dayOf, MAX_QUERY_TIME, utcDay } from "../core/time.ts";
import type { DayCount } from "../ledger/warehouse-report.ts";
import { type Block, type BlockRow, rowsOf, without } from "./block.ts";
import { countDays } from "./count-days.ts";
import { EventsRefused, insert } from "./insert.ts";

/** Event ids in one statement. */
const MAX_IDS_PER_STATEMENT = 2_000;

/**
 * The possible effect of earlier deliveries of a block.
 * - `new`: nothing, because its events are younger than any copy of the ledger.
 * - `restored`: this ledger did not send it, but it may be a copy of a ledger that did.
 * - `retried`: it was sent before, and the outcome is not known.
 * - `imported`: it comes from a file; the warehouse may hold the same events with another `receivedAt`.
 */
export type DeliveryHistory = "new" | "restored" | "retried" | "imported";

const KILL_ROUNDS = 20;
const KILL_ROUND_MS = 500;
const IS_OF_BLOCK = "startsWith(Settings['insert_deduplication_token'], {token:String})";

/** Kills earlier inserts of the block that still run. @throws Error when one does not end */
async function endEarlierInserts(client: WarehouseClient, token: string, signal: AbortSignal): Promise<void> {
  const query_params = { token };
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const query = `SELECT count() AS running FROM ${onEveryNode(client, "system.processes")} WHERE ${IS_OF_BLOCK}`;
    const answer = await client.query({ query, query_params, format: "JSONEachRow", abort_signal: signal });
    const [row] = await answer.json<{ running: string | number }>();
    if (Number(row?.running) === 0) return;
    const kill = `KILL QUERY${onCluster(client)} WHERE ${IS_OF_BLOCK} ASYNC`;
    await client.command({ query: kill, query_params, abort_signal: signal });
    await sleep(KILL_ROUND_MS, undefined, { signal });
  }
  throw new Error("An earlier insert of the same events does not end.");
}

/** An event id for the text of a statement: parameters go into the URL, which is too short for thousands of ids. */
function eventIdLiteral(id: string): string {
  if (!/^evt_[0-9a-f]{32}$/.test(id)) throw new EventsRefused("An event has an invalid analyticsEventId.");
  return `'${id}'`;
}

/** The sources and the times of some rows. */
interface RowSpan {
  rows: number;
  sources: Set<string>;
  /** UTC, in days since the epoch. */
  days: Set<number>;
  occurred: [from: number, to: number];
  received: [from: number, to: number];
}

const widen = ([from, to]: [number, number], at: number): [number, number] => [
  Math.min(from, at),
  Math.max(to, at),
];

function addToSpan(span: RowSpan, rows: readonly BlockRow[]): RowSpan {
  for (const { sourceId, occurredAt, receivedAt } of rows) {
    span.rows += 1;
    span.sources.add(sourceId);
    span.days.add(dayOf(occurredAt));
    span.occurred = widen(span.occurred, occurredAt);
    span.received = widen(span.received, receivedAt);
  }
  return span;
}

function emptySpan(): RowSpan {
  const nothing: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return { rows: 0, sources: new Set(), days: new Set(), occurred: nothing, received: nothing };
}

const IN_SPAN = `WHERE sourceId IN {sources:Array(String)}
  AND occurredAt BETWEEN {from:DateTime64(3)} AND {to:DateTime64(3)}
  AND receivedAt BETWEEN {first:DateTime64(3)} AND {last:DateTime64(3)}`;
/** More days are searched as one range of time. */
const MAX_DAYS_PER_STATEMENT = 2_000;

/** Without it, a block with one event that is a year old makes ClickHouse read the year: it finds a day by the primary key. */
function onDaysOf({ days }: RowSpan): string {
  if (days.size > MAX_DAYS_PER_STATEMENT) return "";
  return `AND toDate(occurredAt) IN (${[...days].map((day) => `'${utcDay(day * DAY_MS)}'`)})`;
}

const ANY_TIME = [0, MAX_QUERY_TIME] as const;

interface BlockSearch {
  client: WarehouseClient;
  history: DeliveryHistory;
  signal: AbortSignal;
}

/** The ids of the warehouse's events in the span. @param condition further SQL after the condition of the span */
async function findIds({ client, history, signal }: BlockSearch, span: RowSpan, condition: string) {
  const [from, to] = span.occurred;
  const [first, last] = history === "imported" ? ANY_TIME : span.received;
  const stored = onEveryNode(client, `${client.database}.${storedName(client, "events")}`);
  const answer = await client.query({
    query: `SELECT analyticsEventId AS id FROM ${stored} ${IN_SPAN} ${onDaysOf(span)} ${condition}`,
    query_params: {
      sources: [...span.sources],
      from: new Date(from),
      to: new Date(to),
      first: new Date(first),
      last: new Date(last),
    },
    format: "JSONEachRow",
    abort_signal: signal,
  });
  return (await answer.json<{ id: string }>()).map(({ id }) => id);
}

/** The ids of the block that the warehouse holds, looked up one by one. */
async function findIdsOfBlock(search: BlockSearch, block: Block): Promise<string[]> {
  const found: string[] = [];
  for await (const rows of rowsOf(block)) {
    for (let start = 0; start < rows.length; start += MAX_IDS_PER_STATEMENT) {
      const slice = rows.slice(start, start + MAX_IDS_PER_STATEMENT);
      const condition = `AND analyticsEventId IN (${slice.map(({ id }) => eventIdLiteral(id))})`;
      found.push(...(await findIds(search, addToSpan(emptySpan(), slice), condition)));
    }
  }
  return found;
}

interface BlockComparison {
  rows: number;
  held: BlockRow[];
}

/**
 * Finds the block's rows that the warehouse holds. Events that were received together were shipped together, so the
 * warehouse usually holds few events of the same moments, and one query reads all their ids.
 */
async function compareBlock(search: BlockSearch, block: Block): Promise<BlockComparison> {
  let span = emptySpan();
  for await (const rows of rowsOf(block)) span = addToSpan(span, rows);
  if (span.rows === 0) return { rows: 0, held: [] };
  const maxIds = 2 * span.rows;
  const idsInSpan = await findIds(search, span, `LIMIT ${maxIds}`);
  const ids = new Set(idsInSpan.length < maxIds ? idsInSpan : await findIdsOfBlock(search, block));
  const held: BlockRow[] = [];
  if (ids.size > 0)
    for await (const rows of rowsOf(block)) held.push(...rows.filter(({ id }) => ids.has(id)));
  return { rows: span.rows, held };
}

/** The ids of the block's events that the warehouse holds, whenever they were received. */
export async function findStoredIds(
  client: WarehouseClient,
  block: Block,
  signal: AbortSignal,
): Promise<Set<string>> {
  const { held } = await compareBlock({ client, history: "imported", signal }, block);
  return new Set(held.map(({ id }) => id));
}

const MAX_COMPARISONS = 3;

/** Inserts the block's events that the warehouse does not hold. @returns how many those were of each source and day */
export async function storeMissing(
  client: WarehouseClient,
  block: Block,
  history: Exclude<DeliveryHistory, "new">,
  signal: AbortSignal,
): Promise<DayCount[]> {
  if (history === "retried") await endEarlierInserts(client, block.token, signal);
  const search = { client, history, signal };
  let { rows, held } = await compareBlock(search, block);
  const missing = await countDays(without(block, held));
  for (let round = 0; round < MAX_COMPARISONS && held.length < rows; round++) {
    // the whole block keeps its own token: if an earlier insert comes through after all, ClickHouse drops one of the two
    const isWhole = held.length === 0 && round === 0;
    const token = isWhole ? block.token : `${block.token}.${rows - held.length}.${round}`;
    await insert(client, isWhole ? block : { ...without(block, held), token }, signal);
    // after a retry the token proves nothing: ClickHouse logs it before the part and does not flush that log to the disk
    if (history !== "retried") return missing;
    ({ rows, held } = await compareBlock(search, block));
  }
  if (held.length < rows) throw new Error("ClickHouse confirmed an insert but does not hold its events.");
  return missing;
}

/**
 * Resolves when the warehouse holds every event of the block once.
 * @throws EventsRefused when ClickHouse cannot read the data; any other error leaves open whether the block was stored
 */
export async function store(
  client: WarehouseClient,
  block: Block,
  history: DeliveryHistory,
  signal: AbortSignal,
): Promise<void> {
  if (history === "new") await insert(client, block, signal);
  else await storeMissing(client, block, history, signal);
}
