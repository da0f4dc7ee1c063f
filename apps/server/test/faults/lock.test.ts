/** Starts that are refused: a data directory in use, a SQLite version with a bug, a schema of a newer version. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { ledgerPath, openDatabase, sqliteProblem, sqliteVersion } from "../../src/ledger/sqlite/database.ts";
import { migrate } from "../../src/ledger/sqlite/migrations.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { ask, startChild } from "./child.ts";

const temporary = () => mkdtempSync(join(tmpdir(), "headwater-lock-"));
const schemaOf = (database: DatabaseSync) =>
  database.prepare("select type, name, sql from sqlite_schema order by name").all();

describe("A data directory", () => {
  it("is refused to a second process with one sentence while it is in use, and is free after the first was killed", async (t) => {
    const dataDir = temporary();
    let first = await startChild(dataDir);
    try {
      const refused = await startChild(dataDir).then(
        () => assert.fail("a second process serves the same folder"),
        (error: Error) => error.message,
      );
      t.diagnostic(refused);
      assert.match(refused, /Another Headwater process serves DATA_DIR .+Stop it,/);
      assert.ok(!/\n\s+at /.test(refused), "one sentence without a stack trace");
      assert.equal((await ask(first.url, "/api/organizations")).status, 200, "the first still serves");
      await first.end("SIGKILL");
      first = await startChild(dataDir);
      assert.equal((await first.end("SIGTERM")).code, 0);
    } finally {
      await first.end("SIGKILL");
      rmSync(dataDir, { recursive: true });
    }
  });

  it("is free again after a refused start, and after a stop", async () => {
    const dataDir = temporary();
    const now = Date.now();
    const ledger = await openSqliteLedger({ dataDir, now });
    await assert.rejects(openSqliteLedger({ dataDir, now }), { message: /Another Headwater process/ });
    await ledger.close();
    await (await openSqliteLedger({ dataDir, now })).close();
    rmSync(dataDir, { recursive: true });
  });
});

describe("The SQLite that Node brings", () => {
  it("is refused with advice when it is older than 3.51.3 or is the withdrawn 3.52.0", () => {
    for (const version of ["3.7.17", "3.45.0", "3.51.2", "3.51", "3.52.0"]) {
      assert.match(sqliteProblem(version) ?? "", /can corrupt the ledger.+Use Node 24\.15 or later/, version);
    }
    for (const version of ["3.51.3", "3.51.10", "3.52.1", "3.53.0", "3.100.0", "4.0.0"]) {
      assert.equal(sqliteProblem(version), null, version);
    }
    assert.equal(sqliteProblem(sqliteVersion()), null);
  });
});

describe("The ledger's schema", () => {
  it("is unchanged, byte for byte, by a second migration", () => {
    const dataDir = temporary();
    const first = openDatabase(dataDir);
    const schema = schemaOf(first);
    const { to } = migrate(first);
    first.close();
    const digest = () =>
      createHash("sha256")
        .update(readFileSync(ledgerPath(dataDir)))
        .digest("hex");
    const before = digest();
    const second = openDatabase(dataDir);
    assert.deepEqual(migrate(second), { from: to, to });
    assert.deepEqual(schemaOf(second), schema);
    second.close();
    assert.equal(digest(), before);
    rmSync(dataDir, { recursive: true });
  });

  it("is refused with one sentence and left unchanged when its version is newer", async (t) => {
    const dataDir = temporary();
    const database = openDatabase(dataDir);
    database.exec("pragma user_version = 999");
    database.close();
    const refused = await startChild(dataDir).then(
      () => assert.fail("it serves with a schema of an unknown version"),
      (error: Error) => error.message,
    );
    t.diagnostic(refused);
    assert.match(refused, /written by a newer Headwater/);
    assert.ok(!/\n\s+at /.test(refused), "one sentence without a stack trace");
    const left = new DatabaseSync(ledgerPath(dataDir), { readOnly: true });
    assert.deepEqual({ ...left.prepare("pragma user_version").get() }, { user_version: 999 });
    left.close();
    rmSync(dataDir, { recursive: true });
  });
});
