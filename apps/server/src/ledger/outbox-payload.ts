/**
 * The payload of an outbox row, in both engines:
 *
 *     zstd frame      the events in normal form, one JSON object a line
 *     zstd skippable  magic number, length, the number of lines of each source and day as JSON, byte length of this JSON
 *     frame
 *     zstd skippable  12 bytes: magic number, length 4, byte length of the unpacked lines (little-endian 32-bit each)
 *     frame
 *
 * zstd readers pass over a skippable frame (RFC 8878, section 3.1.2), so the whole payload is still valid zstd. Rows that
 * an erasure has rewritten and rows of older versions have no numbers of lines; those of version 0.1.0 have no skippable
 * frame at all.
 */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxPart } from "../core/records.ts";
import type { DayCount } from "../core/warehouse-report.ts";
import { compress, compressSync, decompress, decompressSync } from "./compression.ts";

const MAGIC = 0x184d2a50;
const CONTENT_BYTES = 4;
const FOOTER_BYTES = 12;
const COUNTS_MAGIC = 0x184d2a51;
const HEAD_BYTES = 8;
const LENGTH_BYTES = 4;
const LINE_BREAK = "\n";
const LINE_BREAK_BYTE = 10;

/** A line of a payload (`outbox-line.ts`). */
export interface OutboxLine {
  /** Counted from 1, as in `OutboxPart.skipped`. */
  number: number;
  /** UTF-8. */
  bytes: Buffer;
}

const withFooter = (frame: Buffer, unpackedBytes: number): Buffer<ArrayBuffer> => {
  const payload = Buffer.alloc(frame.length + FOOTER_BYTES);
  frame.copy(payload);
  payload.writeUInt32LE(MAGIC, frame.length);
  payload.writeUInt32LE(CONTENT_BYTES, frame.length + 4);
  payload.writeUInt32LE(unpackedBytes, frame.length + 8);
  return payload;
};

function withCounts(frame: Buffer, counts: readonly DayCount[]): Buffer {
  if (counts.length === 0) return frame;
  const json = Buffer.from(
    JSON.stringify(counts.map(({ sourceId, day, events }) => [sourceId, day, events])),
  );
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(COUNTS_MAGIC, 0);
  head.writeUInt32LE(json.length + LENGTH_BYTES, 4);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length, 0);
  return Buffer.concat([frame, head, json, length]);
}

/**
 * @param lines events in normal form, separated by line breaks
 * @param counts the number of lines of each source and day; empty: not known
 */
export const buildPayload = async (
  lines: string,
  counts: readonly DayCount[] = [],
): Promise<Buffer<ArrayBuffer>> =>
  withFooter(withCounts(await compress(lines), counts), Buffer.byteLength(lines));

/** `buildPayload` that blocks the thread. */
export const buildPayloadSync = (
  lines: string | Uint8Array,
  counts: readonly DayCount[] = [],
): Buffer<ArrayBuffer> => withFooter(withCounts(compressSync(lines), counts), Buffer.byteLength(lines));

/** The footer; null: there is none. */
function footerOf(payload: Uint8Array): DataView | null {
  if (payload.length < FOOTER_BYTES) return null;
  const start = payload.byteOffset + payload.length - FOOTER_BYTES;
  const footer = new DataView(payload.buffer, start, FOOTER_BYTES);
  return footer.getUint32(0, true) === MAGIC && footer.getUint32(4, true) === CONTENT_BYTES ? footer : null;
}

/** The byte length of the unpacked lines in the footer; undefined: there is no footer. */
const writtenSize = (payload: Uint8Array): number | undefined => footerOf(payload)?.getUint32(8, true);

/** Byte length of the unpacked lines. Rows of version 0.1.0 are unpacked to learn it. */
export const getUnpackedBytes = (payload: Uint8Array): number =>
  writtenSize(payload) ?? decompressSync(payload).length;

/** The frame with the numbers of lines: where it starts, and its JSON. null: there is none. */
function countsOf(payload: Uint8Array): { start: number; json: Uint8Array } | null {
  const end = payload.length - FOOTER_BYTES;
  if (!footerOf(payload) || end < HEAD_BYTES + LENGTH_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, end);
  const jsonEnd = end - LENGTH_BYTES;
  const start = jsonEnd - view.getUint32(jsonEnd, true) - HEAD_BYTES;
  if (start < 0 || view.getUint32(start, true) !== COUNTS_MAGIC) return null;
  if (view.getUint32(start + 4, true) !== end - start - HEAD_BYTES) return null;
  return { start, json: payload.subarray(start + HEAD_BYTES, jsonEnd) };
}

/** The number of lines of each source and day; null: the payload does not say it. */
export function getDayCounts(payload: Uint8Array): DayCount[] | null {
  const counts = countsOf(payload);
  if (!counts) return null;
  const rows: [string, number, number][] = JSON.parse(Buffer.from(counts.json).toString("utf8"));
  return rows.map(([sourceId, day, events]) => ({ sourceId, day, events }));
}

/** The lines as one zstd frame, without our skippable frames. */
export const getFrame = (payload: Uint8Array): Uint8Array =>
  footerOf(payload) ? payload.subarray(0, countsOf(payload)?.start ?? -FOOTER_BYTES) : payload;

/** A damaged footer must not make `decompress` allocate gigabytes. */
function expectedSize(payload: Uint8Array): number | undefined {
  const size = writtenSize(payload);
  return size === undefined || size > SERVER_LIMITS.blockBytes ? undefined : size;
}

function toLines(unpacked: Buffer, skipped: readonly number[]): OutboxLine[] {
  const isSkipped = new Set(skipped);
  const lines: OutboxLine[] = [];
  let number = 0;
  for (let start = 0; start < unpacked.length; ) {
    const found = unpacked.indexOf(LINE_BREAK_BYTE, start);
    const end = found === -1 ? unpacked.length : found;
    number += 1;
    if (end > start && !isSkipped.has(number)) lines.push({ number, bytes: unpacked.subarray(start, end) });
    start = end + 1;
  }
  return lines;
}

/** The lines that are events. */
export const readLines = async ({ payload, skipped }: OutboxPart): Promise<OutboxLine[]> =>
  toLines(await decompress(payload, expectedSize(payload)), skipped);

/** The lines that are events. Blocks the thread. */
export const readLinesSync = ({ payload, skipped }: OutboxPart): OutboxLine[] =>
  toLines(decompressSync(payload, expectedSize(payload)), skipped);

export const joinLines = (lines: readonly OutboxLine[]): string =>
  lines.map(({ bytes }) => bytes.toString("utf8")).join(LINE_BREAK);
