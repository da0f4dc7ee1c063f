/** The volume of the ledger disappears and returns: no new ledger is created meanwhile, and the old one is used again. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { openSqliteLedger, type SqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { aCommit, entries, NOW, outboxEvents, outcomes } from "../ledger/ledger-home.suite.ts";

const FAILED = { name: "StorageError" };

/** Makes a call fail in both threads, so that they close their connections. */
async function breakBoth(ledger: SqliteLedger, dataDir: string): Promise<void> {
  using beside = new DatabaseSync(ledgerPath(dataDir));
  beside.exec("alter table outbox rename to elsewhere");
  await assert.rejects(ledger.commit(aCommit({ entries: entries(1) })), FAILED);
  beside.exec("alter table elsewhere rename to outbox");
  const unstorable = {
    sourceId: null as unknown as string,
    hour: 0,
    name: "failed",
    count: 1,
    lastSeenAt: 0,
  };
  await assert.rejects(ledger.recordAttempts({ rows: [], counts: [unstorable] }), FAILED);
}

async function assertFailing(ledger: SqliteLedger): Promise<void> {
  await assert.rejects(ledger.commit(aCommit({ entries: entries(1) })), FAILED);
  await assert.rejects(ledger.probe({ now: NOW }), FAILED);
  await assert.rejects(ledger.sessionsById({ sourceId: "src_1", sessionIds: ["ses_1"] }), FAILED);
  await assert.rejects(ledger.sources({ organizationId: "org_1", limit: 1, cursor: null }), FAILED);
  await assert.rejects(ledger.attempts({ sourceId: "src_1", limit: 1 }), FAILED);
  await assert.rejects(ledger.recordAttempts({ rows: [], counts: [] }), FAILED);
}

it("A ledger whose volume is missing fails, creates no new ledger, and works again when the volume is back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "headwater-gone-"));
  const dataDir = join(folder, "data");
  const away = join(folder, "away");
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  try {
    const before = entries(3);
    assert.deepEqual(await outcomes(ledger, { entries: before }), [1, 1, 1]);
    await breakBoth(ledger, dataDir);

    renameSync(dataDir, away);
    await assertFailing(ledger);
    assert.equal(existsSync(dataDir), false, "no folder is created");

    // the mount point without its volume
    mkdirSync(dataDir);
    await assertFailing(ledger);
    assert.deepEqual(readdirSync(dataDir), [], "no file is created");

    rmdirSync(dataDir);
    renameSync(away, dataDir);
    assert.deepEqual(await outcomes(ledger, { entries: before }), [0, 0, 0]);
    assert.equal(await outboxEvents(ledger), 3);
    assert.deepEqual(await ledger.attempts({ sourceId: "src_1", limit: 1 }), []);
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true });
  }
});

it("An empty file in the ledger's place is not used as a new ledger", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-gone-"));
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  try {
    await breakBoth(ledger, dataDir);
    for (const name of readdirSync(dataDir).filter((one) => one.startsWith("ledger.")))
      rmSync(join(dataDir, name));
    new DatabaseSync(ledgerPath(dataDir)).close();
    await assert.rejects(ledger.commit(aCommit({ entries: entries(1) })), FAILED);
  } finally {
    await ledger.close();
    rmSync(dataDir, { recursive: true });
  }
});
