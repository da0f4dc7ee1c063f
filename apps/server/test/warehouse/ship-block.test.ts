/** Blocks: which events they hold, the body of their insert, and how a large page is divided. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { buildPayload, buildPayloadSync, getUnpackedBytes } from "../../src/ledger/outbox-payload.ts";
import type { OutboxPart } from "../../src/ledger/records.ts";
import { type BlockRow, blockOf, blocksOf, bodyOf, rowsOf, without } from "../../src/shipping/block.ts";
import { anEvent } from "./store.ts";

const NOW = Date.UTC(2026, 10, 1);
/** Events whose texts and keys look like the members of the stored form. */
const TRICKY = [
  { anonymousId: '\t,"sourceId":"src_9"\t', userId: "\t}\\\t" },
  { name: ',"timestamp":"2020-01-01' },
  { eventId: '\\",\\"sourceId\\":\\"src_9' },
  { properties: { timestamp: "x", sourceId: "src_9", receivedAt: "never", nested: { sourceId: "src_8" } } },
  { context: { a: '"},"sourceId":"src_9"' }, batchId: ',"sourceId":"src_9"', country: null },
  { properties: { text: "ünï 🙂\u2028".repeat(5_000) } },
];
const jsonOf = (over: Record<string, unknown>, index: number) => anEvent(NOW + index, over).json;
const lines = [...TRICKY, {}, {}].map(jsonOf);

async function rowsIn(parts: OutboxPart[]): Promise<BlockRow[]> {
  const all: BlockRow[] = [];
  for await (const rows of rowsOf({ token: "t", parts })) all.push(...rows);
  return all;
}
/** Node unpacks only the first of several frames. */
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

const expectedRows = lines.map((line, index) => {
  const { analyticsEventId: id, sourceId, occurredAt, receivedAt } = JSON.parse(line);
  const times = { occurredAt: Date.parse(occurredAt), receivedAt: Date.parse(receivedAt) };
  return { id, sourceId, ...times, part: 0, line: index + 1 };
});

test("The rows of a block have the ids, sources and times of its events, whatever the events contain", async () => {
  assert.deepEqual(await rowsIn(blockOf("t", lines.join("\n")).parts), expectedRows);
});

test("Rows are read from the heads of the lines; the rest of a line is not parsed", async () => {
  const heads = lines.map((line) => `${line.slice(0, line.indexOf("\t") + 1)} and no more JSON`);
  assert.deepEqual(await rowsIn(blockOf("t", heads.join("\n")).parts), expectedRows);
});

test("The body has every event as it was accepted, except skipped lines and rows that are left out", async () => {
  const { parts } = blockOf("t", lines.join("\n"));
  const block = {
    token: "t",
    parts: [{ ...parts[0]!, skipped: [2] }, ...blockOf("t", lines.slice(0, 2).join("\n")).parts],
  };
  const rows = await rowsIn(block.parts);
  assert.equal(rows.length, lines.length + 1);
  const kept = lines.filter((_, index) => index !== 1);
  assert.ok(isDeepStrictEqual(textOf(await bodyOf(block)), [...kept, lines[0], lines[1]]));
  const left = without(block, [rows[0]!, rows.at(-1)!]);
  assert.ok(isDeepStrictEqual(textOf(await bodyOf(left)), [...kept.slice(1), lines[0]]));
  assert.deepEqual(textOf(await bodyOf(without(block, rows))), []);
});

test("A payload knows its unpacked size and stays valid zstd, whichever way it was compressed", async () => {
  for (const length of [1, 200, 256, 65_792, 3_000_000]) {
    const text = "x".repeat(length);
    for (const payload of [buildPayloadSync(text), await buildPayload(text)]) {
      assert.equal(getUnpackedBytes(payload), length);
      assert.equal(zstdDecompressSync(payload).toString(), text);
    }
  }
});

test("A page is one block; a page of many bytes is several, the same ones each time", () => {
  const large = {
    payload: buildPayloadSync(Buffer.alloc(SERVER_LIMITS.blockBytes / 2 - 1_000)),
    skipped: [],
  };
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
