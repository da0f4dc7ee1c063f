/** A thread that writes a file with row groups of one event each, and posts its footer. */
import { parentPort, workerData } from "node:worker_threads";
import { createParquetWriter, GROUP_BYTES } from "../../src/export/parquet.ts";

const { groups, json } = workerData as { groups: number; json: string };
const file = createParquetWriter();
for (let group = 0; group < groups; group++) file.add([JSON.parse(json)], GROUP_BYTES);
parentPort!.postMessage(file.end());
