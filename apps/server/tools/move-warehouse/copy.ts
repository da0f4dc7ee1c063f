/**
 * Copies the events of a span of days from one warehouse into another. No progress is recorded: days that are the same
 * on both sides are skipped, and of a page that was copied before only missing events are sent.
 */
import { createHash } from "node:crypto";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import {
  AFTER_CURSOR,
  CURSOR_ORDER,
  EVENT_LINE,
  type EventCursor,
  PAGE_QUERY_SETTINGS,
  readPageEnd,
} from "../../src/clickhouse/pages.ts";
import { sumEvents } from "../../src/ledger/warehouse-report.ts";
import { type Block, blockOf } from "../../src/shipping/block.ts";
import { store, storeMissing } from "../../src/shipping/store.ts";

/** The events of a source on a day. Two days are the same when the number of events and the hash of their ids are. */
export interface DayDigest {
  sourceId: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  events: number;
  hash: string;
}

/** Days of a source, from the first to the last, both included. */
export interface DaySpan {
  sourceId: string;
  first: string;
  last: string;
}

/** A page has fewer rows when its events are large. */
const MAX_PAGE_ROWS = 20_000;
const MIN_PAGE_ROWS = 100;
const PAGE_BYTES = 16 * 1_048_576;

const IN_SPAN = "sourceId = {sourceId:String} AND toDate(occurredAt) BETWEEN {first:Date} AND {last:Date}";

async function readRows<T>(
  client: WarehouseClient,
  query: string,
  query_params: Record<string, unknown> = {},
): Promise<T[]> {
  return (await client.query({ query, query_params, format: "JSONEachRow" })).json<T>();
}

export async function listSources(client: WarehouseClient): Promise<string[]> {
  const query = "SELECT DISTINCT sourceId FROM events ORDER BY sourceId";
  return (await readRows<{ sourceId: string }>(client, query)).map(({ sourceId }) => sourceId);
}

/** Every day that ClickHouse's type Date has. */
export const allDays = (sourceId: string): DaySpan => ({ sourceId, first: "1970-01-01", last: "2149-06-06" });

/** The days of the span that have events, in their order. */
export const readDays = (client: WarehouseClient, { sourceId, first, last }: DaySpan): Promise<DayDigest[]> =>
  readRows<DayDigest>(
    client,
    `SELECT sourceId, toString(toDate(occurredAt)) AS day, toUInt32(count()) AS events,
      concat(toString(sum(cityHash64(analyticsEventId))), '-', toString(groupBitXor(cityHash64(analyticsEventId)))) AS hash
    FROM events WHERE ${IN_SPAN} GROUP BY sourceId, day ORDER BY day`,
    { sourceId, first, last },
  );

export async function hasDuplicates(client: WarehouseClient, span: DaySpan): Promise<boolean> {
  const query = `SELECT toUInt32(count() - uniqExact(analyticsEventId)) AS duplicates FROM events WHERE ${IN_SPAN}`;
  const [row] = await readRows<{ duplicates: number }>(client, query, { ...span });
  return row !== undefined && row.duplicates > 0;
}

const MAX_SPAN_EVENTS = 200_000;

/** Joins small days into spans, so that few queries are needed. A span is never larger than one large day. */
export function groupIntoSpans(days: readonly DayDigest[]): DaySpan[] {
  const spans: (DaySpan & { events: number })[] = [];
  for (const { sourceId, day, events } of days) {
    const span = spans.at(-1);
    if (span === undefined || span.events + events > MAX_SPAN_EVENTS) {
      spans.push({ sourceId, first: day, last: day, events });
    } else {
      span.last = day;
      span.events += events;
    }
  }
  return spans;
}

export const isSameDay = (one: DayDigest | undefined, other: DayDigest | undefined): boolean =>
  one?.events === other?.events && one?.hash === other?.hash;

/** The pages are the same in every run, so a page's id finds what an interrupted run has begun to insert. */
async function* readPages(
  client: WarehouseClient,
  span: DaySpan,
): AsyncGenerator<{ block: Block; rows: number }> {
  let cursor: EventCursor | null = null;
  let limit = MAX_PAGE_ROWS;
  for (;;) {
    const after: object = cursor ? { ...cursor, occurredAt: new Date(cursor.occurredAt) } : {};
    const { stream } = await client.exec({
      query: `SELECT ${EVENT_LINE} FROM events WHERE ${IN_SPAN} ${cursor ? AFTER_CURSOR : ""}
        ORDER BY ${CURSOR_ORDER} LIMIT {limit:UInt32} FORMAT TSVRaw`,
      query_params: { ...span, limit, ...after },
      clickhouse_settings: PAGE_QUERY_SETTINGS,
    });
    const body: Buffer = Buffer.concat(await stream.toArray());
    if (body.length === 0) return;
    const name = createHash("sha256")
      .update(JSON.stringify([span.sourceId, span.first, cursor]))
      .digest("hex");
    const { rows, cursor: end } = readPageEnd(body);
    yield { block: blockOf(`mov_${name.slice(0, 32)}`, body), rows };
    if (rows < limit) return;
    cursor = end;
    limit = Math.max(MIN_PAGE_ROWS, Math.min(MAX_PAGE_ROWS, Math.floor((PAGE_BYTES * rows) / body.length)));
  }
}

interface SpanCopy {
  from: WarehouseClient;
  to: WarehouseClient;
  span: DaySpan;
  /** The target had no event of the span; an interrupted run may still be inserting a page, which has the same id. */
  isSpanEmptyInTarget: boolean;
  /** Called after each page with the number of events that were missing and have been stored. */
  onStored(events: number): void;
}

/** Reads a page while the page before it is stored. */
export async function copySpan({ from, to, span, isSpanEmptyInTarget, onStored }: SpanCopy): Promise<void> {
  const { signal } = new AbortController();
  let storing: Promise<void> = Promise.resolve();
  const storePage = async (block: Block, rows: number) => {
    if (!isSpanEmptyInTarget) return sumEvents(await storeMissing(to, block, "retried", signal));
    await store(to, block, "new", signal);
    return rows;
  };
  for await (const { block, rows } of readPages(from, span)) {
    await storing;
    storing = storePage(block, rows).then(onStored);
    // a failure is thrown by the next `await storing`; without this it would count as unhandled until then
    storing.catch(() => undefined);
  }
  await storing;
}
