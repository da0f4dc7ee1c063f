/** Migrations of the ledger on SQLite to a later schema keep everything in it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { MIGRATIONS, migrate } from "../../src/ledger/sqlite/migrations.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { aCommit, entries, NOW, outcomes } from "./ledger-home.suite.ts";

const LATER = [...MIGRATIONS, ["alter table usage add column noted text not null default 'later'"]];

/** A ledger with an event, which nobody serves. */
async function storedLedger(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-migration-"));
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  const batch = entries(3);
  assert.deepEqual(await outcomes(ledger, { entries: batch }), [1, 1, 1]);
  await ledger.close();
  const database = new DatabaseSync(ledgerPath(dataDir));
  t.after(() => {
    database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { dataDir, database, batch };
}

test("A migration to the next schema runs once and keeps all rows; the previous version then refuses the ledger", async (t) => {
  const { database } = await storedLedger(t);
  const [from, to] = [MIGRATIONS.length, LATER.length];
  assert.deepEqual(migrate(database, LATER), { from, to });
  assert.deepEqual(migrate(database, LATER), { from: to, to });
  const row = database.prepare("select accepted, noted from usage").get();
  assert.deepEqual({ ...row }, { accepted: 3, noted: "later" });
  assert.throws(() => migrate(database), /has schema 2, but this program knows only 1\. .* newer Headwater/);
});

test("A migration that fails changes nothing, and the ledger is served as before", async (t) => {
  const { dataDir, database, batch } = await storedLedger(t);
  const failing = [...MIGRATIONS, [...LATER.at(-1)!, "no statement"]];
  assert.throws(() => migrate(database, failing), /syntax error/);
  assert.deepEqual(migrate(database), { from: MIGRATIONS.length, to: MIGRATIONS.length });
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  assert.deepEqual([...(await ledger.commit(aCommit({ entries: batch })))], [0, 0, 0]);
  await ledger.close();
});
