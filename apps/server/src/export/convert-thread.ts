/** The thread that converts the events of one export, so that the conversion does not slow down ingest. */
import { serveThread, type ThreadMethod, transfer } from "../core/thread-calls.ts";
import { type Converter, createConverter } from "./convert.ts";

export interface ConversionOptions {
  format: "csv" | "parquet";
  /** The client has the beginning of the file: it gets no header. */
  isContinued: boolean;
}

/** Moves a part to the other thread. It must have a buffer of its own, because a moved buffer is gone here. */
function move(part: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const hasOwnBuffer = part.length > 0 && part.byteLength === part.buffer.byteLength;
  const own = hasOwnBuffer ? part : part.slice();
  return transfer(own, [own.buffer]);
}

let methods: Record<string, ThreadMethod> = {};

serveThread({
  async open({ format, isContinued }: ConversionOptions) {
    const converter = await createConverter(format, isContinued);
    methods = {
      convert: (lines: Uint8Array) => move(converter.convert(lines)),
      end: () => move(converter.end()),
    } satisfies Converter;
  },
  find: (name) => methods[name],
});
