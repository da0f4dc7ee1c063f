/** From pages of events to the bytes of a file. What is more than passing on is done in a thread, a slice at a time. */

import type { ExportFormat } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { startThread, transfer } from "../core/thread-calls.ts";
import type { Converter } from "./convert.ts";
import type { ConversionOptions } from "./convert-thread.ts";

/** Lines of JSON, each with its end. */
export type Pages = AsyncIterable<Buffer>;

const LINE_END = 10;

/** Where a slice from there ends: with a line, and no further than it must be. */
function endOfSlice(page: Buffer, start: number): number {
  let end = start;
  for (let row = 0; row < SERVER_LIMITS.maxExportSliceRows && end < page.length; row++) {
    if (end - start >= SERVER_LIMITS.maxExportSliceBytes) break;
    end = page.indexOf(LINE_END, end) + 1;
  }
  return end;
}

async function* slicesOf(pages: Pages): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; ) {
      const end = endOfSlice(page, start);
      yield new Uint8Array(page.subarray(start, end));
      start = end;
    }
  }
}

/** The thread gets the next slice when the result of the last one was taken. */
async function* converted(pages: Pages, options: ConversionOptions): AsyncGenerator<Uint8Array> {
  const thread = await startThread<Converter>({
    name: "export",
    module: new URL("./convert-thread.ts", import.meta.url),
    opening: options,
    limits: {
      maxOldGenerationSizeMb: SERVER_LIMITS.maxExportThreadMb,
      maxYoungGenerationSizeMb: SERVER_LIMITS.maxExportThreadYoungMb,
    },
  });
  try {
    for await (const lines of slicesOf(pages)) {
      const part = await thread.calls.convert(transfer(lines, [lines.buffer]));
      if (part.length > 0) yield part;
    }
    yield await thread.calls.end();
  } finally {
    await thread.close();
  }
}

/** @param isContinued the beginning was had before */
export const bytesOf = (
  pages: Pages,
  format: ExportFormat,
  isContinued: boolean,
): AsyncIterable<Uint8Array> => (format === "ndjson" ? pages : converted(pages, { format, isContinued }));
