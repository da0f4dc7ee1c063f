/** Idle and slow connections while ordinary clients are served. */
import assert from "node:assert/strict";
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { ORIGIN, type TestSource } from "../support/world.ts";
import { type Child, createSource, startChild } from "./child.ts";
import { bodyOf, makeBatch, openVisitor, send } from "./load.ts";
import { createRandom } from "./random.ts";

const WANTED = 10_000;
/** The open files of the process besides its connections. */
const OWN_FILES = 500;
const ORDINARY = 200;
/** Ten seconds on a machine without other work. */
const CLOSED_WITHIN_MS = 60_000;
const SLOW_CLIENTS = 100;
const A_BYTE_EVERY_MS = 800;

const IDLE_CLIENTS = fileURLToPath(new URL("./idle-clients.ts", import.meta.url));

interface ConnectionCounts {
  opened: number;
  failed: number;
  closed: number;
}

/** Sends batches one after another. @returns the milliseconds of each, sorted */
async function sendOrdinary(
  child: Child,
  source: TestSource,
  going: (done: number) => boolean,
): Promise<number[]> {
  const random = createRandom();
  const visitor = await openVisitor(child.url, source);
  const times: number[] = [];
  while (going(times.length)) {
    const sentAt = performance.now();
    const body = bodyOf(makeBatch(source, visitor, random));
    const reply = await send(`${child.url}/api/ingest/v2/${source.publicKey}/events`, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    times.push(performance.now() - sentAt);
  }
  return times.sort((a, b) => a - b);
}
const quantile = (sorted: number[], share: number) =>
  Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);

async function withChild(run: (child: Child, source: TestSource) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-connections-"));
  const child = await startChild(dataDir);
  try {
    await run(child, await createSource(child.url));
  } finally {
    await child.end("SIGKILL");
    rmSync(dataDir, { recursive: true });
  }
}

it("10,000 idle connections stay open while ordinary requests are answered", (t) =>
  withChild(async (child, source) => {
    const allowed = Number(
      execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).replace(/\D+/, "") || WANTED,
    );
    const wanted = Math.min(WANTED, (allowed || Number.POSITIVE_INFINITY) - OWN_FILES);
    if (wanted < WANTED)
      t.diagnostic(`\`ulimit -n\` is ${allowed}: ${wanted} connections instead of ${WANTED}`);
    const alone = await child.rss();
    const clients = fork(IDLE_CLIENTS);
    const tell = async (message: object | "count") => {
      clients.send(message);
      return (await once(clients, "message"))[0] as ConnectionCounts;
    };
    try {
      const { hostname: host, port } = new URL(child.url);
      const startedAt = performance.now();
      const opened = await tell({ host, port: Number(port), wanted });
      const openedMs = Math.round(performance.now() - startedAt);
      const times = await sendOrdinary(child, source, (done) => done < ORDINARY);
      const held = await tell("count");
      const rss = await child.rss();
      t.diagnostic(
        `${opened.opened} connections in ${openedMs} ms, ${opened.failed} refused, ${held.closed} closed since`,
      );
      t.diagnostic(
        `${ORDINARY} ordinary requests: p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`,
      );
      t.diagnostic(`memory ${alone} MB before, ${rss} MB with them`);
      assert.deepEqual(opened, { opened: wanted, failed: 0, closed: opened.closed });
      assert.ok(rss < 400, `${rss} MB`);
    } finally {
      const ended = once(clients, "exit");
      clients.kill("SIGKILL");
      await ended;
    }
  }));

interface SlowClientEnd {
  status: number | null;
  ms: number;
}

/**
 * Sends the start at once, then `repeated` at intervals until the server closes the connection.
 * @returns once the client is connected
 */
async function slowClient(
  url: string,
  start: string,
  repeated: string,
): Promise<{ ended: Promise<SlowClientEnd> }> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  let received = "";
  const socket = connect(Number(port), hostname, () => socket.write(start));
  const timer = setInterval(() => socket.writable && socket.write(repeated), A_BYTE_EVERY_MS);
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  // a reset may follow the response, because the client was still sending
  socket.on("error", () => undefined);
  const ended = once(socket, "close").then(() => {
    clearInterval(timer);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1];
    return { status: status ? Number(status) : null, ms: Math.round(performance.now() - startedAt) };
  });
  await once(socket, "connect");
  return { ended };
}

it("Connections with slow headers or bodies are answered 408 and closed within 12 s, while other clients are served", (t) =>
  withChild(async (child, source) => {
    const path = `/api/ingest/v2/${source.publicKey}/events`;
    const head = `Host: localhost\r\nOrigin: ${ORIGIN}\r\nContent-Type: text/plain\r\n`;
    const kinds = {
      "slow headers": [`POST ${path} HTTP/1.1\r\nX-Slow: `, "a"],
      "a slow body": [`POST ${path} HTTP/1.1\r\n${head}Content-Length: 5000\r\n\r\n{"a":"`, "a"],
      "a slow body in chunks": [
        `POST ${path} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
        "1\r\n \r\n",
      ],
      "a slow body to the workspace": [
        `POST /api/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"a":"`,
        "a",
      ],
      "nothing at all": ["", ""],
    } as const;
    let open = Object.keys(kinds).length;
    const slow = Object.entries(kinds).map(async ([kind, [start, repeated]]) => {
      const clients: { ended: Promise<SlowClientEnd> }[] = [];
      // one after another, because so many at once would overload a slow machine and be refused with 503
      while (clients.length < SLOW_CLIENTS) clients.push(await slowClient(child.url, start, repeated));
      const ends = await Promise.all(clients.map(({ ended }) => ended));
      open -= 1;
      return { kind, ends };
    });
    const times = await sendOrdinary(child, source, () => open > 0);
    for (const { kind, ends } of await Promise.all(slow)) {
      const longest = Math.max(...ends.map(({ ms }) => ms));
      const statuses = [...new Set(ends.map(({ status }) => status))];
      t.diagnostic(`${SLOW_CLIENTS} with ${kind}: closed within ${longest} ms, answered ${statuses}`);
      assert.deepEqual(statuses, [408], kind);
      assert.ok(longest <= CLOSED_WITHIN_MS, `${kind}: ${longest} ms`);
    }
    t.diagnostic(
      `${times.length} ordinary requests beside them: p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`,
    );
  }));
