/** A start that fails exits with 78 if only a person can mend it, so that a process manager leaves it stopped. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { connect } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import { migrate } from "../../src/clickhouse/migrate.ts";
import { makeReadOnly, whyNotReadOnly } from "../faults/volume.ts";
import { settingsOf } from "../warehouse/test-warehouse.ts";
import { BIN, folder, headwater, type Settings, serve } from "./command-line.ts";

/** Starts a service that must not start. @returns its only message */
async function refusedStart(settings: Settings): Promise<string> {
  const { code, stderr } = await headwater({ HOST: "127.0.0.1", PORT: "0", ...settings }, "serve");
  assert.equal(code, 78, stderr);
  return stderr;
}

/** A folder with the files of a service that has run. */
async function served() {
  const data = folder();
  await (await serve({ DATA_DIR: data.path })).stop();
  return data;
}

test("A start on a ledger with a newer schema exits with 78.", async () => {
  using data = await served();
  const ledger = new DatabaseSync(data.at("ledger.sqlite"));
  ledger.exec("pragma user_version = 9999");
  ledger.close();
  const message = await refusedStart({ DATA_DIR: data.path });
  assert.match(message, /^The ledger has schema 9999, .* Start the newer Headwater that wrote it\.\n$/);
});

describe("A start with a warehouse of a newer schema exits with 78", () => {
  const NEWER = /The warehouse has schema version 9999, .* Start the newer Headwater that wrote it\.\n/;

  /** Starts an engine on the folder whose schema is newer. */
  async function startNewer(path: string): Promise<AsyncDisposable & { settings: Settings }> {
    const { endpoint, end, ended } = await startEmbedded({
      folder: path,
      memoryBytes: 500_000_000,
      threads: 1,
    });
    await migrate(endpoint);
    const client = connect(endpoint);
    await client.command({ query: "INSERT INTO migrations (number) VALUES (9999)" });
    await client.close();
    const stop = async () => {
      end();
      await ended;
    };
    return { settings: settingsOf(endpoint), [Symbol.asyncDispose]: stop };
  }

  test("embedded", async () => {
    using data = await served();
    await (await startNewer(data.at("warehouse")))[Symbol.asyncDispose]();
    const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
    assert.match(await refusedStart(settings), NEWER);
    const { code, stderr } = await headwater(settings, "check-warehouse");
    assert.equal(code, 78, stderr);
    assert.match(stderr, NEWER);
  });

  test("on a server", async () => {
    using data = await served();
    await using server = await startNewer(data.at("server"));
    assert.match(await refusedStart({ DATA_DIR: data.path, ...server.settings }), NEWER);
  });
});

test("A start on a folder that another process serves exits with 78.", async () => {
  using data = folder();
  const service = await serve({ DATA_DIR: data.path });
  assert.match(await refusedStart({ DATA_DIR: data.path }), /^Another Headwater process serves DATA_DIR/);
  await service.stop();
});

test("A start on a port that another process uses exits with 78.", async () => {
  using data = folder();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const message = await refusedStart({ DATA_DIR: data.path, PORT: String(port) });
  taken.close();
  assert.match(
    message,
    /is in use, perhaps by another Headwater process\. Stop it, or set PORT to a free port, .+\n$/,
  );
});

test("A start on a read-only file system exits with 78.", { skip: whyNotReadOnly() ?? false }, async () => {
  using data = await served();
  using _ = makeReadOnly(data.path);
  const message = await refusedStart({ DATA_DIR: data.path });
  assert.match(
    message,
    /^DATA_DIR \S+ cannot be used: .*read-?only.*\. The service's user must be able to read and write its files/i,
  );
});

test("A start on a Node that is too old exits with 78.", async () => {
  const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'22.1.0'})";
  // the npm package with a Node would be used instead: this copy of the launcher has none beside it
  using data = folder();
  for (const name of ["headwater.js", "require-node.js"])
    copyFileSync(join(dirname(BIN), name), data.at(name));
  const child = execFile(process.execPath, ["--import", older, data.at("headwater.js"), "serve"]);
  let said = "";
  child.stderr!.on("data", (text) => {
    said += text;
  });
  assert.deepEqual(await once(child, "close"), [78, null]);
  assert.match(said, /Headwater needs Node 24\.15 or later, and this is 22\.1\.0: /);
});
