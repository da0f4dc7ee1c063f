/** Makes a file of row groups of one event each, and tells its footer. */
import { parentPort, workerData } from "node:worker_threads";
import { GROUP_BYTES, startParquet } from "../../src/export/parquet.ts";

const { groups, json } = workerData as { groups: number; json: string };
const file = startParquet();
for (let group = 0; group < groups; group++) file.add([JSON.parse(json)], GROUP_BYTES);
parentPort!.postMessage(file.end());
