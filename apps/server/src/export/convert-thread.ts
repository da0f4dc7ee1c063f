/** The thread that converts the events of one export to CSV, so that the conversion does not slow down ingest. */
import { parseExactJson } from "../core/exact-json.ts";
import { serveThread, type ThreadMethod, transfer } from "../core/thread-calls.ts";
import type { ExportedEvent } from "./columns.ts";
import { CSV_HEADER, toCsvLine } from "./csv.ts";

export interface ConversionOptions {
  /** The client has the beginning of the file: it gets no header. */
  isContinued: boolean;
}
export interface Converter {
  /** @param lines JSON, each with its line end */
  convert(lines: Uint8Array): Uint8Array<ArrayBuffer>;
  /** The end of the file: the header, if there was no event. */
  end(): Uint8Array<ArrayBuffer>;
}

let header = CSV_HEADER;

/** Parses all lines as one array, which is faster than line by line. */
const parseLines = (lines: Uint8Array): ExportedEvent[] =>
  parseExactJson(`[${Buffer.from(lines).toString("utf8").trimEnd().replaceAll("\n", ",")}]`);

function write(events: readonly ExportedEvent[]): Uint8Array<ArrayBuffer> {
  // slice: the encoder's buffer may be larger than the text, and a buffer moves to the other thread as a whole
  const part = new TextEncoder().encode(header + events.map(toCsvLine).join("")).slice();
  header = "";
  return transfer(part, [part.buffer]);
}

const methods: Record<string, ThreadMethod> = {
  convert: (lines: Uint8Array) => write(parseLines(lines)),
  end: () => write([]),
} satisfies Converter;

serveThread({
  async open({ isContinued }: ConversionOptions) {
    if (isContinued) header = "";
  },
  find: (name) => methods[name],
});
