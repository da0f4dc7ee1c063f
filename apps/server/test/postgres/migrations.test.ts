/** The schema on PostgreSQL, whoever brings it up to date. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type pg from "pg";
import { LOCKS, openConnection } from "../../src/ledger/postgres/connections.ts";
import { MIGRATIONS, migrate, readSchemaVersion } from "../../src/ledger/postgres/migrations.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { entries, outcomes } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { query } from "./cluster.ts";
import { createDatabase, createEmptyDatabase, type Database } from "./databases.ts";

const ROUNDS = 5;
const PATIENCE_MS = 30_000;
const LATER = [...MIGRATIONS, ["alter table usage add column noted text not null default 'later'"]];

/** Three connections to a database, which are closed before it is removed. */
async function withConnections(
  { url, remove }: Database,
  work: (...clients: [pg.Client, pg.Client, pg.Client]) => Promise<void>,
): Promise<void> {
  const clients = await Promise.all([openConnection(url), openConnection(url), openConnection(url)]);
  try {
    await work(...clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await remove();
  }
}

const untilMigrationWaits = (client: pg.Client) =>
  until("the migration waits", async () => {
    const { rowCount } = await client.query("select from pg_locks where not granted");
    return rowCount;
  });

it("A migration to the next schema runs once and keeps all rows; the previous version then refuses the ledger", async () => {
  const database = await createDatabase();
  const ledger = await openPostgresLedger({ url: database.url });
  assert.deepEqual(await outcomes(ledger, { entries: entries(3) }), [1, 1, 1]);
  await ledger.close();
  await withConnections(database, async (client) => {
    const [from, to] = [MIGRATIONS.length, LATER.length];
    assert.deepEqual(await migrate(client, LATER), { from, to });
    assert.deepEqual(await migrate(client, LATER), { from: to, to });
    const { rows } = await client.query("select accepted, noted from usage");
    assert.deepEqual(rows, [{ accepted: 3, noted: "later" }]);
    await assert.rejects(openPostgresLedger({ url: database.url }), /Start the newer Headwater/);
  });
});

it("Two versions that start at once on an empty database end with the newer schema; the older one may be refused", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await withConnections(await createEmptyDatabase(), async (older, newer) => {
      const [old, made] = await Promise.allSettled([migrate(older), migrate(newer, LATER)]);
      assert.equal(made.status, "fulfilled");
      if (old.status === "rejected") assert.match(String(old.reason), /Start the newer Headwater/);
      assert.equal(await readSchemaVersion(newer), LATER.length);
      await assert.rejects(migrate(older), /Start the newer Headwater/);
    });
  }
});

it("A migration that waits for a table does not block queries, and finishes when the table is free", async () => {
  await withConnections(await createDatabase(), async (dump, node, reader) => {
    await dump.query("set idle_in_transaction_session_timeout = 0");
    await dump.query("begin; lock table usage in access share mode");
    const migrating = migrate(node, LATER);
    await untilMigrationWaits(reader);
    await reader.query(`set statement_timeout = ${PATIENCE_MS}`);
    await reader.query("select count(*) from usage");
    await dump.query("commit");
    assert.equal((await migrating).to, await readSchemaVersion(reader));
  });
});

it("A migration whose table stays locked says so, and changes nothing", async () => {
  await withConnections(await createDatabase(), async (dump, node) => {
    await dump.query("begin; lock table usage in access share mode");
    await assert.rejects(
      migrate(node, LATER, 1),
      /another session has locked one of its tables.*Nothing was changed/,
    );
    assert.equal(await readSchemaVersion(node), MIGRATIONS.length);
  });
});

it("A migration waits for running commits without a deadlock", async () => {
  await withConnections(await createDatabase(), async (commit, node, reader) => {
    await commit.query("begin; set local deadlock_timeout = '10ms'");
    await commit.query("select pg_advisory_xact_lock_shared($1, $2)", [...LOCKS.keys]);
    await commit.query("select * from key_generations");
    const changes = ["event_keys_1", "key_generations"].map((table) => `alter table ${table} add noted text`);
    const migrating = migrate(node, [...MIGRATIONS, changes]);
    await untilMigrationWaits(reader);
    await commit.query("insert into event_keys_1 values (gen_random_uuid()); commit");
    assert.equal((await migrating).to, await readSchemaVersion(reader));
  });
});

it("Maintenance deletes the rows of dead nodes, and a node that closes deletes its own", async () => {
  const { url, remove } = await createDatabase();
  const nodes = async () => (await query(url, "select node_id from nodes")).map((row) => row.node_id);
  const ledger = await openPostgresLedger({ url });
  try {
    await query(url, "insert into nodes values ('dead', clock_timestamp() - interval '10 minutes')");
    await query(url, "insert into nodes values ('silent', clock_timestamp() - interval '10 seconds')");
    await ledger.maintain({ now: Date.now() });
    assert.deepEqual((await nodes()).includes("dead"), false);
    assert.deepEqual((await nodes()).includes("silent"), true);
  } finally {
    const late = ledger.probe({ now: Date.now() });
    await ledger.close();
    await late;
  }
  assert.deepEqual(await nodes(), ["silent"]);
  await remove();
});
