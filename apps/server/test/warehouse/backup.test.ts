/** `headwater backup` under load, and `headwater restore`: events accepted before the backup are restored, each once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BIN, folder, headwater } from "../cli/command-line.ts";
import { acceptedInUsage, ask, type Child, createSource, startChild } from "../faults/child.ts";
import { Load, type LoadBatch } from "../faults/load.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import { askWarehouse, onWarehouse } from "./ask.ts";

const WAREHOUSE = { WAREHOUSE: "embedded" };
const data = folder();
const [served, copy, restored] = [data.at("served"), data.at("copy"), data.at("restored")];
const idsOf = (batches: LoadBatch[]) =>
  batches.flatMap(({ results }) => results!.map(({ analyticsEventId }) => analyticsEventId));
const run = (dataDir: string, ...words: string[]) => headwater({ DATA_DIR: dataDir, ...WAREHOUSE }, ...words);
const waiting = async ({ url }: Child) => (await ask(url, "/readyz")).body.warehouse.waitingEvents as number;
const nothingWaits = (child: Child) =>
  until("everything is shipped", async () => (await waiting(child)) === 0);

// the processes of these tests inherit it
process.umask(0o022);

let accepted: string[];
before(async () => {
  const child = await startChild(served, { environment: WAREHOUSE });
  const source = await createSource(child.url);
  await using load = new Load(child.url, source, createRandom());
  await load.start();
  const shipped = async () =>
    /^headwater_shipped_events_total [1-9]/m.test(await (await fetch(`${child.url}/metrics`)).text());
  await until("some are shipped", shipped);
  accepted = idsOf(load.acknowledged());
  const { code, stderr, json } = await run(served, "backup", "--to", copy, "--json");
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    json().files.map(({ file }: { file: string }) => file),
    ["ledger.sqlite", "attempts.sqlite", "warehouse"],
  );
  assert.ok(load.acknowledged().length * 10 > accepted.length, "events were accepted during the backup");
  await load.abandon();
  await child.end("SIGKILL");
});
after(() => data[Symbol.dispose]());

test("The file with the password of the running warehouse is readable by its owner only.", () => {
  assert.equal(statSync(join(served, "warehouse", "endpoint.json")).mode & 0o777, 0o600);
});

test("Other users can read neither the warehouse's files nor their backup, even in folders that they can open.", () => {
  const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0;
  for (const folder of [served, copy]) {
    const files = readdirSync(join(folder, "warehouse"), { recursive: true, encoding: "utf8" });
    assert.ok(files.length > 10);
    assert.deepEqual(
      files.filter((name) => isOpen(join(folder, "warehouse", name))),
      [],
    );
  }
});

test("A backup is never overwritten, and an interrupted one is refused.", async () => {
  assert.match((await run(served, "backup", "--to", copy)).stderr, /already exists/);
  mkdirSync(data.at("half"));
  assert.match(
    (await run(restored, "restore", "--from", data.at("half"))).stderr,
    /There is no ledger in --from/,
  );
  assert.ok(!existsSync(restored));
  assert.match((await run(served, "restore", "--from", copy)).stderr, /is not empty/);
});

test("A restore that is killed while it copies the warehouse is refused, and starts over.", async () => {
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: restored, ...WAREHOUSE };
  const first = spawn(process.execPath, [BIN, "restore", "--from", copy], { env, stdio: "ignore" });
  const ended = once(first, "exit");
  await until("the warehouse is there", () => existsSync(join(restored, "warehouse", "data")));
  first.kill("SIGKILL");
  assert.deepEqual(await ended, [null, "SIGKILL"]);
  const { code, stderr } = await run(restored, "serve");
  assert.equal(code, 78);
  assert.match(stderr, /Run `npx headwater restore --from .* again/);
});

test("After a restore, every event accepted before the backup is in the warehouse exactly once.", async () => {
  const { code, stderr } = await run(restored, "restore", "--from", copy);
  assert.equal(code, 0, stderr);
  const child = await startChild(restored, { environment: WAREHOUSE });
  const known = await acceptedInUsage(child.url);
  await nothingWaits(child);
  await child.end("SIGTERM");
  const rows = await askWarehouse(restored, "SELECT analyticsEventId AS id FROM events");
  const held = rows.map(({ id }) => id as string);
  const unique = new Set(held);
  assert.equal(held.length, unique.size, "each once");
  assert.ok(
    held.length >= known,
    `the ledger has accepted ${known} events, the warehouse holds ${held.length}`,
  );
  assert.deepEqual(
    accepted.filter((id) => !unique.has(id)),
    [],
  );
  assert.ok(accepted.length > 100, `${accepted.length} events`);
});

test("Rollups are not restored: they are built again.", async () => {
  await onWarehouse(restored, async (client) => {
    const query =
      "INSERT INTO rollupBuilds (sourceId, day, build, state) VALUES ('src_1', '2026-11-01', 1, 1)";
    await client.command({ query });
  });
  const [whole, third] = [data.at("whole"), data.at("third")];
  assert.equal((await run(restored, "backup", "--to", whole)).code, 0);
  const { code, stderr } = await run(third, "restore", "--from", whole);
  assert.equal(code, 0, stderr);
  const count = "SELECT count() AS rows FROM";
  const rowsOf = async (dataDir: string, table: string) =>
    Number((await askWarehouse(dataDir, `${count} ${table}`))[0].rows);
  assert.equal(await rowsOf(restored, "rollupBuilds"), 1);
  assert.equal(await rowsOf(third, "rollupBuilds"), 0);
  assert.equal(await rowsOf(third, "events"), await rowsOf(restored, "events"));
});

test("A backup works without a running service, and without an embedded warehouse.", async () => {
  const again = data.at("again");
  const { code, stderr, json } = await run(restored, "backup", "--to", again, "--json");
  assert.equal(code, 0, stderr);
  assert.equal(json().files.length, 3);
  const other = await headwater(
    { DATA_DIR: restored, WAREHOUSE: "", CLICKHOUSE_URL: "http://u:p@127.0.0.1:9/x" },
    "backup",
    "--to",
    data.at("other"),
  );
  assert.equal(other.code, 0, other.stderr);
  assert.match(other.stderr, /The warehouse at CLICKHOUSE_URL is not included/);
  assert.ok(!existsSync(join(data.at("other"), "warehouse")));
});
