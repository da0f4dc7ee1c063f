/**
 * Events from one warehouse into another, a source's days after each other. What became of an earlier try is seen in the
 * other warehouse itself: a day that is the same on both sides is passed over, and of a page only what is missing is sent.
 */
import { createHash } from "node:crypto";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import {
  AFTER_CURSOR,
  AS_WRITTEN,
  CURSOR_ORDER,
  type EventCursor,
  readPageEnd,
} from "../../src/clickhouse/pages.ts";
import { type Block, blockOf } from "../../src/shipping/block.ts";
import { store, storeMissing } from "../../src/shipping/store.ts";

/** Of what lies there: whether two sides hold the same events, each as often, is told by number and sums of hashes of ids. */
export interface Held {
  sourceId: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  events: number;
  hash: string;
}

/** A page to have, and what it may take of memory: of large events fewer. */
const PAGE_ROWS = 20_000;
const PAGE_BYTES = 16 * 1_048_576;
const SMALLEST_ROWS = 100;

const OF_SPAN = "sourceId = {sourceId:String} AND toDate(occurredAt) BETWEEN {first:Date} AND {last:Date}";

async function rowsOf<T>(client: WarehouseClient, query: string, query_params: object = {}): Promise<T[]> {
  const asked = { query, query_params: { ...query_params }, format: "JSONEachRow" } as const;
  return (await client.query(asked)).json<T>();
}

export async function sourcesOf(client: WarehouseClient): Promise<string[]> {
  const rows = await rowsOf<{ sourceId: string }>(
    client,
    "SELECT DISTINCT sourceId FROM events ORDER BY sourceId",
  );
  return rows.map(({ sourceId }) => sourceId);
}

/** Days of a source, the first and the last among them. */
export interface Span {
  sourceId: string;
  first: string;
  last: string;
}

export const allDays = (sourceId: string): Span => ({ sourceId, first: "1970-01-01", last: "2149-06-06" });

/** In their order. */
export async function heldOf(client: WarehouseClient, { sourceId, first, last }: Span): Promise<Held[]> {
  const query = `SELECT sourceId, toString(toDate(occurredAt)) AS day, toUInt32(count()) AS events,
      concat(toString(sum(cityHash64(analyticsEventId))), '-', toString(groupBitXor(cityHash64(analyticsEventId)))) AS hash
    FROM events WHERE ${OF_SPAN} GROUP BY sourceId, day ORDER BY day`;
  return rowsOf<Held>(client, query, { sourceId, first, last });
}

const SPAN_EVENTS = 200_000;

/** Few questions for many small days, and no span of more than a large day. */
export function spansOf(days: readonly Held[]): Span[] {
  const spans: (Span & { events: number })[] = [];
  for (const { sourceId, day, events } of days) {
    const span = spans.at(-1);
    if (span === undefined || span.events + events > SPAN_EVENTS)
      spans.push({ sourceId, first: day, last: day, events });
    else Object.assign(span, { last: day, events: span.events + events });
  }
  return spans;
}

export const isSame = (one: Held | undefined, other: Held | undefined): boolean =>
  one?.events === other?.events && one?.hash === other?.hash;

/** The same pages whenever it is asked, so that a page's name finds what an earlier try has left under way. */
async function* pagesOf(client: WarehouseClient, span: Span): AsyncGenerator<{ block: Block; rows: number }> {
  let cursor: EventCursor | null = null;
  let most = PAGE_ROWS;
  for (;;) {
    const after: object = cursor ? { ...cursor, occurredAt: new Date(cursor.occurredAt) } : {};
    const { stream } = await client.exec({
      query: `SELECT * FROM events WHERE ${OF_SPAN} ${cursor ? AFTER_CURSOR : ""} ORDER BY ${CURSOR_ORDER} LIMIT {most:UInt32} FORMAT JSONEachRow`,
      query_params: { ...span, most, ...after },
      clickhouse_settings: AS_WRITTEN,
    });
    const body: Buffer = Buffer.concat(await stream.toArray());
    if (body.length === 0) return;
    const name = createHash("sha256")
      .update(JSON.stringify([span.sourceId, span.first, cursor]))
      .digest("hex");
    const { rows, cursor: end } = readPageEnd(body);
    yield { block: blockOf(`mov_${name.slice(0, 32)}`, body), rows };
    if (rows < most) return;
    cursor = end;
    most = Math.max(SMALLEST_ROWS, Math.min(PAGE_ROWS, Math.floor((PAGE_BYTES * rows) / body.length)));
  }
}

/**
 * A page is read while the one before is stored.
 * @param isEmpty nothing of it is there: only an insert that a killed command left under way may be, and has the same token
 * @param onPage told how many events were stored that were not there
 */
export async function copySpan(
  from: WarehouseClient,
  to: WarehouseClient,
  span: Span,
  isEmpty: boolean,
  onPage: (stored: number) => void,
): Promise<void> {
  const { signal } = new AbortController();
  let storing: Promise<void> = Promise.resolve();
  const put = async (block: Block, rows: number) => {
    if (!isEmpty) return storeMissing(to, block, "retried", signal);
    await store(to, block, "new", signal);
    return rows;
  };
  for await (const { block, rows } of pagesOf(from, span)) {
    await storing;
    storing = put(block, rows).then(onPage);
    // it is waited for before the next is begun
    storing.catch(() => undefined);
  }
  await storing;
}

/** Is any event there more than once? */
export async function isDoubled(client: WarehouseClient, span: Span): Promise<boolean> {
  const query = `SELECT toUInt32(count() - uniqExact(analyticsEventId)) AS more FROM events WHERE ${OF_SPAN}`;
  const [row] = await rowsOf<{ more: number }>(client, query, span);
  return row !== undefined && row.more > 0;
}
