/** Connections whose request was refused are paused until it is their turn to be read again. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { describe, it } from "node:test";
import {
  createConnectionPauses,
  MAX_PAUSED_TURNS,
  RESUMED_PER_TURN,
} from "../../src/overload/paused-connections.ts";
import { Line } from "../api/raw-line.ts";
import { until } from "../support/until.ts";
import { bootstrapBody, bootstrapPath, ORIGIN, openWorld } from "../support/world.ts";

const MODULE_URL = import.meta.resolve("../../src/overload/paused-connections.ts");

/** Pauses the connections of new requests. @returns how many of them are read again after each turn, until all are */
async function readAfterEachTurn(count: number): Promise<number[]> {
  const pause = createConnectionPauses();
  const sockets = Array.from({ length: count }, () => new Socket().resume());
  for (const socket of sockets) {
    const request = new IncomingMessage(socket);
    pause(request);
    request.emit("close");
  }
  const counts: number[] = [];
  while (counts.at(-1) !== count) {
    await new Promise(setImmediate);
    const isRead = sockets.map((socket) => !socket.isPaused());
    const read = isRead.filter(Boolean).length;
    // the first refused are the first that are read
    assert.equal(isRead.lastIndexOf(true), read - 1);
    counts.push(read);
  }
  return counts;
}

describe("A connection whose request was refused", () => {
  it("is read again after those that were refused before, some in each turn of the event loop", async () => {
    const count = 3 * RESUMED_PER_TURN;
    const counts = await readAfterEachTurn(count);
    assert.deepEqual(
      counts,
      [1, 2, 3].map((turn) => turn * RESUMED_PER_TURN),
    );
  });

  it("is read again after a bounded number of turns, however many others are paused", async () => {
    const { length: turns } = await readAfterEachTurn(2 * RESUMED_PER_TURN * MAX_PAUSED_TURNS);
    assert.ok(turns < 2 * MAX_PAUSED_TURNS, `${turns} turns`);
  });

  it("is read again although nothing else keeps the process awake", () => {
    const script = `
      import { Socket } from "node:net";
      import { IncomingMessage } from "node:http";
      import { createConnectionPauses } from ${JSON.stringify(MODULE_URL)};
      const pause = createConnectionPauses();
      const sockets = Array.from({ length: ${3 * RESUMED_PER_TURN} }, () => new Socket().resume());
      for (const socket of sockets) {
        const request = new IncomingMessage(socket);
        pause(request);
        request.emit("close");
      }
      process.on("exit", () => console.log(sockets.filter((socket) => socket.isPaused()).length));`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
    });
    assert.equal(ended.stdout, "0\n", ended.stderr);
  });

  it("is not ended as idle while it is paused, because its next request may have arrived", async () => {
    const pause = createConnectionPauses();
    const socket = new Socket().resume().setTimeout(5_000);
    const request = new IncomingMessage(socket);
    pause(request);
    request.emit("close");
    assert.equal(socket.timeout, 0);
    await new Promise(setImmediate);
    assert.equal(socket.timeout, 5_000);
    socket.destroy();
  });

  it("is not read from the end of its request on, although the rest of the body arrived after the answer", async (t) => {
    const pause = createConnectionPauses();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const server = createServer((request, response) => {
      response.writeHead(503).end();
      assert.equal(request.complete, false);
      request.resume();
      pause(request);
      request.once("close", () => process.nextTick(() => resolve(request.socket.isPaused())));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "x".repeat(6_400) });
    assert.equal(answer.status, 503);
    assert.equal(await promise, true);
  });

  it("gets an answer to each further request, even when its body arrives later", async () => {
    await using world = await openWorld({ DISK_LOW_WATER_BYTES: "1000000000000000" });
    const source = await world.createSource();
    const body = JSON.stringify(bootstrapBody());
    const head = `POST ${bootstrapPath(source)} HTTP/1.1\r\nHost: x\r\nOrigin: ${ORIGIN}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const line = new Line(world.url).write(head + body);
    const answered = (count: number) => until(`answer ${count}`, () => line.statuses().length >= count);
    await answered(1);
    for (let count = 2; count < 5; count++) {
      line.write(head);
      await answered(count);
      line.write(body);
    }
    line.write((head + body).repeat(3));
    await answered(7);
    assert.deepEqual(line.statuses(), Array(7).fill(503));
    line.socket.destroy();
  });
});
