/** One block into the warehouse, exactly once. */

import { setTimeout as pause } from "node:timers/promises";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { onCluster, onEveryNode, storedName } from "../clickhouse/cluster.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { type Block, type BlockRow, rowsOf, without } from "./block.ts";
import { insert, Refused } from "./insert.ts";

/**
 * What may have happened to a block: `new`: nothing, and its events are younger than any copy of the ledger. `old`: it
 * was not tried, but the ledger may be a copy of one that did. `tried`: what became of an earlier try is not known.
 * `told`: a file says so, and the same events may be held as received at another time.
 */
export type Past = "new" | "old" | "tried" | "told";

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

/** It stands in the statement, because so many are too long for an address. */
function literal(id: string): string {
  if (!/^evt_[0-9a-f]{32}$/.test(id)) throw new Refused("an event has no id of ours");
  return `'${id}'`;
}

/** Of rows: where they are from, and between which moments they happened and were received. */
interface Span {
  rows: number;
  sources: Set<string>;
  occurred: [from: number, to: number];
  received: [from: number, to: number];
}

const widened = ([from, to]: [number, number], at: number): [number, number] => [
  Math.min(from, at),
  Math.max(to, at),
];

function spanOf(rows: readonly BlockRow[], before?: Span): Span {
  const nothing: [number, number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const span = before ?? { rows: 0, sources: new Set(), occurred: nothing, received: nothing };
  span.rows += rows.length;
  for (const { sourceId, occurredAt, receivedAt } of rows) {
    span.sources.add(sourceId);
    span.occurred = widened(span.occurred, occurredAt);
    span.received = widened(span.received, receivedAt);
  }
  return span;
}

const HELD = `WHERE sourceId IN {sources:Array(String)}
  AND occurredAt BETWEEN {from:DateTime64(3)} AND {to:DateTime64(3)}
  AND receivedAt BETWEEN {first:DateTime64(3)} AND {last:DateTime64(3)}`;
const ALWAYS = [0, Date.UTC(2200, 0, 1)] as const;

interface Search {
  client: WarehouseClient;
  past: Past;
  signal: AbortSignal;
}

/** The warehouse's ids among which every held one of the span is. @param condition more than the span */
async function idsNear({ client, past, signal }: Search, span: Span, condition: string): Promise<string[]> {
  const [from, to] = span.occurred;
  const [first, last] = past === "told" ? ALWAYS : span.received;
  const stored = onEveryNode(client, `${client.database}.${storedName(client, "events")}`);
  const answer = await client.query({
    query: `SELECT analyticsEventId AS id FROM ${stored} ${HELD} ${condition}`,
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

/** Those of the block's ids that the warehouse holds, asked for one by one. */
async function idsHeld(search: Search, block: Block): Promise<string[]> {
  const held: string[] = [];
  for await (const rows of rowsOf(block)) {
    for (let start = 0; start < rows.length; start += SERVER_LIMITS.warehouseKeys) {
      const slice = rows.slice(start, start + SERVER_LIMITS.warehouseKeys);
      const asked = `AND analyticsEventId IN (${slice.map(({ id }) => literal(id))})`;
      held.push(...(await idsNear(search, spanOf(slice), asked)));
    }
  }
  return held;
}

interface Comparison {
  rows: number;
  held: BlockRow[];
}

/**
 * Which of the block's rows the warehouse holds. What was received together was shipped together, so that mostly there
 * is little from the same moments, and it is had whole.
 */
async function compare(search: Search, block: Block): Promise<Comparison> {
  let span = spanOf([]);
  for await (const rows of rowsOf(block)) span = spanOf(rows, span);
  if (span.rows === 0) return { rows: 0, held: [] };
  const most = 2 * span.rows;
  const near = await idsNear(search, span, `LIMIT ${most}`);
  const ids = new Set(near.length < most ? near : await idsHeld(search, block));
  const held: BlockRow[] = [];
  if (ids.size > 0)
    for await (const rows of rowsOf(block)) held.push(...rows.filter(({ id }) => ids.has(id)));
  return { rows: span.rows, held };
}

const COMPARISONS = 3;

/** What the warehouse holds is left out. @returns how many events it did not hold */
export async function storeMissing(
  client: WarehouseClient,
  block: Block,
  past: Exclude<Past, "new">,
  signal: AbortSignal,
): Promise<number> {
  if (past === "tried") await endEarlier(client, block.token, signal);
  const search = { client, past, signal };
  let { rows, held } = await compare(search, block);
  const missing = rows - held.length;
  for (let round = 0; round < COMPARISONS && held.length < rows; round++) {
    // the whole block under its own token: another try of it that nobody can see does no harm
    const isWhole = held.length === 0 && round === 0;
    const token = isWhole ? block.token : `${block.token}.${rows - held.length}.${round}`;
    await insert(client, isWhole ? block : { ...without(block, held), token }, signal);
    // the token of an earlier try is no proof: its log says what was begun, and is not flushed to the disk
    if (past !== "tried") return missing;
    ({ rows, held } = await compare(search, block));
  }
  if (held.length < rows) throw new Error("the warehouse says that it stored events, and does not hold them");
  return missing;
}

/**
 * Resolves when the warehouse holds every event of the block once.
 * @throws Refused, or the client's error: then it may hold them or not
 */
export async function store(
  client: WarehouseClient,
  block: Block,
  past: Past,
  signal: AbortSignal,
): Promise<void> {
  if (past === "new") await insert(client, block, signal);
  else await storeMissing(client, block, past, signal);
}
