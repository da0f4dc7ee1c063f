/** From a page of the outbox to what is inserted at once. Pure, but for the unpacking: the same page gives the same bytes. */
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { LIMITS } from "@headwater/contract/limits";
import type { OutboxPage, OutboxPart } from "../ledger/records.ts";

const unpack = promisify(zstdDecompress);
const LINE_END = Buffer.from("\n");

/** One insert, which the warehouse knows by its token. */
export interface Block {
  token: string;
  /** Normal forms, a line each. */
  body: Buffer;
}

async function linesOf({ payload, skipped }: OutboxPart): Promise<Buffer> {
  const text = await unpack(payload);
  if (skipped.length === 0) return text;
  const isSkipped = new Set(skipped);
  const lines = text.toString("utf8").split("\n");
  return Buffer.from(lines.filter((_, index) => !isSkipped.has(index + 1)).join("\n"));
}

/** A page is one block, unless its events are so large that nobody should hold them all at once. */
export async function* blocksOf({ pageId, parts }: OutboxPage): AsyncGenerator<Block> {
  let gathered: Buffer[] = [];
  let size = 0;
  let number = 0;
  for (const [index, part] of parts.entries()) {
    const lines = await linesOf(part);
    gathered.push(lines, LINE_END);
    size += lines.length;
    if (size < LIMITS.blockBytes && index < parts.length - 1) continue;
    yield { token: `${pageId}.${number}`, body: Buffer.concat(gathered) };
    [gathered, size] = [[], 0];
    number += 1;
  }
}
