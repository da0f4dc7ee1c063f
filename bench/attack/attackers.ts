/** The attacks: each runs until its signal is aborted, and describes what became of its requests. */
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { OWNER_TOKEN } from "../server.ts";

export interface AttackTarget {
  url: string;
  /** A source with many events in the warehouse. */
  sourceId: string;
  publicKey: string;
}
type Attacker = (target: AttackTarget, stopped: AbortSignal) => Promise<string>;

const PIPELINING_CONNECTIONS = 100;
const PIPELINED = 1_000;
const SLOW_READERS = 120;
/** Fewer than a connection may have waiting. */
const READER_REQUESTS = 6;
const READ_BYTES = 16_384;
const READ_EVERY_MS = 1_000;
const BODY_ADDRESSES = 10;
const BODIES_PER_ADDRESS = 40;
const BODY_BYTES = 500_000;
const FIRST_BODY_BYTES = 400_000;
const DRIP_BYTES = 1_500;
const DRIP_MS = 1_000;
const QUERIES = 60;
const EXPORTS = 4;
const REOPEN_MS = 100;

const authorization = `Authorization: Bearer ${OWNER_TOKEN}`;
const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
const addressOf = (index: number) => `X-Forwarded-For: 203.0.113.${1 + index}`;

interface SocketCounts {
  opened: number;
  closed: number;
}

/** Keeps connections open until the signal is aborted: `use` is called with each, and one that is closed is replaced. */
async function keepOpen(
  { url, stopped }: { url: string; stopped: AbortSignal },
  connections: number,
  use: (socket: Socket, index: number) => void,
): Promise<SocketCounts> {
  const counts: SocketCounts = { opened: 0, closed: 0 };
  const one = async (index: number) => {
    while (!stopped.aborted) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const destroy = () => socket.destroy();
      stopped.addEventListener("abort", destroy, { once: true });
      socket.on("error", () => undefined);
      socket.once("connect", () => {
        counts.opened += 1;
        use(socket, index);
      });
      await closed;
      stopped.removeEventListener("abort", destroy);
      if (!stopped.aborted) {
        counts.closed += 1;
        await wait(REOPEN_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  return counts;
}

const describe = ({ opened, closed }: SocketCounts) =>
  `${opened} connections opened, ${closed} of them closed by the server`;

/** A socket that reads nothing notices that it was closed only when it writes. Empty lines before a request are ignored. */
function writeEmptyLines(socket: Socket): void {
  const timer = setInterval(() => socket.write("\r\n"), REOPEN_MS);
  socket.once("close", () => clearInterval(timer));
}

function readSlowly(socket: Socket): void {
  writeEmptyLines(socket);
  const timer = setInterval(() => socket.read(READ_BYTES) ?? socket.read(), READ_EVERY_MS);
  socket.once("close", () => clearInterval(timer));
}

/** Many requests sent ahead on each connection, whose answers nobody reads. */
const pipelining: Attacker = async ({ url }, stopped) =>
  describe(
    await keepOpen({ url, stopped }, PIPELINING_CONNECTIONS, (socket, index) => {
      socket.write(get("/openapi.json", addressOf(index)).repeat(PIPELINED));
      writeEmptyLines(socket);
    }),
  );

/** Reads 16 KiB per second of documents, and of the debug view. */
const slowReaders: Attacker = async ({ url, sourceId }, stopped) =>
  describe(
    await keepOpen({ url, stopped }, SLOW_READERS, (socket, index) => {
      const debug = `/api/tracking-sources/${sourceId}/debug`;
      const request =
        index % 2 === 0
          ? get("/openapi.json", addressOf(index))
          : get(debug, addressOf(index), authorization);
      socket.write(request.repeat(READER_REQUESTS));
      readSlowly(socket);
    }),
  );

/** Most of each body at once, then the rest a little faster than the lowest speed. */
const slowBodies: Attacker = async ({ url, publicKey }, stopped) =>
  describe(
    await keepOpen({ url, stopped }, BODY_ADDRESSES * BODIES_PER_ADDRESS, (socket, index) => {
      const head = [
        `POST /api/ingest/v2/${publicKey}/events HTTP/1.1`,
        "Host: x",
        "Origin: https://shop.example",
        "Content-Type: text/plain",
        `Content-Length: ${BODY_BYTES}`,
        addressOf(index % BODY_ADDRESSES),
      ];
      socket.write(`${[...head, "", ""].join("\r\n")}${" ".repeat(FIRST_BODY_BYTES)}`);
      const timer = setInterval(() => socket.write(" ".repeat(DRIP_BYTES)), DRIP_MS);
      socket.resume();
      socket.once("close", () => clearInterval(timer));
    }),
  );

const count = (outcomes: Map<string, number>, outcome: string) =>
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
const describeOutcomes = (outcomes: Map<string, number>) =>
  [...outcomes].map(([outcome, times]) => `${times} × ${outcome}`).join(", ") || "none answered";

/** Each query is different, so that no cache answers it, and has a filter that no rollup contains. */
const queryBody = (sourceId: string, serial: number) => ({
  sourceId,
  metrics: ["visitors", "sessions", "pageviews", "events"],
  dateRange: "30d",
  dimensions: ["time:hour", "page"],
  filters: [{ not: { sessionHas: { dimension: "page", operator: "contains", value: `no-${serial}` } } }],
});

/** Sixty queries at any time; a refused one is followed by the next after a while. */
const heavyQueries: Attacker = async ({ url, sourceId }, stopped) => {
  const outcomes = new Map<string, number>();
  let serial = 0;
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
  const ask = async () => {
    while (!stopped.aborted) {
      serial += 1;
      const body = JSON.stringify(queryBody(sourceId, serial));
      const outcome = await fetch(`${url}/api/stats/query`, {
        method: "POST",
        headers,
        body,
        signal: stopped,
      })
        .then(async (response) => {
          const text = await response.text();
          return response.ok ? "200" : `${response.status} ${JSON.parse(text).code}`;
        })
        .catch((error: Error) => (stopped.aborted ? "cancelled at the end" : error.message));
      count(outcomes, outcome);
      if (outcome !== "200" && !stopped.aborted) await wait(REOPEN_MS);
    }
  };
  await Promise.all(Array.from({ length: QUERIES }, ask));
  return describeOutcomes(outcomes);
};

/** As many exports as run at once, in all formats, read at 16 KiB per second. */
const slowExports: Attacker = async ({ url, sourceId }, stopped) => {
  const formats = ["ndjson", "csv", "parquet"];
  return describe(
    await keepOpen({ url, stopped }, EXPORTS, (socket, index) => {
      const format = formats[index % formats.length];
      socket.write(get(`/api/export/events?sourceId=${sourceId}&format=${format}`, authorization));
      readSlowly(socket);
    }),
  );
};

export const ATTACKERS = {
  pipelining: pipelining,
  "slow-readers": slowReaders,
  "slow-bodies": slowBodies,
  stats: heavyQueries,
  exports: slowExports,
};
