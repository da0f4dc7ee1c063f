/** The schema on PostgreSQL, whoever brings it up to date. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { LOCKS, openConnection } from "../../src/ledger/postgres/connections.ts";
import { migrate, readSchemaVersion } from "../../src/ledger/postgres/migrations.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { until } from "../faults/child.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

const ROUNDS = 5;
const PATIENCE_MS = 30_000;

it("Two versions that start at once on an empty database end with the newer schema; the older one may be refused", async () => {
  const { url: existing, remove } = await createDatabase();
  const admin = existing.replace(/\/[^/]*$/, "/postgres");
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `migrated_${randomBytes(6).toString("hex")}`;
      await query(admin, `create database ${name} template template0`);
      const url = admin.replace(/\/[^/]*$/, `/${name}`);
      const [older, newer] = await Promise.all([openConnection(url), openConnection(url)]);
      const [old, made] = await Promise.allSettled([migrate(older, 1), migrate(newer)]);
      assert.equal(made.status, "fulfilled");
      if (old.status === "rejected") assert.match(String(old.reason), /Start the newer Headwater/);
      assert.equal(await readSchemaVersion(newer), made.value.to);
      await assert.rejects(migrate(older, 1), /Start the newer Headwater/);
      await Promise.all([older.end(), newer.end()]);
      await query(admin, `drop database ${name}`);
    }
  } finally {
    await remove();
  }
});

it("A migration that waits for a table does not block queries, and finishes when the table is free", async () => {
  const { url: existing, remove } = await createDatabase();
  const admin = existing.replace(/\/[^/]*$/, "/postgres");
  const name = `migrated_${randomBytes(6).toString("hex")}`;
  await query(admin, `create database ${name} template template0`);
  const url = admin.replace(/\/[^/]*$/, `/${name}`);
  const [dump, node, reader] = await Promise.all([
    openConnection(url),
    openConnection(url),
    openConnection(url),
  ]);
  try {
    await migrate(node, 1);
    await dump.query("set idle_in_transaction_session_timeout = 0");
    await dump.query("begin; lock table sources in access share mode");
    const migrating = migrate(node);
    const waits = "select from pg_locks where relation = 'sources'::regclass and not granted";
    await until("the migration waits", PATIENCE_MS, async () => (await reader.query(waits)).rowCount);
    await reader.query(`set statement_timeout = ${PATIENCE_MS}`);
    await reader.query("select count(*) from sources");
    await dump.query("commit");
    assert.equal((await migrating).to, await readSchemaVersion(reader));
  } finally {
    await Promise.all([dump.end(), node.end(), reader.end()]);
    await query(admin, `drop database ${name}`);
    await remove();
  }
});

it("A migration waits for running commits without a deadlock", async () => {
  const { url: existing, remove } = await createDatabase();
  const admin = existing.replace(/\/[^/]*$/, "/postgres");
  const name = `migrated_${randomBytes(6).toString("hex")}`;
  await query(admin, `create database ${name} template template0`);
  const url = admin.replace(/\/[^/]*$/, `/${name}`);
  const [commit, node, reader] = await Promise.all([
    openConnection(url),
    openConnection(url),
    openConnection(url),
  ]);
  try {
    await migrate(node, 12);
    await node.query("insert into key_generations values (1, 0)");
    await commit.query("begin; set local deadlock_timeout = '10ms'");
    await commit.query("select pg_advisory_xact_lock_shared($1, $2)", [...LOCKS.keys]);
    await commit.query("select * from key_generations");
    const migrating = migrate(node);
    const waits = "select from pg_locks where not granted";
    await until("the migration waits", PATIENCE_MS, async () => (await reader.query(waits)).rowCount);
    await commit.query("insert into event_keys values (1, gen_random_uuid(), 1); commit");
    assert.equal((await migrating).to, await readSchemaVersion(reader));
    assert.deepEqual((await reader.query("select slot from key_generations")).rows, [{ slot: 1 }]);
  } finally {
    await Promise.all([commit.end(), node.end(), reader.end()]);
    await query(admin, `drop database ${name}`);
    await remove();
  }
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
