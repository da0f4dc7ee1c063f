/** Blocks of a page: what is in them is found without reading what applications wrote, and each event is sent once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import type { OutboxPart } from "../../src/core/records.ts";
import { compress, compressSync } from "../../src/ledger/compression.ts";
import {
  blockOf,
  blocksOf,
  bodyOf,
  type Row,
  rowsOf,
  unpackedBytes,
  without,
} from "../../src/shipping/block.ts";
import { anEvent } from "./store.ts";

const NOW = Date.UTC(2026, 10, 1);
/** Texts and keys that look like the members around them. */
const TRICKY = [
  { name: ',"timestamp":"2020-01-01' },
  { eventId: '\\",\\"sourceId\\":\\"src_9' },
  { properties: { timestamp: "x", sourceId: "src_9", receivedAt: "never", nested: { sourceId: "src_8" } } },
  { context: { a: '"},"sourceId":"src_9"' }, batchId: ',"sourceId":"src_9"', country: null },
  { properties: { text: "ünï 🙂\u2028".repeat(5_000) } },
];
const jsonOf = (over: Record<string, unknown>, index: number) => anEvent(NOW + index, over).json;
const lines = [...TRICKY, {}, {}].map(jsonOf);

async function rowsIn(parts: OutboxPart[]): Promise<Row[]> {
  const all: Row[] = [];
  for await (const rows of rowsOf({ token: "t", parts })) all.push(...rows);
  return all;
}
/** Node unpacks one frame of several. */
function textOf(body: Buffer): string[] {
  let text = "";
  for (let at = 0; at < body.length; ) {
    const { buffer, engine } = zstdDecompressSync(body.subarray(at), { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    text += buffer.toString("utf8");
    at += engine.bytesWritten;
  }
  return text.split("\n").filter(Boolean);
}

test("The ends of a line say what its whole says, whatever stands between them.", async () => {
  const { parts } = blockOf("t", lines.join("\n"));
  const expected = lines.map((line, index) => {
    const { analyticsEventId: id, sourceId, occurredAt, receivedAt } = JSON.parse(line);
    const times = { occurredAt: Date.parse(occurredAt), receivedAt: Date.parse(receivedAt) };
    return { id, sourceId, ...times, part: 0, line: index + 1 };
  });
  assert.deepEqual(await rowsIn(parts), expected);
});

test("A line whose members stand in another order is read whole.", async () => {
  const { analyticsEventId, sourceId, ...rest } = JSON.parse(lines[0]!);
  const [row] = await rowsIn(blockOf("t", JSON.stringify({ sourceId, ...rest, analyticsEventId })).parts);
  assert.deepEqual([row?.id, row?.sourceId], [analyticsEventId, sourceId]);
});

test("What is skipped, or left out, is in no body; all else is, as it was.", async () => {
  const { parts } = blockOf("t", lines.join("\n"));
  const block = {
    token: "t",
    parts: [{ ...parts[0]!, skipped: [2] }, ...blockOf("t", lines.slice(0, 2).join("\n")).parts],
  };
  const rows = await rowsIn(block.parts);
  assert.equal(rows.length, lines.length + 1);
  const kept = lines.filter((_, index) => index !== 1);
  assert.ok(isDeepStrictEqual(textOf(bodyOf(block)), [...kept, lines[0], lines[1]]));
  const left = without(block, [rows[0]!, rows.at(-1)!]);
  assert.ok(isDeepStrictEqual(textOf(bodyOf(left)), [...kept.slice(1), lines[0]]));
  assert.deepEqual(textOf(bodyOf(without(block, rows))), []);
});

test("A compressed part says how long it is, by either way of compressing.", async () => {
  for (const length of [1, 200, 255, 256, 300, 65_791, 65_792, 3_000_000]) {
    const text = "x".repeat(length);
    assert.equal(unpackedBytes({ payload: compressSync(text) }), length);
    assert.equal(unpackedBytes({ payload: await compress(text) }), length);
  }
});

test("A page is one block, unless its events are so many bytes that they are several; the same page is the same blocks.", () => {
  const large = { payload: compressSync(Buffer.alloc(SERVER_LIMITS.blockBytes / 2 - 1_000)), skipped: [] };
  const page = { pageId: "pag_1", events: 4, createdAt: NOW, tries: 0, parts: Array(5).fill(large) };
  const blocks = [...blocksOf(page)];
  assert.deepEqual(
    blocks.map(({ token, parts }) => [token, parts.length]),
    [
      ["pag_1.0", 2],
      ["pag_1.1", 2],
      ["pag_1.2", 1],
    ],
  );
  assert.deepEqual([...blocksOf(page)], blocks);
});
