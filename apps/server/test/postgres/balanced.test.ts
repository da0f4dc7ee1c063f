/**
 * Two nodes on one PostgreSQL behind the proxies as deploy/ sets them up, started by its unit: what becomes of a node is not a client's
 * loss.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import {
  CADDY,
  type Front,
  freePorts,
  NAME,
  NGINX,
  over,
  type Program,
  startFront,
} from "../deploy/front.ts";
import { instanceStart } from "../deploy/template-unit.ts";
import { type Child, createSource, startChild } from "../faults/child.ts";
import { believe, Load, post } from "../faults/load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "../faults/oracle.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import { OWNER_TOKEN, type TestSource } from "../support/world.ts";
import { createDatabase } from "./databases.ts";

const ROUNDS = process.env.TEST_LONG ? 10 : 1;
const ACKNOWLEDGED = 30;

/** Requests that a node took, of whatever outcome, since it was started. */
async function takenBy(node: Child): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  const counts = text.matchAll(/^headwater_ingest_requests_total\{[^}]*kind="events"[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Milliseconds until a request is taken, from now. */
async function takenAfter(front: Front, source: TestSource): Promise<number> {
  const page = { url: "https://shop.example/" };
  const body = { ingestVersion: 2, sdkVersion: "test", anonymousId: "v", page };
  const startedAt = performance.now();
  await until("a request is taken", async () => {
    const reply = await post(`${front.url}/api/ingest/v2/${source.publicKey}/bootstrap`, body);
    return reply.status === 200;
  });
  return Math.round(performance.now() - startedAt);
}

async function killNodes(t: TestContext, program: Program): Promise<void> {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}, ${ROUNDS} kills, and a rolling restart`);
  const database = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-balanced-"));
  writeFileSync(join(dataDir, "database-url"), database.url);
  writeFileSync(join(dataDir, "owner-token"), OWNER_TOKEN);
  const start = async (port: number) => {
    const { command, environment } = await instanceStart(String(port), dataDir);
    return startChild(dataDir, { command, environment: { OWNER_TOKEN: "", ...environment } });
  };
  const nodes = await Promise.all((await freePorts()).map(start));
  const [first, second] = nodes.map(({ url }) => new URL(url).host) as [string, string];
  const front = await startFront(over(program, second), first);
  believe(front.certificate, NAME);
  try {
    const source = await createSource(nodes[0]!.url);
    await using load = new Load(front.url, source, random);
    const takenMs: number[] = [];
    const signals = [...Array.from({ length: ROUNDS }, () => "SIGKILL" as const), "SIGTERM"] as const;
    for (const [round, signal] of signals.entries()) {
      await load.start();
      const enough = load.acknowledged().length + ACKNOWLEDGED;
      await until(`both nodes take requests in round ${round}`, async () => {
        const taken = await Promise.all(nodes.map(takenBy));
        return taken.every((count) => count > 0) && load.acknowledged().length >= enough;
      });
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 50)));
      const victim = round % 2;
      const { code } = await nodes[victim]!.end(signal);
      if (signal === "SIGTERM") assert.equal(code, 0);
      takenMs.push(await takenAfter(front, source));
      await load.settle();
      nodes[victim] = await start(Number(new URL(nodes[victim]!.url).port));
    }
    checkAnswers(load.sent);
    const once = load.sent.filter(({ tries }) => tries === 1);
    assert.ok(
      once.every(({ results }) => results!.every(({ status }) => status === "accepted")),
      "what a client sent once was sent to one node only",
    );
    await sendAgain(front.url, source, load.sent);
    await checkUsage(nodes[0]!.url, load.sent);
    const found = compare(storedEvents(dataDir), load.sent);
    t.diagnostic(
      `${load.sent.length} batches, ${once.length} of them sent once: ${JSON.stringify(found)}; refused ${JSON.stringify([...load.refused])}`,
    );
    t.diagnostic(`taken again ${takenMs} ms after the kill`);
    assert.deepEqual(found, { stored: load.sent.length * 10, lost: 0, doubled: 0 });
  } finally {
    await front[Symbol.asyncDispose]();
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    await database.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

for (const [name, program] of Object.entries({ nginx: NGINX, Caddy: CADDY })) {
  const [command] = program.command("");
  const skip = !existsSync(command) && `there is no ${command}`;
  it(
    `Nodes that are killed and restarted behind ${name} under load: nothing acknowledged is lost or doubled, and the others take what comes`,
    {
      skip,
    },
    (t) => killNodes(t, program),
  );
}
