/** A thread that converts for one export: what that costs in time and memory is not the service's. */
import { parentPort, workerData } from "node:worker_threads";
import { createConverter } from "./convert.ts";

export interface Conversion {
  format: "csv" | "parquet";
  isContinued: boolean;
}

const { format, isContinued } = workerData as Conversion;
const converter = await createConverter(format, isContinued);

// null: that was all
parentPort!.on("message", (lines: Uint8Array | null) => {
  const part = lines === null ? converter.end() : converter.convert(lines);
  // what is handed over is gone here, so it must be the part's own
  const whole = part.length > 0 && part.byteLength === part.buffer.byteLength ? part : part.slice();
  parentPort!.postMessage(whole, [whole.buffer as ArrayBuffer]);
});
