/** Two nodes on one PostgreSQL, one of which has the embedded warehouse of both, behind the proxies of deploy/. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { CADDY, NAME, NGINX, over, type Program, startFront, withWarehouse } from "../deploy/front.ts";
import { type Child, createSource, startChild, until } from "../faults/child.ts";
import { believe, Load } from "../faults/load.ts";
import { createRandom } from "../faults/random.ts";
import { OWNER_TOKEN } from "../support/world.ts";
import { createDatabase } from "./databases.ts";

const PATIENCE_MS = 60_000;
const ACKNOWLEDGED = 60;
const OWNER = { authorization: `Bearer ${OWNER_TOKEN}` };

async function withTwoNodes(work: (start: StartNode) => Promise<void>): Promise<void> {
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
    await work(start);
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
  until("the warehouse is up", PATIENCE_MS, async () => (await warehouseOf(node)).state === "up");

async function killUnderLoad(program: Program): Promise<void> {
  await withTwoNodes(async (start) => {
    const embedded = { WAREHOUSE: "embedded" };
    let holder = await start("one", embedded);
    const other = await start("two");
    const at = new URL(holder.url).host;
    await using front = await startFront(withWarehouse(over(program, new URL(other.url).host), at), at);
    believe(front.certificate, NAME);
    const source = await createSource(other.url);
    await using load = new Load(front.url, source, createRandom());
    const acknowledge = async (count: number) => {
      const enough = load.acknowledged().length + count;
      await until("more is acknowledged", PATIENCE_MS, () => load.acknowledged().length >= enough);
    };
    await load.start();
    await whenUp(holder);
    await acknowledge(ACKNOWLEDGED);
    await holder.end("SIGKILL");
    await acknowledge(ACKNOWLEDGED);
    holder = await start("one", { ...embedded, PORT: new URL(holder.url).port });
    await whenUp(holder);
    await acknowledge(ACKNOWLEDGED);
    await load.settle();
    await until("everything is shipped", PATIENCE_MS, async () => {
      const { state, waitingEvents } = await warehouseOf(holder);
      return state === "up" && waitingEvents === 0;
    });

    const route = `/api/export/events?sourceId=${source.sourceId}`;
    const exported = await front.ask(route, { headers: OWNER });
    const stored = exported.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).analyticsEventId);
    const accepted = load.sent.flatMap(({ results }) =>
      results!.map(({ analyticsEventId }) => analyticsEventId),
    );
    assert.deepEqual(stored.sort(), accepted.sort());

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
    `What two nodes behind ${name} accept is in the warehouse of one exactly once, which was killed meanwhile`,
    {
      skip,
    },
    () => killUnderLoad(program),
  );
}

it("Only the folder that has the events can be the warehouse, on one node at a time", async () => {
  await withTwoNodes(async (start) => {
    const embedded = { WAREHOUSE: "embedded" };
    const holder = await start("one", embedded);
    await whenUp(holder);
    const elsewhere = new RegExp(
      `The events of this ledger are in the embedded warehouse of the node ${holder.url}`,
    );
    await assert.rejects(start("two", embedded), elsewhere);
    await assert.rejects(start("one", embedded), /Another Headwater process serves DATA_DIR/);
    await holder.end("SIGTERM");
    await assert.rejects(start("two", embedded), elsewhere);
    await whenUp(await start("one", embedded));
  });
});
