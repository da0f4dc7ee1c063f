/** The public documents: compressed, tagged, rendered once, and with a rate for each client address; and large answers in JSON. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createDocument } from "../../src/http/document.ts";
import { ORGANIZATION_ID, OWNER_TOKEN, openWorld, refused } from "../support/world.ts";

const DOCUMENTS = [
  "/docs",
  "/openapi.json",
  "/sdk/v2.js",
  "/sdk/v2.js?with=engagement",
  "/sdk/extras/forms.js",
];
const decoded = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (bytes: Buffer) => bytes };

/** Sends a GET request without decompressing the answer. */
function get(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; header: (name: string) => string | undefined; bytes: Buffer }>(
    (resolve, reject) => {
      const sent = request(url, { headers }, async (response) => {
        const header = (name: string) => response.headers[name]?.toString();
        resolve({ status: response.statusCode ?? 0, header, bytes: await buffer(response) });
      });
      sent.on("error", reject);
      sent.end();
    },
  );
}

describe("Public documents", () => {
  it("are compressed as Accept-Encoding allows; caches are told so", async () => {
    await using world = await openWorld();
    const accepted = [
      ["br, gzip", "br"],
      ["gzip", "gzip"],
      ["gzip, br;q=0", "gzip"],
      ["identity", undefined],
      ["", undefined],
    ] as const;
    for (const path of DOCUMENTS) {
      const plain = await get(world.url + path, {});
      assert.equal(plain.status, 200, path);
      for (const [accept, coding] of accepted) {
        const answer = await get(world.url + path, { "Accept-Encoding": accept });
        assert.equal(answer.header("content-encoding"), coding, `${path} ${accept}`);
        assert.match(answer.header("vary") ?? "", /Accept-Encoding/);
        assert.equal(answer.header("content-length"), String(answer.bytes.length));
        assert.ok(decoded[coding ?? "undefined"](answer.bytes).equals(plain.bytes), `${path} ${accept}`);
      }
    }
  });

  it("are 304 for clients that have them, in whatever encoding", async () => {
    await using world = await openWorld();
    for (const path of DOCUMENTS) {
      const tag = (await get(world.url + path, {})).header("etag") ?? assert.fail("no ETag");
      for (const accept of ["br", "gzip", "identity"]) {
        const answer = await get(world.url + path, { "If-None-Match": tag, "Accept-Encoding": accept });
        assert.deepEqual([answer.status, answer.bytes.length, answer.header("etag")], [304, 0, tag], path);
        assert.equal(answer.header("content-encoding"), undefined);
      }
      assert.equal((await get(world.url + path, { "If-None-Match": '"other"' })).status, 200);
    }
  });

  it("429 rate_limited: more requests from one address than CLIENT_RATE_BURST; other addresses are served", async () => {
    await using world = await openWorld({
      CLIENT_RATE_PER_SECOND: "1",
      CLIENT_RATE_BURST: "5",
      TRUST_PROXY: "1",
    });
    const ask = (path: string, address: string) =>
      world.ask(path, { token: null, headers: { "x-forwarded-for": address } });
    for (const path of DOCUMENTS) assert.equal((await ask(path, "203.0.113.1")).status, 200);
    const rated = [...DOCUMENTS, "/metrics"];
    const further = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => ask(rated[turn % rated.length] ?? "", "203.0.113.1")),
    );
    const [refusal] = further.filter(({ status }) => status !== 200);
    refused(refusal ?? assert.fail("none was refused"), 429, "rate_limited");
    for (const path of ["/docs", "/metrics"]) assert.equal((await ask(path, "203.0.113.2")).status, 200);
    assert.equal((await ask("/healthz", "203.0.113.1")).status, 200);
  });

  it("429 rate_limited: /metrics has the same rate", async () => {
    await using world = await openWorld({ CLIENT_RATE_PER_SECOND: "1", CLIENT_RATE_BURST: "4" });
    const scrape = () => world.ask("/metrics", { token: null });
    const replies = await Promise.all(Array.from({ length: 20 }, scrape));
    const [refusal] = replies.filter(({ status }) => status !== 200);
    refused(refusal ?? assert.fail("none was refused"), 429, "rate_limited");
    assert.equal((await world.ask("/readyz", { token: null })).status, 200, "probes have no rate");
  });

  it("are rendered once, at the first request", async () => {
    let times = 0;
    const render = () => {
      times += 1;
      return `rendered ${times}`;
    };
    const document = createDocument({ mediaType: "text/plain", render });
    assert.equal(times, 0);
    const [one, two] = await Promise.all([document(), document()]);
    assert.equal(one, two);
    assert.equal(await document(), one);
    assert.deepEqual([times, one.bytes.toString()], [1, "rendered 1"]);
  });
});

describe("Large JSON answers", () => {
  it("are compressed for clients that accept gzip; small ones are sent as they are", async () => {
    await using world = await openWorld();
    const headers = { Authorization: `Bearer ${OWNER_TOKEN}` };
    const list = `${world.url}/api/tracking-sources?organizationId=${ORGANIZATION_ID}&limit=`;
    for (let number = 0; number < 40; number += 1) await world.createSource({ name: `Shop ${number}` });
    const plain = await get(`${list}100`, headers);
    assert.ok(plain.bytes.length > 32_768, String(plain.bytes.length));
    assert.equal(plain.header("content-encoding"), undefined);
    const compressed = await get(`${list}100`, { ...headers, "Accept-Encoding": "gzip, br" });
    assert.equal(compressed.status, 200);
    assert.equal(compressed.header("content-encoding"), "gzip");
    assert.equal(compressed.header("content-length"), String(compressed.bytes.length));
    assert.ok(gunzipSync(compressed.bytes).equals(plain.bytes));
    for (const answer of [plain, compressed]) assert.match(answer.header("vary") ?? "", /Accept-Encoding/);
    const small = await get(`${list}1`, { ...headers, "Accept-Encoding": "gzip" });
    assert.equal(small.header("content-encoding"), undefined);
  });
});
