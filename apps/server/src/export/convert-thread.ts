/** Converts for one export, in a thread of its own: its time and memory are not the service's. */
import { serveThread, transfer, type Verb } from "../core/thread-calls.ts";
import { type Converter, createConverter } from "./convert.ts";

export interface ConversionOptions {
  format: "csv" | "parquet";
  /** The beginning of the file was sent before. */
  isContinued: boolean;
}

/** A buffer that is moved to the other thread is gone here, so it must hold nothing but the part. */
function moved(part: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const own = part.length > 0 && part.byteLength === part.buffer.byteLength ? part : part.slice();
  return transfer(own, [own.buffer]);
}

let verbs: Record<string, Verb> = {};

serveThread({
  async open({ format, isContinued }: ConversionOptions) {
    const converter = await createConverter(format, isContinued);
    verbs = {
      convert: (lines: Uint8Array) => moved(converter.convert(lines)),
      end: () => moved(converter.end()),
    } satisfies Converter;
  },
  find: (verb) => verbs[verb],
});
