/** The bytes of an export's file: lines of JSON as they are read, CSV from a worker thread, and Parquet from the warehouse. */
import type { ClickHouseClient } from "@clickhouse/client";
import type { ExportFormat } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { startThread, transfer } from "../core/thread-calls.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import type { ConversionOptions, Converter } from "./convert-thread.ts";
import { ledgerPages } from "./from-ledger.ts";
import { warehousePages, warehouseParquet } from "./from-warehouse.ts";
import type { ExportSelection } from "./selection.ts";

/** Events that the thread which writes CSV gets at once, and its memory. */
const MAX_EXPORT_SLICE_ROWS = 2_000;
const MAX_EXPORT_SLICE_BYTES = 2 * 1_048_576;
const MAX_EXPORT_THREAD_MB = 64;
const MAX_EXPORT_THREAD_YOUNG_MB = 16;

/** Events as lines of JSON, each with its line end. */
type EventPages = AsyncIterable<Buffer>;

export interface EventStores {
  readonly ledger: Pick<OutboxLedger, "readOutbox">;
  /** The present client of the warehouse; throws while it is down. null: there is no warehouse. */
  readonly client: (() => ClickHouseClient) | null;
}

const LINE_END = 10;

/** The end of the slice that begins at `start`: whole lines, up to the limits. */
function endOfSlice(page: Buffer, start: number): number {
  let end = start;
  for (let row = 0; row < MAX_EXPORT_SLICE_ROWS && end < page.length; row++) {
    if (end - start >= MAX_EXPORT_SLICE_BYTES) break;
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
      maxOldGenerationSizeMb: MAX_EXPORT_THREAD_MB,
      maxYoungGenerationSizeMb: MAX_EXPORT_THREAD_YOUNG_MB,
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

/**
 * Reads the events of an export: pages of lines of JSON, or the parts of a Parquet file.
 * @throws Refusal `warehouse_off`; from the iteration, `invalid_payload` when no event has the id of the cursor,
 *   `warehouse_unavailable` and `warehouse_damaged`
 */
export function readEvents(
  { ledger, client }: EventStores,
  selection: ExportSelection,
  format: ExportFormat,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  if (client !== null)
    return format === "parquet"
      ? warehouseParquet(client, selection, signal)
      : warehousePages(client, selection, signal);
  if (format !== "parquet") return ledgerPages(ledger, selection);
  throw new Refusal("warehouse_off", {
    message: "Parquet files need a warehouse, and this service has none.",
    hint: "Export NDJSON or CSV instead.",
  });
}

/** The file of what `readEvents` returns. @param isContinued the client has the beginning of the file: it gets no header */
export const toFile = (
  events: AsyncIterable<Buffer>,
  format: ExportFormat,
  isContinued: boolean,
): AsyncIterable<Uint8Array> => (format === "csv" ? convertInThread(events, { isContinued }) : events);
