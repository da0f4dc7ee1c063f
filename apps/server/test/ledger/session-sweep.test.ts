/** Expired sessions are deleted as fast as they can be created. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { LIMITS } from "@headwater/contract/limits";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

it("One maintenance deletes 100,000 expired sessions, and no others", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-sweep-"));
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  using beside = new DatabaseSync(ledgerPath(dataDir));
  try {
    const past = NOW - LIMITS.sessionRetentionSeconds * 1_000 - 1;
    const many = (from: number, to: number, at: number) =>
      beside.exec(`insert into sessions
        with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
        select 'src_1', printf('ses_%07d', i), 'visitor', null, ${at}, ${at}, '{}' from n`);
    many(1, 100_000, past);
    many(100_001, 100_010, NOW);
    await ledger.maintain({ now: NOW });
    const { left } = beside.prepare("select count(*) as left from sessions").get() as { left: number };
    assert.equal(left, 10);
  } finally {
    await ledger.close();
    rmSync(dataDir, { recursive: true });
  }
});
