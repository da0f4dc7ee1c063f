import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { buildSdk, buildWithEngagement, builtExtras } from "../build.js";
import { sdkVersion } from "../src/version.ts";

/** 24 bytes of it serve a server that does only what the specification says. */
const maxGzipBytes = 4400;
const maxWithEngagementGzipBytes = 5000;
const maxReactGzipBytes = 1024;
const maxExtraGzipBytes = 800;
/** The part that shares visitors over hosts and counts without consent. */
const maxIdentityGzipBytes = 3000;
const maxSnippetBytes = 1024;

const gzipBytesOf = (script: Buffer): number => gzipSync(script, { level: 9 }).length;

test("The browser script is at most 4,400 bytes, compressed.", async (t) => {
  const script = await readFile(await buildSdk());
  const gzipBytes = gzipBytesOf(script);
  t.diagnostic(`v2.js: ${script.length} bytes, ${gzipBytes} with gzip`);
  assert.ok(gzipBytes <= maxGzipBytes);
});

test("Each optional part is a few hundred bytes, compressed.", async (t) => {
  for (const { name, path } of await builtExtras()) {
    const gzipBytes = gzipBytesOf(await readFile(path));
    t.diagnostic(`${name}.js: ${gzipBytes} bytes with gzip`);
    assert.ok(gzipBytes <= (name === "identity" ? maxIdentityGzipBytes : maxExtraGzipBytes), name);
  }
});

test("The client and engagement in one script are at most 5,000 bytes, compressed.", async (t) => {
  const gzipBytes = gzipBytesOf(Buffer.from(await buildWithEngagement()));
  t.diagnostic(`v2.js?with=engagement: ${gzipBytes} bytes with gzip`);
  assert.ok(gzipBytes <= maxWithEngagementGzipBytes);
});

test("The snippet with its stub is below 1 KB.", (t) => {
  const source = {
    sourceId: "src_1",
    publicKey: `pk_${"k".repeat(22)}`,
    name: "Shop",
    frameworkHint: null,
    engagement: true,
  };
  const { browserSnippet } = installPayload(source, { baseUrl: "https://stats.example.com", appUrl: "" });
  t.diagnostic(`snippet: ${Buffer.byteLength(browserSnippet)} bytes`);
  assert.ok(Buffer.byteLength(browserSnippet) < maxSnippetBytes);
});

test("The React entry point is below 1 KB, compressed and without the client.", async (t) => {
  const { output } = await build({
    input: fileURLToPath(new URL("../src/react.ts", import.meta.url)),
    external: ["react", "./index.ts"],
    output: { format: "es", minify: true },
    checks: { moduleLevelDirective: false },
    write: false,
  });
  const gzipBytes = gzipSync(output[0].code, { level: 9 }).length;
  t.diagnostic(`react: ${output[0].code.length} bytes, ${gzipBytes} with gzip`);
  assert.ok(gzipBytes < maxReactGzipBytes);
});

test("The client sends the version of its package.", async () => {
  const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(sdkVersion, `headwater-js/${manifest.version}`);
});
