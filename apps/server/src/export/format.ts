/** Turns pages of events into the bytes of a file. A worker thread converts to CSV and Parquet, a slice at a time. */
import type { ExportFormat } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { startThread, transfer } from "../core/thread-calls.ts";
import type { Converter } from "./convert.ts";
import type { ConversionOptions } from "./convert-thread.ts";

/** Events as lines of JSON, each with its line end. */
export type EventPages = AsyncIterable<Buffer>;

const LINE_END = 10;

/** The end of the slice that begins at `start`: whole lines, up to the limits. */
function endOfSlice(page: Buffer, start: number): number {
  let end = start;
  for (let row = 0; row < SERVER_LIMITS.maxExportSliceRows && end < page.length; row++) {
    if (end - start >= SERVER_LIMITS.maxExportSliceBytes) break;
    end = page.indexOf(LINE_END, end) + 1;
  }
  return end;
}

async function* toSlices(pages: EventPages): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; ) {
      const end = endOfSlice(page, start);
      yield new Uint8Array(page.subarray(start, end));
      start = end;
    }
  }
}

/** The thread has one slice at a time, and gets the next one after the reader has taken its result. */
async function* convertInThread(pages: EventPages, opening: ConversionOptions): AsyncGenerator<Uint8Array> {
  const thread = await startThread<Converter>({
    name: "export",
    module: new URL("./convert-thread.ts", import.meta.url),
    opening,
    limits: {
      maxOldGenerationSizeMb: SERVER_LIMITS.maxExportThreadMb,
      maxYoungGenerationSizeMb: SERVER_LIMITS.maxExportThreadYoungMb,
    },
  });
  try {
    for await (const lines of toSlices(pages)) {
      const part = await thread.calls.convert(transfer(lines, [lines.buffer]));
      if (part.length > 0) yield part;
    }
    yield await thread.calls.end();
  } finally {
    await thread.close();
  }
}

/** @param isContinued the client has the beginning of the file: it gets no header */
export const toFormat = (
  pages: EventPages,
  format: ExportFormat,
  isContinued: boolean,
): AsyncIterable<Uint8Array> =>
  format === "ndjson" ? pages : convertInThread(pages, { format, isContinued });
