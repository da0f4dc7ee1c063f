/** Migrations of the warehouse to a later schema keep everything in it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../../src/clickhouse/client.ts";
import { onCluster } from "../../src/clickhouse/cluster.ts";
import { MIGRATIONS, migrate } from "../../src/clickhouse/migrate.ts";
import { newFolder } from "./store.ts";
import { clearTestWarehouse, startTestWarehouse } from "./test-warehouse.ts";

const LATER: typeof MIGRATIONS = [
  ...MIGRATIONS,
  (target) => [
    `ALTER TABLE ${target.database}.longSessions${onCluster(target)} ADD COLUMN IF NOT EXISTS noted String DEFAULT 'later'`,
  ],
];

test("A migration to the next schema runs once and keeps all rows; the previous version then refuses the warehouse", async () => {
  const folder = join(newFolder(), "warehouse");
  const { endpoint, end, ended } = await startTestWarehouse(folder);
  const client = connect(endpoint);
  try {
    const [from, to] = [MIGRATIONS.length, LATER.length];
    assert.deepEqual(await migrate(endpoint), { from: 0, to: from });
    await client.command({ query: "INSERT INTO longSessions VALUES ('src_1', 1)" });
    assert.deepEqual(await migrate(endpoint, LATER), { from, to });
    assert.deepEqual(await migrate(endpoint, LATER), { from: to, to });
    const rows = await client.query({ query: "SELECT * FROM longSessions", format: "JSONEachRow" });
    assert.deepEqual(await rows.json(), [{ sourceId: "src_1", session: 1, noted: "later" }]);
    await assert.rejects(
      migrate(endpoint),
      /has schema version 2, but this program knows only 1\. A newer Headwater/,
    );
  } finally {
    await client.close();
    end();
    await ended;
    await clearTestWarehouse(folder);
  }
});
