/** An answer that goes on: who reads has it whole, and who takes nothing is cut off. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { fastify } from "fastify";
import { sendAnswer } from "../../src/http/answer.ts";
import { until } from "../faults/child.ts";

const PATIENCE_MS = 30_000;
const STALL_MS = 300;
const PIECE = Buffer.alloc(1_048_576, "x");

async function serve(pieces: AsyncIterable<Uint8Array>) {
  const app = fastify();
  const ended = { times: 0 };
  app.get("/", (_, reply) => {
    const onEnd = () => {
      ended.times += 1;
    };
    sendAnswer(reply, 200, { stream: pieces, mediaType: "text/plain" }, { onEnd, stallMs: STALL_MS });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, ended, [Symbol.asyncDispose]: () => app.close() };
}

test("Who takes nothing is cut off, and what was made for them ends.", async () => {
  let wasLeft = false;
  async function* endless() {
    try {
      for (;;) yield PIECE;
    } finally {
      wasLeft = true;
    }
  }
  await using server = await serve(endless());
  const client = connect(server.port, "127.0.0.1");
  client.on("error", () => undefined);
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  try {
    await until("the stream is over", PATIENCE_MS, () => server.ended.times === 1);
    assert.ok(wasLeft, "nobody makes what nobody takes");
  } finally {
    client.destroy();
  }
});

test("Who waits for what is long in coming is not.", async () => {
  async function* slow() {
    yield PIECE;
    // longer than anybody may take nothing of what is there
    for (const timer = AbortSignal.timeout(3 * STALL_MS); !timer.aborted; ) await once(timer, "abort");
    yield PIECE;
  }
  await using server = await serve(slow());
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.equal((await answer.arrayBuffer()).byteLength, 2 * PIECE.length);
});
