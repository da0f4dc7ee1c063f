import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildSdk } from "../build.js";
import { sdkVersion } from "../src/version.ts";

const maxGzipBytes = 4096;

test("The browser script is at most 4 KB, compressed.", async (t) => {
  const script = await readFile(await buildSdk());
  const gzipBytes = gzipSync(script, { level: 9 }).length;
  t.diagnostic(`v2.js: ${script.length} bytes, ${gzipBytes} with gzip`);
  assert.ok(gzipBytes <= maxGzipBytes);
});

test("The version that the client sends is the package's.", async () => {
  const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(sdkVersion, `headwater-js/${manifest.version}`);
});
