/** From pages of events to the bytes of a file. What is more than passing on is done in a thread, a slice at a time. */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ExportFormat } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { Conversion } from "./convert-thread.ts";

/** Lines of JSON, each with its end. */
export type Pages = AsyncIterable<Buffer>;

const LINE_END = 10;

/** Where a slice from there ends: with a line, and no further than it must be. */
function endOfSlice(page: Buffer, start: number): number {
  let end = start;
  for (let row = 0; row < SERVER_LIMITS.exportSliceRows && end < page.length; row++) {
    if (end - start >= SERVER_LIMITS.exportSliceBytes) break;
    end = page.indexOf(LINE_END, end) + 1;
  }
  return end;
}

async function* slicesOf(pages: Pages): AsyncGenerator<Uint8Array> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; ) {
      const end = endOfSlice(page, start);
      yield new Uint8Array(page.subarray(start, end));
      start = end;
    }
  }
}

/** One slice is with the thread at a time, and the next is given to it when what came of the last was taken. */
async function* converted(pages: Pages, conversion: Conversion): AsyncGenerator<Uint8Array> {
  const thread = new Worker(new URL("./convert-thread.ts", import.meta.url), {
    workerData: conversion,
    resourceLimits: {
      maxOldGenerationSizeMb: SERVER_LIMITS.exportThreadMb,
      maxYoungGenerationSizeMb: SERVER_LIMITS.exportThreadYoungMb,
    },
  });
  const convert = async (lines: Uint8Array | null): Promise<Uint8Array> => {
    const reply = once(thread, "message");
    thread.postMessage(lines, lines === null ? [] : [lines.buffer as ArrayBuffer]);
    return (await reply)[0];
  };
  try {
    for await (const lines of slicesOf(pages)) {
      const part = await convert(lines);
      if (part.length > 0) yield part;
    }
    yield await convert(null);
  } finally {
    await thread.terminate();
  }
}

/** @param isContinued the beginning was had before */
export const bytesOf = (
  pages: Pages,
  format: ExportFormat,
  isContinued: boolean,
): AsyncIterable<Uint8Array> => (format === "ndjson" ? pages : converted(pages, { format, isContinued }));
