/** Export of a source's events from the warehouse: each event once, in pages, and resumable after an interrupted download. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ExportQuery } from "@headwater/contract";
import { parquetMetadata } from "hyparquet";
import { createCompleteness } from "../../src/clickhouse/completeness.ts";
import { COLUMNS, readColumn } from "../../src/export/columns.ts";
import { createExport } from "../../src/export/export.ts";
import { EXPORT_FIRST_PAGE_ROWS } from "../../src/export/from-warehouse.ts";
import { linesOf, recordsOf, rowsOfParquet } from "../export/exported.ts";
import { accept, anEvent, openStore, type Store } from "./store.ts";

const NOW = Date.UTC(2026, 10, 2, 12);
const HOUR_MS = 3_600_000;
/** More than three pages, over several days and the end of a month, in sessions with several events. */
const COUNT = 3 * EXPORT_FIRST_PAGE_ROWS;
const entries = Array.from({ length: COUNT }, (_, index) =>
  anEvent(NOW - index * (HOUR_MS / 40), {
    sessionId: `ses_${index % 7}`,
    properties: { index, "it's": "ünï" },
    page: { title: `=${index}\n"x"`, url: "https://shop.example/a/b" },
  }),
);
let store: Store;
before(async () => {
  store = await openStore(NOW);
  await accept(store, [...entries, anEvent(NOW, { sourceId: "src_2" })], NOW);
  await store.shipAll();
});
after(() => store[Symbol.asyncDispose]());

async function bytesOf(
  query: Partial<ExportQuery> = {},
  signal = new AbortController().signal,
): Promise<Buffer> {
  const { warehouse, ledger } = store;
  const handler = createExport({
    warehouse,
    completeness: createCompleteness(),
    ledger,
    stopping: new AbortController().signal,
    onSlowClient: () => undefined,
  });
  const answer = await handler({ source: { sourceId: "src_1" }, query, signal } as never);
  const parts: Uint8Array[] = [];
  for await (const part of (answer as { stream: AsyncIterable<Uint8Array> }).stream) parts.push(part);
  return Buffer.concat(parts);
}
const textOf = async (query: Partial<ExportQuery> = {}) => (await bytesOf(query)).toString("utf8");

test("Every event is exported once, as it was accepted, ordered by day, session and time.", async () => {
  const rows = linesOf(await textOf());
  const accepted = entries.map(({ json }) => JSON.parse(json));
  const byId = new Map(accepted.map((event) => [event.analyticsEventId, event]));
  assert.equal(new Set(rows.map(({ analyticsEventId }) => analyticsEventId)).size, COUNT);
  assert.equal(rows.length, COUNT);
  for (const { page, ...row } of rows) {
    const { page: expected, ...rest } = byId.get(row.analyticsEventId);
    assert.deepEqual(row, rest);
    assert.deepEqual([page.title, page.url], [expected.title, expected.url]);
  }
  const order = rows.map(
    ({ occurredAt, sessionId }) => `${occurredAt.slice(0, 10)} ${sessionId} ${occurredAt}`,
  );
  assert.deepEqual(order, [...order].sort());
});

test("An interrupted export continues after any of its events with the same bytes.", async () => {
  for (const format of ["ndjson", "csv"] as const) {
    const whole = await textOf({ format });
    const lines = whole.trimEnd().split("\n");
    for (const at of [1, EXPORT_FIRST_PAGE_ROWS, lines.length - 2, lines.length - 1]) {
      const [cursor] = /evt_[0-9a-f]{32}/.exec(lines[at]!)!;
      const had = `${lines.slice(0, at + 1).join("\n")}\n`;
      assert.ok(had + (await textOf({ format, cursor })) === whole, `${format} after line ${at}`);
    }
  }
});

test("A range and a limit apply over pages, and every format has the same events.", async () => {
  const query = {
    from: "2026-11-01",
    to: "2026-11-02T06:00:00.000Z",
    limit: EXPORT_FIRST_PAGE_ROWS + 50,
  };
  const rows = linesOf(await textOf(query));
  assert.equal(rows.length, query.limit);
  assert.ok(rows.every(({ occurredAt }) => occurredAt >= query.from && occurredAt < query.to));
  const ids = rows.map(({ analyticsEventId }) => analyticsEventId);
  const records = recordsOf(await textOf({ ...query, format: "csv" }));
  assert.deepEqual(
    records.map(({ analyticsEventId }) => analyticsEventId),
    ids,
  );
  assert.ok(records.every(({ title }) => /^'=\d+ "x"$/.test(title)));
  const file = await bytesOf({ ...query, format: "parquet" });
  const table = await rowsOfParquet(
    file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer,
  );
  assert.deepEqual(
    table.map(({ analyticsEventId }) => analyticsEventId),
    ids,
  );
  assert.ok(table.every(({ revenue, scrollDepth }) => revenue === 12.5 && scrollDepth === 80));
  assert.equal((await textOf({ from: "2027-01-01" })).length, 0);
});

const TEXTS_OF_NDJSON = ["properties", "context", "page.clickIds"];
test("A Parquet file has a typed column for each member, with the values of NDJSON, and JSON as its exact text.", async () => {
  const bytes = new Uint8Array(await bytesOf({ format: "parquet" })).buffer;
  const { num_rows: rows, schema } = parquetMetadata(bytes);
  assert.equal(Number(rows), COUNT);
  const KINDS = { BYTE_ARRAY: ["text", "json"], DOUBLE: ["number"], BOOLEAN: ["flag"], INT64: ["time"] };
  for (const { name, kind } of COLUMNS) {
    const column = schema.find((one) => one.name === name)!;
    assert.ok(KINDS[column.type as keyof typeof KINDS].includes(kind), `${name}: ${column.type}`);
    if (kind === "text" || kind === "json") assert.equal(column.logical_type?.type, "STRING", name);
  }
  const lines = (await textOf()).trimEnd().split("\n");
  for (const [index, row] of (await rowsOfParquet(bytes)).entries()) {
    const event = JSON.parse(lines[index]!);
    for (const column of COLUMNS) {
      const path = column.path.join(".");
      const value = readColumn(event, column);
      const text = TEXTS_OF_NDJSON.includes(path) ? JSON.stringify(value) : value;
      assert.deepEqual(
        column.kind === "time" ? row[column.name].toISOString() : row[column.name],
        text,
        path,
      );
    }
  }
});

test("A Parquet file continues after a cursor, and has no row of an empty range.", async () => {
  const all = await rowsOfParquet(new Uint8Array(await bytesOf({ format: "parquet" })).buffer);
  const cursor = all[7]!.analyticsEventId;
  const more = await bytesOf({ format: "parquet", cursor, limit: 5 });
  assert.deepEqual(await rowsOfParquet(new Uint8Array(more).buffer), all.slice(8, 13));
  const none = await bytesOf({ format: "parquet", from: "2027-01-01" });
  assert.deepEqual(await rowsOfParquet(new Uint8Array(none).buffer), []);
});

test("An export ends when the client disconnects, which is not a failure to log, and answers warehouse_unavailable when the warehouse is down.", async () => {
  const disconnected = new AbortController();
  disconnected.abort();
  for (const format of ["ndjson", "parquet"] as const)
    await assert.rejects(
      bytesOf({ format }, disconnected.signal),
      ({ code, cause }: { code?: string; cause?: unknown }) =>
        code === "warehouse_unavailable" && cause === undefined,
    );
  const { ledger } = store;
  const unavailable = { state: () => "down" as const, client: () => null };
  const stopping = new AbortController().signal;
  const handler = createExport({
    warehouse: unavailable,
    completeness: createCompleteness(),
    ledger,
    stopping,
    onSlowClient: () => undefined,
  });
  const call = { source: { sourceId: "src_1" }, query: {}, signal: stopping };
  await assert.rejects(handler(call as never), { code: "warehouse_unavailable" });
});
