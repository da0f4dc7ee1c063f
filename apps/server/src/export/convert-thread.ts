/** The thread that converts the events of one export, so that the conversion does not slow down ingest. */
import { serveThread, transfer, type Verb } from "../core/thread-calls.ts";
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

let verbs: Record<string, Verb> = {};

serveThread({
  async open({ format, isContinued }: ConversionOptions) {
    const converter = await createConverter(format, isContinued);
    verbs = {
      convert: (lines: Uint8Array) => move(converter.convert(lines)),
      end: () => move(converter.end()),
    } satisfies Converter;
  },
  find: (verb) => verbs[verb],
});
