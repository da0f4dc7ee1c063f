/** Two nodes on one PostgreSQL, one of which has the embedded warehouse of both, behind the proxies of deploy/. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { headwater } from "../cli/command-line.ts";
import { CADDY, NAME, NGINX, over, type Program, startFront, withWarehouse } from "../deploy/front.ts";
import { linesOf } from "../export/exported.ts";
import { type Child, createSource, startChild } from "../faults/child.ts";
import { believe, Load, type LoadBatch } from "../faults/load.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import { OWNER_TOKEN } from "../support/world.ts";
import { postgresPrograms } from "./cluster.ts";
import { createDatabase, createEmptyDatabase } from "./databases.ts";

const ACKNOWLEDGED = 20;
const OWNER = { authorization: `Bearer ${OWNER_TOKEN}` };

async function withNodes(
  work: (start: StartNode, folder: string, databaseUrl: string) => Promise<void>,
): Promise<void> {
  const database = await createDatabase();
  const folder = mkdtempSync(join(tmpdir(), "headwater-shared-"));
  const started: Child[] = [];
  const start: StartNode = async (name, environment = {}) => {
    const node = await startChild(join(folder, name), {
      environment: { DATABASE_URL: database.url, TRUST_PROXY: "127.0.0.1", WAREHOUSE: "", ...environment },
    });
    started.push(node);
    return node;
  };
  try {
    await work(start, folder, database.url);
  } finally {
    await Promise.all(started.map((node) => node.end("SIGKILL")));
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a node with a DATA_DIR of this name. */
type StartNode = (name: string, environment?: Record<string, string>) => Promise<Child>;

async function warehouseOf(node: Child): Promise<{ state: string; waitingEvents: number }> {
  const { warehouse } = (await (await fetch(`${node.url}/readyz`)).json()) as {
    warehouse: { state: string; waitingEvents: number };
  };
  return warehouse;
}

const whenUp = (node: Child) =>
  until("the warehouse is up", async () => (await warehouseOf(node)).state === "up");

const acknowledge = async (load: Load, count: number) => {
  const enough = load.acknowledged().length + count;
  await until("more is acknowledged", () => load.acknowledged().length >= enough);
};

/** Waits until the load has its answers and the holder has shipped them. Each accepted event is then in its warehouse once. */
async function assertShippedOnce(load: Load, holder: Child, sourceId: string): Promise<void> {
  await load.settle();
  await nothingWaits(holder);
  assert.deepEqual(await exportedFrom(holder, sourceId), idsOf(load.sent));
}

const idsOf = (batches: readonly LoadBatch[]): string[] =>
  batches.flatMap(({ results }) => results!.map(({ analyticsEventId }) => analyticsEventId)).sort();

async function exportedFrom(node: Child, sourceId: string): Promise<string[]> {
  const route = `${node.url}/api/export/events?sourceId=${sourceId}`;
  const text = await (await fetch(route, { headers: OWNER })).text();
  return linesOf(text)
    .map(({ analyticsEventId }) => analyticsEventId)
    .sort();
}

const nothingWaits = (node: Child) =>
  until("everything is shipped", async () => {
    const { state, waitingEvents } = await warehouseOf(node);
    return state === "up" && waitingEvents === 0;
  });

/** The processes of a node: the service and the engine of its warehouse. */
const processesOf = ({ pid }: Child) => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number),
];

async function killUnderLoad(program: Program): Promise<void> {
  await withNodes(async (start) => {
    const embedded = { WAREHOUSE: "embedded" };
    let holder = await start("one", embedded);
    const other = await start("two");
    const at = new URL(holder.url).host;
    await using front = await startFront(withWarehouse(over(program, new URL(other.url).host), at), at);
    believe(front.certificate, NAME);
    const source = await createSource(other.url);
    await using load = new Load(front.url, source, createRandom());
    await load.start();
    await whenUp(holder);
    await acknowledge(load, ACKNOWLEDGED);
    await holder.end("SIGKILL");
    await acknowledge(load, ACKNOWLEDGED);
    holder = await start("one", { ...embedded, PORT: new URL(holder.url).port });
    await whenUp(holder);
    await acknowledge(load, ACKNOWLEDGED);
    await assertShippedOnce(load, holder, source.sourceId);

    const route = `/api/export/events?sourceId=${source.sourceId}`;
    assert.equal((await front.ask(route, { headers: OWNER })).status, 200, "by way of the proxy");
    const live = `/api/stats/live?sourceId=${source.sourceId}`;
    for (let time = 0; time < 4; time += 1)
      assert.equal((await front.ask(live, { headers: OWNER })).status, 200, "by way of the proxy");
    for (const path of [live, route]) {
      const response = await fetch(other.url + path, { headers: OWNER });
      const { code, message } = (await response.json()) as { code: string; message: string };
      assert.deepEqual([response.status, code], [503, "warehouse_elsewhere"]);
      assert.ok(message.includes(holder.url), message);
    }
    assert.equal((await warehouseOf(other)).state, "elsewhere");
  });
}

for (const [name, program] of Object.entries({ nginx: NGINX, Caddy: CADDY })) {
  const [command] = program.command("");
  const skip = !existsSync(command) && `there is no ${command}`;
  it(
    `Events that two nodes behind ${name} accept are exactly once in the warehouse of one of them, even when that node is killed`,
    {
      skip,
    },
    () => killUnderLoad(program),
  );
}

it("Only the folder that has the events can be the warehouse, on one node at a time", async () => {
  await withNodes(async (start) => {
    const embedded = { WAREHOUSE: "embedded" };
    const holder = await start("one", embedded);
    await whenUp(holder);
    const elsewhere = new RegExp(`This ledger's events are in the embedded warehouse on node ${holder.url}`);
    await assert.rejects(start("two", embedded), elsewhere);
    await assert.rejects(start("one", embedded), /Another Headwater process serves DATA_DIR/);
    await holder.end("SIGTERM");
    await assert.rejects(start("two", embedded), elsewhere);
    await whenUp(await start("one", embedded));
  });
});

it("A paused node whose warehouse another node has taken over ends its engine, and no event is lost or stored twice", async () => {
  await withNodes(async (start, folder) => {
    const embedded = { WAREHOUSE: "embedded", LOG_LEVEL: "error" };
    const paused = await start("one", embedded);
    const source = await createSource(paused.url);
    const other = await start("two");
    await using load = new Load(other.url, source, createRandom());
    await load.start();
    await whenUp(paused);
    await acknowledge(load, ACKNOWLEDGED);
    const processes = processesOf(paused);
    const signal = (name: NodeJS.Signals) => {
      for (const pid of processes) process.kill(pid, name);
    };
    assert.equal(processes.length, 2);
    signal("SIGSTOP");
    let holder: Child;
    try {
      mkdirSync(join(folder, "three"));
      execFileSync("cp", ["-a", join(folder, "one", "warehouse"), join(folder, "three")]);
      holder = await start("three", embedded);
      await whenUp(holder);
      await acknowledge(load, ACKNOWLEDGED);
    } finally {
      signal("SIGCONT");
    }
    await until("the paused node notices", async () => {
      const { state } = await warehouseOf(paused);
      return state === "elsewhere";
    });
    assert.match(paused.logged(), /"level":50.*another node has taken over the warehouse/);
    const metrics = await (await fetch(`${paused.url}/metrics`)).text();
    assert.match(metrics, /^headwater_warehouse_up 0$/m);
    await until("its engine has ended", () => processesOf(paused).every((pid) => pid !== processes[1]));
    await acknowledge(load, ACKNOWLEDGED);
    await assertShippedOnce(load, holder, source.sourceId);

    await holder.end("SIGKILL");
    await paused.end("SIGTERM");
    const elsewhere = /This ledger's events are in the embedded warehouse on node/;
    await assert.rejects(start("one", embedded), elsewhere, "its folder lacks events");
    await whenUp(await start("three", embedded));
  });
});

it("A dump of the database and then a backup of the warehouse restore every event that was accepted before them, once", async () => {
  await withNodes(async (start, folder, databaseUrl) => {
    const embedded = { WAREHOUSE: "embedded" };
    const holder = await start("one", embedded);
    const source = await createSource(holder.url);
    await using load = new Load(holder.url, source, createRandom());
    await load.start();
    await whenUp(holder);
    await acknowledge(load, ACKNOWLEDGED);
    const accepted = idsOf(load.acknowledged());
    const [dump, copy] = [join(folder, "headwater.dump"), join(folder, "copy")];
    const run = promisify(execFile);
    const program = (name: string) => join(postgresPrograms()!, name);
    await run(program("pg_dump"), [
      "--format=custom",
      "--no-unlogged-table-data",
      `--file=${dump}`,
      databaseUrl,
    ]);
    const shippedMeanwhile = idsOf(load.acknowledged()).length + ACKNOWLEDGED;
    await until("more is shipped", async () => {
      const text = await (await fetch(`${holder.url}/metrics`)).text();
      return Number(/^headwater_shipped_events_total (\d+)/m.exec(text)?.[1]) > shippedMeanwhile;
    });
    const command = (name: string, url: string, ...words: string[]) =>
      headwater({ ...embedded, DATA_DIR: join(folder, name), DATABASE_URL: url }, ...words);
    const made = await command("one", databaseUrl, "backup", "--to", copy);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /Restore this backup together with a dump that finished before \d{4}-/);
    await load.abandon();
    await holder.end("SIGKILL");

    const database = await createEmptyDatabase();
    await run(program("pg_restore"), [`--dbname=${database.url}`, dump]);
    const restored = await command("four", database.url, "restore", "--from", copy);
    assert.equal(restored.code, 0, restored.stderr);
    const node = await start("four", { ...embedded, DATABASE_URL: database.url });
    await nothingWaits(node);
    const held = await exportedFrom(node, source.sourceId);
    assert.equal(new Set(held).size, held.length, "each once");
    const unique = new Set(held);
    assert.deepEqual(
      accepted.filter((id) => !unique.has(id)),
      [],
    );
    await node.end("SIGKILL");
    await database.remove();
  });
});

it("A backup without the embedded warehouse of this node names PostgreSQL's own tools", async () => {
  await withNodes(async (_start, folder, databaseUrl) => {
    for (const [WAREHOUSE, message] of [
      ["off", /pg_dump --format=custom/],
      ["embedded", /Run this command on the node that has it/],
    ] as const) {
      const settings = { WAREHOUSE, DATA_DIR: join(folder, "none"), DATABASE_URL: databaseUrl };
      const { code, stderr } = await headwater(settings, "backup", "--to", join(folder, "copy"));
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  });
});
