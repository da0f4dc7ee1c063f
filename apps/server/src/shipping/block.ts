/**
 * From a page of the outbox to what is inserted at once. What was compressed when it was accepted goes as it is: whoever
 * reads it unpacks it. The same block is the same bytes.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxPage, OutboxPart } from "../core/records.ts";
import { compressSync } from "../ledger/compression.ts";

/** Frames may stand one after the other, and what they hold is one text (RFC 8878, section 3). */
const LINE_END = compressSync("\n");

/** One insert, which the warehouse knows by its token. */
export interface Block {
  token: string;
  /** Normal forms, a line each. */
  parts: OutboxPart[];
}

/** @param text normal forms, a line each */
export const blockOf = (token: string, text: string | Uint8Array): Block => ({
  token,
  parts: [{ payload: compressSync(text), skipped: [] }],
});

const FIELD_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];

/** Of lines, far more than was seen. */
const RATIO = 50;

/** What a frame says of its length when it is unpacked (RFC 8878, section 3.1.1.1), or a guess when it says nothing. */
export function unpackedBytes({ payload }: Pick<OutboxPart, "payload">): number {
  const frame = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const descriptor = frame.getUint8(4);
  const isSingle = (descriptor & 32) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]!;
  const fieldBytes = FIELD_BYTES[descriptor >> 6]!;
  if (fieldBytes === 2) return frame.getUint16(at, true) + 256;
  if (fieldBytes === 4) return frame.getUint32(at, true);
  if (fieldBytes === 8) return Number(frame.getBigUint64(at, true));
  return isSingle ? frame.getUint8(at) : RATIO * payload.length;
}

/** A page is one block, unless its events are so large that nobody should hold them all at once. */
export function* blocksOf({ pageId, parts }: OutboxPage): Generator<Block> {
  let gathered: OutboxPart[] = [];
  let bytes = 0;
  let number = 0;
  for (const part of parts) {
    const more = unpackedBytes(part);
    if (gathered.length > 0 && bytes + more > SERVER_LIMITS.blockBytes) {
      yield { token: `${pageId}.${number}`, parts: gathered };
      [gathered, bytes] = [[], 0];
      number += 1;
    }
    gathered.push(part);
    bytes += more;
  }
  yield { token: `${pageId}.${number}`, parts: gathered };
}

/** An event of a block, as far as it is needed to find it. */
export interface Row {
  id: string;
  sourceId: string;
  /** Milliseconds. */
  occurredAt: number;
  receivedAt: number;
  /** The number of its part, and of its line there: the first is 1, as in `skipped`. */
  part: number;
  line: number;
}

const LINE_BREAK = 10;
/** Smaller buffers are parts of one that others have parts of too. */
const PIECE_BYTES = 65_536;

const HEAD_END = Buffer.from(',"timestamp":');
const TAIL = Buffer.from(',"sourceId":');

/** Both ends of a line are all that is wanted; to read what an application put between them costs five times as much. */
function eventOf(
  line: Buffer,
): Record<"analyticsEventId" | "sourceId" | "occurredAt" | "receivedAt", string> {
  const [headEnd, tail] = [line.indexOf(HEAD_END), line.lastIndexOf(TAIL)];
  if (headEnd === -1 || tail < headEnd) return JSON.parse(line.toString());
  return JSON.parse(`${line.toString("utf8", 0, headEnd)}${line.toString("utf8", tail)}`);
}

function rowOf(bytes: Buffer, part: number, line: number): Row {
  const { analyticsEventId: id, sourceId, occurredAt, receivedAt } = eventOf(bytes);
  return { id, sourceId, occurredAt: Date.parse(occurredAt), receivedAt: Date.parse(receivedAt), part, line };
}

/** As many bytes at once as it says: else they are gathered piece by piece, and each piece is garbage then. */
function unpack(part: OutboxPart): Buffer {
  const bytes = unpackedBytes(part);
  const isKnown = bytes <= SERVER_LIMITS.blockBytes;
  // one more, or a second piece is made for what may follow
  return zstdDecompressSync(part.payload, isKnown ? { chunkSize: Math.max(bytes + 1, PIECE_BYTES) } : {});
}

/** Those that are not skipped, with their numbers. The bytes are there until the next is asked for. */
function* linesOf(part: OutboxPart): Generator<[line: number, bytes: Buffer]> {
  const isSkipped = new Set(part.skipped);
  const text = unpack(part);
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(LINE_BREAK, start);
    const end = found === -1 ? text.length : found;
    line += 1;
    if (!isSkipped.has(line)) yield [line, text.subarray(start, end)];
    start = end + 1;
  }
  // given back now: until it was collected, dozens of others would be there
  if (text.buffer.byteLength >= PIECE_BYTES) (text.buffer as ArrayBuffer).transfer(0);
}

/** Part by part: one is unpacked at a time, and others have their turn between them. */
export async function* rowsOf({ parts }: Block): AsyncGenerator<Row[]> {
  for (const [place, part] of parts.entries()) {
    const rows: Row[] = [];
    for (const [line, bytes] of linesOf(part)) rows.push(rowOf(bytes, place, line));
    yield rows;
    await nextTurn();
  }
}

/** The block without some of its events. */
export function without({ token, parts }: Block, rows: readonly Row[]): Block {
  const skipped = parts.map((part) => [...part.skipped]);
  for (const { part, line } of rows) skipped[part]!.push(line);
  return { token, parts: parts.map(({ payload }, place) => ({ payload, skipped: skipped[place]! })) };
}

function frameOf(part: OutboxPart): Uint8Array {
  if (part.skipped.length === 0) return part.payload;
  const lines: string[] = [];
  for (const [, bytes] of linesOf(part)) lines.push(bytes.toString());
  return compressSync(lines.join("\n"));
}

/** Its lines, compressed by zstd. */
export const bodyOf = ({ parts }: Block): Buffer =>
  Buffer.concat(parts.flatMap((part) => [frameOf(part), LINE_END]));
