/** Listening: the service accepts many connections per turn of the event loop, and closing ends all of them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import { Worker } from "node:worker_threads";
import { createHttpServer } from "../../src/http/http-server.ts";
import { LISTENING_SOCKETS, listenFor } from "../../src/http/listening.ts";

const CONNECTIONS = 512;
const createTestServer = () =>
  createHttpServer(
    (_request, response) => void response.end(),
    () => "req_1",
  );

/** Opens all connections while the server's thread waits, and counts those that the system has established. */
const CLIENT = `
const { connect } = require("node:net");
const { workerData: { port, count, opened } } = require("node:worker_threads");
for (let left = count; left > 0; left--)
  connect(port, "127.0.0.1", () => { Atomics.add(opened, 0, 1); Atomics.notify(opened, 0); }).on("error", () => {});
`;

it("one turn of the event loop accepts many waiting connections", {
  skip: process.platform !== "linux" && "sockets can share an address on Linux only",
}, async () => {
  const server = createTestServer();
  const listening = await listenFor(server, { host: "127.0.0.1", port: 0 });
  const opened = new Int32Array(new SharedArrayBuffer(4));
  let accepted = 0;
  let turns = 0;
  server.on("connection", () => {
    accepted += 1;
  });
  const client = new Worker(CLIENT, {
    eval: true,
    workerData: { port: listening.port, count: CONNECTIONS, opened },
  });
  try {
    for (let seen = 0; seen < CONNECTIONS; seen = Atomics.load(opened, 0)) Atomics.wait(opened, 0, seen);
    while (accepted < CONNECTIONS) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(turns < CONNECTIONS / 8, `${turns} turns for ${CONNECTIONS} connections`);
  } finally {
    await client.terminate();
    await listening.close();
  }
});

it("every socket's connections are served; closing ends idle connections and answers the others first", async () => {
  let answer = () => {};
  const server = createHttpServer(
    (_request, response) => {
      answer = () => response.end("late");
      server.emit("asked");
    },
    () => "req_1",
  );
  const listening = await listenFor(server, { host: "127.0.0.1", port: 0 });
  const { port } = listening;
  const count = 2 * LISTENING_SOCKETS;
  const allAccepted = new Promise<void>((resolve) => {
    let accepted = 0;
    server.on("connection", () => ++accepted === count && resolve());
  });
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").resume());
  await allAccepted;
  const idle = Promise.all(sockets.map((socket) => once(socket, "close")));
  const asked = new Promise((resolve) => server.once("asked", resolve));
  const busy = fetch(`http://127.0.0.1:${port}/`);
  await asked;
  const closing = listening.close();
  await idle;
  answer();
  assert.equal(await (await busy).text(), "late");
  await closing;
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
});

it("an address that another service uses is an error", async () => {
  const [first, second] = [createTestServer(), createTestServer()];
  const listening = await listenFor(first, { host: "127.0.0.1", port: 0 });
  await assert.rejects(listenFor(second, { host: "127.0.0.1", port: listening.port }), {
    code: "EADDRINUSE",
  });
  await listening.close();
  const again = await listenFor(second, { host: "127.0.0.1", port: listening.port });
  await again.close();
});
