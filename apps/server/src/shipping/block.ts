/** A block: the events of one INSERT. It is a page of the outbox, or a piece of a large page. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { SERVER_LIMITS } from "../core/limits.ts";
import { compress, compressSync } from "../ledger/compression.ts";
import { readHead } from "../ledger/outbox-line.ts";
import {
  buildPayloadSync,
  getFrame,
  getUnpackedBytes,
  joinLines,
  readLines,
} from "../ledger/outbox-payload.ts";
import type { OutboxPage, OutboxPart } from "../ledger/records.ts";

/** zstd frames that follow each other unpack to one text (RFC 8878, section 3). This frame is the line break between two others. */
const LINE_END = compressSync("\n");

/** One insert. The same block always has the same bytes. */
export interface Block {
  /** The insert's deduplication token. */
  token: string;
  parts: OutboxPart[];
}

/** @param text events in normal form, one a line */
export const blockOf = (token: string, text: string | Uint8Array): Block => ({
  token,
  parts: [{ payload: buildPayloadSync(text), skipped: [] }],
});

/** A page is one block, unless its unpacked events are larger than `blockBytes`. */
export function* blocksOf({ pageId, parts }: OutboxPage): Generator<Block> {
  let blockParts: OutboxPart[] = [];
  let blockBytes = 0;
  let number = 0;
  for (const part of parts) {
    const bytes = getUnpackedBytes(part.payload);
    if (blockParts.length > 0 && blockBytes + bytes > SERVER_LIMITS.blockBytes) {
      yield { token: `${pageId}.${number}`, parts: blockParts };
      [blockParts, blockBytes] = [[], 0];
      number += 1;
    }
    blockParts.push(part);
    blockBytes += bytes;
  }
  yield { token: `${pageId}.${number}`, parts: blockParts };
}

/** An event of a block: what is needed to look it up in the warehouse, and its position in the block. */
export interface BlockRow {
  id: string;
  sourceId: string;
  /** Milliseconds since the epoch. */
  occurredAt: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** Index of its part in the block. */
  part: number;
  /** Number of its line in the part, counted from 1. */
  line: number;
}

/** The events of a block, one part at a time. Other work of the process runs between two parts. */
export async function* rowsOf({ parts }: Block): AsyncGenerator<BlockRow[]> {
  for (const [index, part] of parts.entries()) {
    const lines = await readLines(part);
    yield lines.map(({ number, bytes }) => {
      const { analyticsEventId, sourceId, occurredAt, receivedAt } = readHead(bytes);
      return {
        id: analyticsEventId,
        sourceId,
        occurredAt: Date.parse(occurredAt),
        receivedAt: Date.parse(receivedAt),
        part: index,
        line: number,
      };
    });
    await nextTurn();
  }
}

/** The block without these events. */
export function without({ token, parts }: Block, rows: readonly BlockRow[]): Block {
  const linesOfPart = Map.groupBy(rows, ({ part }) => part);
  const withMoreSkipped = ({ payload, skipped }: OutboxPart, index: number): OutboxPart => {
    const removed = linesOfPart.get(index) ?? [];
    return { payload, skipped: [...skipped, ...removed.map(({ line }) => line)] };
  };
  return { token, parts: parts.map(withMoreSkipped) };
}

const frameOf = async (part: OutboxPart): Promise<Uint8Array> =>
  part.skipped.length === 0 ? getFrame(part.payload) : compress(joinLines(await readLines(part)));

/** The body of the insert: the block's events, one a line, compressed by zstd. Accepted payloads are sent as they are. */
export async function bodyOf({ parts }: Block): Promise<Buffer> {
  const frames: Uint8Array[] = [];
  for (const part of parts) frames.push(await frameOf(part), LINE_END);
  return Buffer.concat(frames);
}
