/** Clients that do not read their answers: one answer at a time on a connection, each for a bounded time, all within a bound. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import {
  createHttpServer,
  MAX_PIPELINED_REQUESTS,
  type RequestListener,
} from "../../src/http/http-server.ts";
import {
  ANSWER_GRACE_MS,
  endAnswer,
  MAX_UNSENT_ANSWER_BYTES,
  MIN_ANSWER_BYTES_PER_SECOND,
} from "../../src/overload/unsent-answers.ts";
import { PATIENCE_MS, until } from "../support/until.ts";

/** More than the system's buffers of a connection take. */
const LARGE = Buffer.alloc(16_777_216, "x");
const MANY = 500;
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

function answerWith(response: ServerResponse, content: Buffer): void {
  response.writeHead(200, { "Content-Length": content.length });
  endAnswer(response, content);
}

async function serve(
  t: TestContext,
  listener: RequestListener,
  onParsed: () => void = () => undefined,
): Promise<() => Socket> {
  const server = createHttpServer(listener, () => "req_1");
  server.on("request", onParsed);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return () => {
    const client = connect(port, "127.0.0.1").pause();
    client.on("error", () => undefined);
    t.after(() => client.destroy());
    return client;
  };
}

/** Waits without a timer, for a test that drives the timers. */
async function untilInTurns(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < end, `Not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await new Promise(setImmediate);
  }
}

/** Counts the requests that are handled and the connections that are closed before their answer is sent. */
function answering(content: Buffer) {
  const seen = { handled: 0, cut: 0 };
  const listener: RequestListener = (_request, response) => {
    seen.handled += 1;
    response.once("close", () => {
      if (!response.writableFinished) seen.cut += 1;
    });
    answerWith(response, content);
  };
  return { seen, listener };
}

describe("A client that does not read", () => {
  it("has one pipelined request handled at a time; the others are handled when it reads, in order", async (t) => {
    const { seen, listener } = answering(LARGE);
    const open = await serve(t, listener);
    const client = open();
    client.write(GET.repeat(3));
    await until("a request is handled", () => seen.handled > 0);
    // the answer to a request of another connection shows that the server has read everything that was sent before
    const other = open().resume();
    other.write(GET);
    await until("the other client's request is handled", () => seen.handled > 1);
    assert.equal(seen.handled, 2);
    let received = 0;
    client.on("data", ({ length }: Buffer) => {
      received += length;
    });
    client.resume();
    await until("all answers have arrived", () => received > 3 * LARGE.length);
    assert.equal(seen.handled, 4);
  });

  it("is disconnected when it sends more requests ahead than a connection may have waiting", async (t) => {
    const { seen, listener } = answering(LARGE);
    const client = (await serve(t, listener))();
    client.write(GET.repeat(MAX_PIPELINED_REQUESTS + 2));
    await until("the connection is closed", () => seen.cut === 1);
    assert.equal(seen.handled, 1);
  });

  it("has the rest of its requests dropped unparsed when it is disconnected", async (t) => {
    const { seen, listener } = answering(LARGE);
    let parsed = 0;
    const client = (await serve(t, listener, () => (parsed += 1)))();
    client.write(GET.repeat(MANY));
    await until("the connection is closed", () => seen.cut === 1);
    assert.equal(parsed, MAX_PIPELINED_REQUESTS + 2);
  });

  it("may have that many waiting", async (t) => {
    const { seen, listener } = answering(Buffer.from("short"));
    const client = (await serve(t, listener))();
    client.write(GET.repeat(MAX_PIPELINED_REQUESTS + 1));
    await until("all are handled", () => seen.handled === MAX_PIPELINED_REQUESTS + 1);
  });

  it("is disconnected after a time that grows with the size of the answer, even while it sends further requests", async (t) => {
    const { seen, listener } = answering(LARGE);
    const client = (await serve(t, listener))();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    client.write(GET);
    await untilInTurns("the request is handled", () => seen.handled === 1);
    t.mock.timers.tick(ANSWER_GRACE_MS + (1_000 * LARGE.length) / MIN_ANSWER_BYTES_PER_SECOND - 1);
    client.write(GET);
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    assert.equal(seen.cut, 0);
    t.mock.timers.tick(1);
    await untilInTurns("the connection is closed", () => seen.cut === 1);
  });

  it("makes room for others: the oldest unread answer ends when all together have too many bytes", async (t) => {
    const cut: string[] = [];
    const open = await serve(t, ({ url = "" }, response) => {
      response.once("close", () => cut.push(url));
      answerWith(response, LARGE);
    });
    const fitting = Math.floor(MAX_UNSENT_ANSWER_BYTES / LARGE.length);
    for (let number = 1; number <= fitting + 2; number += 1) {
      const client = open();
      client.write(GET.replace("/", `/${number}`));
      await once(client, "readable");
    }
    await until("two answers have ended", () => cut.length === 2);
    assert.deepEqual(cut, ["/1", "/2"]);
  });
});
