/** WORKERS: several processes behind one port. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { createSource, startChild, until } from "../faults/child.ts";
import { post } from "../faults/load.ts";
import { metricValue } from "../support/metrics.ts";
import { ORIGIN } from "../support/world.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

const SEEN_MS = 20_000;
const ANSWER_MS = 5_000;

it("WORKERS=2 serves with two processes on one port; a killed one is replaced; SIGTERM ends all with exit code 0", async () => {
  const { url, remove } = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-workers-"));
  const service = await startChild(dataDir, { environment: { DATABASE_URL: url, WORKERS: "2" } });
  const nodes = async (): Promise<string[]> =>
    (
      await query<{ node_id: string }>(
        url,
        "select node_id from nodes where seen_at > now() - interval '3 s'",
      )
    ).map((row) => row.node_id);
  const workerPids = () =>
    query<{ pid: number }>(
      url,
      "select pid::int from pg_stat_activity where application_name = 'headwater' and datname = current_database()",
    );
  try {
    await until("both serve", SEEN_MS, async () => (await nodes()).length === 2);
    assert.ok((await workerPids()).length >= 2);
    const source = await createSource(service.url);
    const bootstrap = () =>
      post(`${service.url}/api/ingest/v2/${source.publicKey}/bootstrap`, {
        ingestVersion: 2,
        sdkVersion: "test",
        anonymousId: "v",
        page: { url: "https://shop.example/" },
      });
    assert.equal((await bootstrap()).status, 200);

    const before = await nodes();
    process.kill(childrenOf(service.pid)[0]!, "SIGKILL");
    await until("another has taken its place", SEEN_MS, async () => {
      const now = await nodes();
      return now.length === 2 && now.some((node) => !before.includes(node));
    });
    // it writes to the ledger a moment before it listens
    const isTaken = () =>
      bootstrap().then(
        ({ status }) => status === 200,
        () => false,
      );
    await until("a request is taken", SEEN_MS, isTaken);
    assert.equal((await service.end("SIGTERM")).code, 0);
    await until("nothing is left connected", SEEN_MS, async () => (await workerPids()).length === 0);
  } finally {
    await service.end("SIGKILL");
    await remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it("A worker that cannot start does not end the others; connections are spread over all of them", async () => {
  const { url, remove } = await createDatabase();
  const name = url.split("/").at(-1);
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-workers-"));
  const environment = { DATABASE_URL: url, WORKERS: "2" };
  const service = await startChild(dataDir, { environment });
  const nodes = () => query(url, "select from nodes where seen_at > now() - interval '3 s'");
  try {
    await until("both serve", SEEN_MS, async () => (await nodes()).length === 2);
    const source = await createSource(service.url);
    const bootstrap = () =>
      onNewConnection(`${service.url}/api/ingest/v2/${source.publicKey}/bootstrap`, "POST");
    const bothServe = () =>
      onNewConnection(`${service.url}/metrics`, "GET").then(
        (text) => metricValue(text, "headwater_processes") === 2,
        () => false,
      );
    // a node is known to the others before it listens, and one that does not yet could not start either
    await bootstrap();
    await until("the second listens", SEEN_MS, bothServe);

    await query(url, `alter database ${name} set synchronous_commit = off`);
    process.kill(childrenOf(service.pid)[0]!, "SIGKILL");
    await until("its successor cannot start", SEEN_MS, () =>
      service.said().includes("synchronous_commit is off"),
    );
    // a connection that was handed to the one that died is answered by nobody
    const isServed = () => onNewConnection(`${service.url}/healthz`, "GET").then(Boolean, () => false);
    await until("the other one serves", SEEN_MS, isServed);
    await query(url, `alter database ${name} reset synchronous_commit`);

    await until("both serve again", SEEN_MS, bothServe);
    const CONNECTIONS = 40;
    using _held = await holdConnections(service.url, CONNECTIONS);
    for (const worker of childrenOf(service.pid)) {
      const part = connectionsOf(worker, service.url) / CONNECTIONS;
      assert.ok(part >= 0.25 && part <= 0.75, `${part} of all are one worker's`);
    }
    assert.equal((await service.end("SIGTERM")).code, 0);
  } finally {
    await service.end("SIGKILL");
    await remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it("WORKERS without DATABASE_URL is refused: only one process can open the ledger in DATA_DIR", () => {
  assert.throws(() => readConfig({ WORKERS: "2" }), /WORKERS cannot be 2 without DATABASE_URL/);
});

it("A database with unsafe settings is refused with exit code 78 and a message that says what to do", async () => {
  const { url, remove } = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-workers-"));
  try {
    await query(url, `alter database ${url.split("/").at(-1)} set synchronous_commit = off`);
    for (const WORKERS of ["1", "2"]) {
      await assert.rejects(
        startChild(dataDir, { environment: { DATABASE_URL: url, WORKERS } }),
        /synchronous_commit is off/,
      );
    }
  } finally {
    await remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** The processes that this one started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

/** Opens connections one after the other, sends a request on each, and keeps them open. */
async function holdConnections(url: string, count: number): Promise<Disposable> {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true }));
  for (const agent of agents)
    await new Promise<void>((resolve, reject) => {
      const sending = request(`${url}/healthz`, { agent }, (response) =>
        response.resume().once("end", resolve),
      );
      sending.once("error", reject).end();
    });
  return { [Symbol.dispose]: () => void agents.map((agent) => agent.destroy()) };
}

/** How many connections to the service's port a process has. */
function connectionsOf(pid: number, url: string): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const ESTABLISHED = "01";
  const sockets = new Set(
    rows
      .filter(([, local = "", , state]) => local.endsWith(`:${port}`) && state === ESTABLISHED)
      .map(([, , , , , , , , , inode]) => `socket:[${inode}]`),
  );
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => sockets.has(readlinkSync(join(folder, name)))).length;
}

/** What is answered, whatever the status; a POST is an empty one. */
const onNewConnection = (url: string, method: "GET" | "POST"): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { method, agent: false, headers: { origin: ORIGIN }, timeout: ANSWER_MS };
    const sending = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    // a connection that was given to a worker in the moment of its end is answered by nobody
    sending.on("timeout", () => sending.destroy(new Error(`${url} gives no answer`)));
    sending.on("error", reject);
    sending.end();
  });
