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
import type { OutboxPart } from "../core/records.ts";
import { compress, compressSync, decompress, decompressSync } from "./compression.ts";

const MAGIC = 0x184d2a50;
const CONTENT_BYTES = 4;
const FOOTER_BYTES = 12;
const LINE_BREAK = "\n";

/** An event in the outbox. Its JSON has all members of the normal form; code outside of ingest reads only these. */
export interface OutboxEvent {
  analyticsEventId: string;
  sourceId: string;
  anonymousId: string;
  userId: string | null;
  /** ISO 8601. */
  occurredAt: string;
  /** ISO 8601. */
  receivedAt: string;
}

/** A line of a payload. */
export interface OutboxLine {
  /** Counted from 1, as in `OutboxPart.skipped`. */
  number: number;
  json: string;
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

/** Where the footer starts; null: there is none. */
function footerOf(payload: Uint8Array): DataView | null {
  if (payload.length < FOOTER_BYTES) return null;
  const start = payload.byteOffset + payload.length - FOOTER_BYTES;
  const footer = new DataView(payload.buffer, start, FOOTER_BYTES);
  return footer.getUint32(0, true) === MAGIC && footer.getUint32(4, true) === CONTENT_BYTES ? footer : null;
}

/** Byte length of the unpacked lines. Rows of version 0.1.0 are unpacked to learn it. */
export const getUnpackedBytes = (payload: Uint8Array): number =>
  footerOf(payload)?.getUint32(8, true) ?? decompressSync(payload).length;

/** The lines as one zstd frame, without our footer. */
export const getFrame = (payload: Uint8Array): Uint8Array =>
  footerOf(payload) ? payload.subarray(0, -FOOTER_BYTES) : payload;

function toLines(unpacked: Buffer, skipped: readonly number[]): OutboxLine[] {
  const isSkipped = new Set(skipped);
  return unpacked
    .toString("utf8")
    .split(LINE_BREAK)
    .map((json, index) => ({ number: index + 1, json }))
    .filter(({ number, json }) => json !== "" && !isSkipped.has(number));
}

/** The lines that are events. */
export const readLines = async ({ payload, skipped }: OutboxPart): Promise<OutboxLine[]> =>
  toLines(await decompress(payload), skipped);

/** The lines that are events. Blocks the thread. */
export const readLinesSync = ({ payload, skipped }: OutboxPart): OutboxLine[] =>
  toLines(decompressSync(payload), skipped);

/** The members of the normal form that shipping and erasure use. */
export const parseEvent = (json: string): OutboxEvent => JSON.parse(json);

export const joinLines = (lines: readonly OutboxLine[]): string =>
  lines.map(({ json }) => json).join(LINE_BREAK);
