/**
 * The payload of an outbox row, in both engines:
 *
 *     zstd frame      the events in normal form, one JSON object a line
 *     zstd skippable  12 bytes: magic number, length 4, byte length of the unpacked lines (little-endian 32-bit each)
 *     frame
 *
 * zstd readers pass over a skippable frame (RFC 8878, section 3.1.2), so the whole payload is still valid zstd. Rows
 * written by version 0.1.0 have no skippable frame.
 */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxPart } from "../core/records.ts";
import { compress, compressSync, decompress, decompressSync } from "./compression.ts";

const MAGIC = 0x184d2a50;
const CONTENT_BYTES = 4;
const FOOTER_BYTES = 12;
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

/** @param lines events in normal form, separated by line breaks */
export const buildPayload = async (lines: string): Promise<Buffer<ArrayBuffer>> =>
  withFooter(await compress(lines), Buffer.byteLength(lines));

/** Blocks the thread. @param lines events in normal form, separated by line breaks */
export const buildPayloadSync = (lines: string | Uint8Array): Buffer<ArrayBuffer> =>
  withFooter(compressSync(lines), Buffer.byteLength(lines));

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

/** The lines as one zstd frame, without our footer. */
export const getFrame = (payload: Uint8Array): Uint8Array =>
  footerOf(payload) ? payload.subarray(0, -FOOTER_BYTES) : payload;

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
