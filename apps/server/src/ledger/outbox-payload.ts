/**
 * The payload of an outbox row, in both engines:
 *
 *     zstd frame            the events in normal form, one JSON object a line
 *     zstd skippable frame  magic number, byte length of what follows
 *                           the number of lines of each source and day as JSON; may be empty
 *                           byte length of this JSON, byte length of the unpacked lines
 *
 * Numbers have 32 bits and are little-endian. zstd readers pass over a skippable frame (RFC 8878, section 3.1.2), so the
 * whole payload is valid zstd.
 */
import { SERVER_LIMITS } from "../core/limits.ts";
import { compress, compressSync, decompress, decompressSync } from "./compression.ts";
import type { OutboxPart } from "./records.ts";
import type { DayCount } from "./warehouse-report.ts";

const MAGIC = 0x184d2a50;
const HEAD_BYTES = 8;
const FOOTER_BYTES = 8;
const LINE_BREAK = "\n";
const LINE_BREAK_BYTE = 10;

/** A line of a payload (`outbox-line.ts`). */
export interface OutboxLine {
  /** Counted from 1, as in `OutboxPart.skipped`. */
  number: number;
  /** UTF-8. */
  bytes: Buffer;
}

function addTrailer(frame: Buffer, counts: readonly DayCount[], unpackedBytes: number): Buffer<ArrayBuffer> {
  const rows = counts.map(({ sourceId, day, events }) => [sourceId, day, events]);
  const json = Buffer.from(rows.length === 0 ? "" : JSON.stringify(rows));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(json.length + FOOTER_BYTES, 4);
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32LE(json.length, 0);
  footer.writeUInt32LE(unpackedBytes, 4);
  return Buffer.concat([frame, head, json, footer]);
}

/**
 * @param lines events in normal form, separated by line breaks
 * @param counts the number of lines of each source and day; empty: not known
 */
export const buildPayload = async (
  lines: string | Uint8Array,
  counts: readonly DayCount[] = [],
): Promise<Buffer<ArrayBuffer>> => addTrailer(await compress(lines), counts, Buffer.byteLength(lines));

/** `buildPayload` that blocks the thread. */
export const buildPayloadSync = (
  lines: string | Uint8Array,
  counts: readonly DayCount[] = [],
): Buffer<ArrayBuffer> => addTrailer(compressSync(lines), counts, Buffer.byteLength(lines));

/** A number of the footer. */
const readNumber = ({ buffer, byteOffset, length }: Uint8Array, place: number): number =>
  new DataView(buffer, byteOffset + length - FOOTER_BYTES).getUint32(place, true);

const getJsonStart = (payload: Uint8Array) => payload.length - FOOTER_BYTES - readNumber(payload, 0);

/** Byte length of the unpacked lines. */
export const getUnpackedBytes = (payload: Uint8Array): number => readNumber(payload, 4);

/** @param json what a payload says of the numbers of its lines; null or empty: nothing */
export function parseDayCounts(json: string | null): DayCount[] {
  const rows: [string, number, number][] = JSON.parse(json || "[]");
  return rows.map(([sourceId, day, events]) => ({ sourceId, day, events }));
}

/** The number of lines of each source and day; null: the payload does not say it. */
export function getDayCounts(payload: Uint8Array): DayCount[] | null {
  const json = Buffer.from(payload.subarray(getJsonStart(payload), -FOOTER_BYTES)).toString("utf8");
  return json === "" ? null : parseDayCounts(json);
}

/** The lines as one zstd frame, without the skippable frame. */
export const getFrame = (payload: Uint8Array): Uint8Array =>
  payload.subarray(0, getJsonStart(payload) - HEAD_BYTES);

/** A damaged footer must not make `decompress` allocate gigabytes. */
function expectedSize(payload: Uint8Array): number | undefined {
  const size = getUnpackedBytes(payload);
  return size > SERVER_LIMITS.blockBytes ? undefined : size;
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
