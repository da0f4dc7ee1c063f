/** Slow request bodies: they end when they are slower than any network, and when others need their memory. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { describe, it } from "node:test";
import { Refusal } from "../../src/core/refusal.ts";
import { readBytes } from "../../src/http/body.ts";
import {
  BODY_GRACE_SECONDS,
  MAX_PENDING_BODY_BYTES,
  MIN_BODY_BYTES_PER_SECOND,
  rejectPendingBody,
} from "../../src/overload/pending-bodies.ts";
import { Line } from "../api/raw-line.ts";
import { bootstrapBody, bootstrapPath, ORIGIN, openWorld } from "../support/world.ts";

const DRIP_MS = 250;
/** Longer than the time in which a body need not have a speed. */
const LASTS_MS = 1_000 * BODY_GRACE_SECONDS + 2_000;

const head = (path: string, contentLength: number, ...lines: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    `Origin: ${ORIGIN}`,
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${contentLength}`,
    ...lines,
    "",
    "",
  ].join("\r\n");

/** Sends the body in pieces at a steady speed, and waits until the server closes the connection. */
async function sendSlowly(url: string, path: string, body: string, bytesPerSecond: number): Promise<Line> {
  const line = new Line(url).write(head(path, body.length));
  const pieceLength = (bytesPerSecond * DRIP_MS) / 1_000;
  let sent = 0;
  const drips = setInterval(() => {
    if (sent < body.length && line.socket.writable) line.write(body.slice(sent, sent + pieceLength));
    sent += pieceLength;
  }, DRIP_MS);
  await line.closed;
  clearInterval(drips);
  return line;
}

describe("A slow body", () => {
  it("408 request_timeout: it arrives at less than the lowest speed; a faster one is answered", async () => {
    await using world = await openWorld();
    const source = await world.createSource();
    const text = JSON.stringify(bootstrapBody());
    const speed = 4 * MIN_BODY_BYTES_PER_SECOND;
    const body = text.padEnd((speed * LASTS_MS) / 1_000);
    const [tooSlow, toSignIn, fastEnough] = await Promise.all([
      sendSlowly(world.url, bootstrapPath(source), body, 40),
      sendSlowly(world.url, "/api/sign-in", body, 40),
      sendSlowly(world.url, bootstrapPath(source), body, speed),
    ]);
    assert.deepEqual(fastEnough.statuses(), [200], fastEnough.text);
    for (const line of [tooSlow, toSignIn]) {
      assert.deepEqual([line.statuses(), line.body().code], [[408], "request_timeout"]);
      assert.match(String(line.body().message), /less than 1000 bytes a second/);
    }
  });

  it("is freed at once when it is refused, and when its pieces have been joined", async () => {
    const owner = { clientKey: "203.0.113.9", sourceId: null };
    const receive = () => {
      const socket = new Socket();
      const request = Object.assign(new IncomingMessage(socket), { complete: false });
      const reading = readBytes(request, MAX_PENDING_BODY_BYTES, owner);
      const pieces = [
        Buffer.from(new ArrayBuffer(100)),
        Buffer.from(new ArrayBuffer(50)),
        Buffer.from("pooled"),
      ];
      for (const piece of pieces) request.emit("data", piece);
      return { socket, request, reading, lengths: () => pieces.map(({ length }) => length) };
    };
    const refused = receive();
    assert.deepEqual(refused.lengths(), [100, 50, 6]);
    rejectPendingBody(refused.socket, new Refusal("request_timeout"));
    await assert.rejects(refused.reading, { code: "request_timeout" });
    assert.deepEqual(refused.lengths(), [0, 0, 6]);
    const whole = receive();
    whole.request.emit("end");
    assert.equal((await whole.reading).bytes.length, 156);
    assert.deepEqual(whole.lengths(), [0, 0, 6]);
  });

  it("408 request_timeout: others need its memory; a client that holds little is answered", async () => {
    await using world = await openWorld({ TRUST_PROXY: "1", MAX_PAYLOAD_BYTES: "5242880" });
    const [flooded, quiet] = [await world.createSource(), await world.createSource()];
    const almost = 5_000_000;
    const wanted = Math.ceil(MAX_PENDING_BODY_BYTES / almost) + 1;
    // long enough to be fast, however long the large bodies take
    const text = JSON.stringify(bootstrapBody()).padEnd(100_000);
    const waiting = new Line(world.url).write(head(bootstrapPath(quiet), text.length));
    waiting.write(text.slice(0, -1));
    const piece = Buffer.alloc(almost, " ");
    const large = Array.from({ length: wanted }, (_, n) => {
      const address = `X-Forwarded-For: 203.0.113.${n % 2}`;
      return new Line(world.url).write(head(bootstrapPath(flooded), almost + 1, address)).write(piece);
    });
    const [refusal] = await Promise.race(large.map(({ socket }) => once(socket, "data")));
    assert.match(String(refusal), /^HTTP\/1.1 408 [\s\S]*needed its memory/);
    waiting.write(text.slice(-1));
    await waiting.closed;
    assert.deepEqual(waiting.statuses(), [200], waiting.text);
    for (const { socket } of large) socket.destroy();
  });

  it("408 request_timeout: its connection closed before it was read", async (t) => {
    const read = Promise.withResolvers<unknown>();
    const server = createServer((request) => {
      request.once("close", () => {
        readBytes(request, 1_000, { clientKey: "203.0.113.1", sourceId: null }).then(
          read.resolve,
          read.reject,
        );
      });
    });
    t.after(() => server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const line = new Line(`http://127.0.0.1:${port}`).write(head("/", 10));
    await once(server, "request");
    line.socket.destroy();
    await assert.rejects(read.promise, { code: "request_timeout" });
  });
});
