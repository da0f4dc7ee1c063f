/** Streams: a client that reads gets the whole answer, and a client that reads nothing is disconnected. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { sendAnswer } from "../../src/http/reply.ts";
import { until } from "../support/until.ts";

const STALL_MS = 300;
const PIECE = Buffer.alloc(1_048_576, "x");

async function serve(pieces: AsyncIterable<Uint8Array>, cutOff = new AbortController().signal) {
  const closed = { times: 0 };
  const server = createServer((request, response) => {
    response.once("close", () => {
      closed.times += 1;
    });
    const exchange = {
      request,
      response,
      requestId: "req_1",
      traceId: null,
      alias: "",
      queryText: "",
      headers: {},
    };
    sendAnswer(
      exchange,
      { stream: pieces, mediaType: "text/plain", cutOff },
      { status: 200, stallMs: STALL_MS },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, closed, [Symbol.asyncDispose]: async () => void server.close() };
}

test("a client that reads nothing is disconnected, and its stream ends", async () => {
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
    await until("the connection is closed", () => server.closed.times === 1);
    assert.ok(wasLeft, "the generator was ended");
  } finally {
    client.destroy();
  }
});

test("a client that waits for a slow stream stays connected", async () => {
  async function* slow() {
    yield PIECE;
    // longer than a client may leave data unread
    for (const timer = AbortSignal.timeout(3 * STALL_MS); !timer.aborted; ) await once(timer, "abort");
    yield PIECE;
  }
  await using server = await serve(slow());
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.equal((await answer.arrayBuffer()).byteLength, 2 * PIECE.length);
});

test("a stream that is cut off ends with its connection, although the client reads nothing", async () => {
  let wasLeft = false;
  async function* endless() {
    try {
      for (;;) yield PIECE;
    } finally {
      wasLeft = true;
    }
  }
  const cutOff = new AbortController();
  await using server = await serve(endless(), cutOff.signal);
  const client = connect(server.port, "127.0.0.1").pause();
  client.on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "readable");
  cutOff.abort();
  await until("the connection is closed", () => server.closed.times === 1);
  assert.ok(wasLeft, "the generator was ended");
  client.destroy();
});
