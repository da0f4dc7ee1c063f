/** A Parquet file is written in parts, within the memory of its thread, however many events it has. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { parquetMetadata } from "hyparquet";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { toFormat } from "../../src/export/format.ts";
import { anEvent } from "../warehouse/store.ts";

/** A row group holds some 8,000 ordinary events. */
const GROUPS = process.env.TEST_LONG ? 3_000 : 1_500;

test("The metadata of 30 million events' row groups, and the footer, fit into the memory of an export's thread.", async () => {
  const worker = new Worker(new URL("./parquet-thread.ts", import.meta.url), {
    workerData: { groups: GROUPS, json: anEvent(0).json },
    resourceLimits: {
      maxOldGenerationSizeMb: SERVER_LIMITS.maxExportThreadMb,
      maxYoungGenerationSizeMb: SERVER_LIMITS.maxExportThreadYoungMb,
    },
  });
  const [footer] = (await once(worker, "message")) as [Uint8Array];
  const { num_rows: rows, row_groups: groups } = parquetMetadata(new Uint8Array(footer).buffer);
  assert.deepEqual([Number(rows), groups.length], [GROUPS, GROUPS]);
  await worker.terminate();
});

test("A row group is written only when enough events are gathered.", async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `${anEvent(index * 1_000).json}\n`);
  async function* pages() {
    for (let start = 0; start < lines.length; start += 500)
      yield Buffer.from(lines.slice(start, start + 500).join(""));
  }
  const parts: Uint8Array[] = [];
  for await (const part of toFormat(pages(), "parquet", false)) parts.push(part);
  const metadata = parquetMetadata(new Uint8Array(Buffer.concat(parts)).buffer);
  assert.deepEqual([Number(metadata.num_rows), metadata.row_groups.length], [lines.length, 1]);
});
