/** A graceful stop under load: accepted requests are answered, and no acknowledged event is lost. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { it } from "node:test";
import { until } from "../support/until.ts";
import { ORIGIN, OWNER_TOKEN } from "../support/world.ts";
import { type Child, createSource, startChild } from "./child.ts";
import { bodyOf, Load, type LoadResult, makeBatch, openVisitor } from "./load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "./oracle.ts";
import { createRandom } from "./random.ts";

/** Ten seconds on a machine without other work. */
const STOP_MS = 60_000;

/** Opens the debug stream of the source and collects its text. */
async function openStream(url: string, sourceId: string): Promise<{ said(): string; ended: Promise<void> }> {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
  const response = await fetch(`${url}/api/tracking-sources/${sourceId}/debug/stream`, { headers });
  assert.equal(response.status, 200);
  let said = "";
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) said += chunk;
  };
  return { said: () => said, ended: read() };
}

/** Sends the head and half of the body of a request; `finish` sends the rest. */
function openHalfway(child: Child, publicKey: string, text: string) {
  const headers = { origin: ORIGIN, "content-length": Buffer.byteLength(text) };
  const sending = request(`${child.url}/api/ingest/v2/${publicKey}/events`, { method: "POST", headers });
  const answered = new Promise<{ status: number; results: LoadResult[] }>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", async (response) => {
      const { results } = (await json(response)) as { results: LoadResult[] };
      resolve({ status: response.statusCode!, results });
    });
  });
  const half = Math.floor(text.length / 2);
  sending.write(text.slice(0, half));
  return { answered, finish: () => sending.end(text.slice(half)) };
}

const isRefused = (url: string) =>
  new Promise<boolean>((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.on("error", () => resolve(true));
  });

it("A process that receives SIGTERM under load answers the requests in progress, ends streams, and exits with 0", async (t) => {
  const random = createRandom();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-stop-"));
  let child = await startChild(dataDir);
  try {
    const source = await createSource(child.url);
    await using load = new Load(child.url, source, random);
    const stream = await openStream(child.url, source.sourceId);
    const visitor = await openVisitor(child.url, source);
    const batch = makeBatch(source, visitor, random);
    await load.start();
    const enough = random.between(20, 60);
    await until(`${enough} batches are acknowledged`, () => load.acknowledged().length >= enough);
    await until("the stream shows attempts", () => stream.said().includes("att_"));

    const halfway = openHalfway(child, source.publicKey, JSON.stringify(bodyOf(batch)));
    await until("the request is in progress", async () => {
      const metrics = await (await fetch(`${child.url}/metrics`)).text();
      return /^headwater_ingest_in_flight [1-9]/m.test(metrics);
    });
    const stopping = child.end("SIGTERM");
    await until("new connections are refused", () => isRefused(child.url));
    halfway.finish();
    const last = await halfway.answered;
    assert.equal(last.status, 200, "a request that arrived before the stop is answered");
    const { code, ms } = await stopping;
    load.url = null;
    await stream.ended;

    const refused = Object.fromEntries(load.refused);
    t.diagnostic(
      `seed ${random.seed}: stopped in ${ms} ms, ${load.acknowledged().length} batches acknowledged`,
    );
    t.diagnostic(`during and after the stop: ${JSON.stringify(refused)}`);
    assert.equal(code, 0);
    assert.ok(ms < STOP_MS, `it took ${ms} ms`);
    assert.match(stream.said(), /event: end\ndata: \{\}\n\n$/);

    batch.results = last.results;
    const answered = [...load.acknowledged(), batch];
    const atEnd = compare(storedEvents(dataDir), [...load.sent, batch]);
    // every stored event was acknowledged, so no request in progress was cut off
    assert.deepEqual(atEnd, { stored: answered.length * batch.events.length, lost: 0, doubled: 0 });

    child = await startChild(dataDir);
    load.url = child.url;
    await load.settle();
    checkAnswers(load.sent);
    await sendAgain(child.url, source, [...load.sent, batch]);
    await checkUsage(child.url, [...load.sent, batch]);
  } finally {
    await child.end("SIGKILL");
    rmSync(dataDir, { recursive: true });
  }
});
