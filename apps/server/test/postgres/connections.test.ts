/** Connections to PostgreSQL: which ones are reused, and which poolers and proxies may be in between. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { headwater } from "../cli/command-line.ts";
import { ACTOR, NOW } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  openWorld,
  outcomesOf,
  trackEvent,
} from "../support/world.ts";
import { query } from "./cluster.ts";
import { createDatabase, type Database } from "./databases.ts";
import { startPooler, whyNoPooler } from "./pooler.ts";
import { startRelay } from "./relay.ts";

describe("A connection to PostgreSQL", () => {
  let database: Database;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.remove());

  it("is not reused after a timeout, whether of a `begin` or of a query", async () => {
    await using relay = await startRelay(database.url);
    const ledger = await openPostgresLedger({ url: relay.url });
    const made = { actor: ACTOR, now: NOW, organizationId: "org_1", name: "Shop" };
    const asked = { userId: ACTOR.userId };
    try {
      for (const [text, verb] of [
        ["begin", () => ledger.createOrganization(made)],
        ['"members"', () => ledger.organizationsOf(asked)],
      ] as const) {
        relay.hold(text);
        await assert.rejects(verb(), { name: "StorageError" });
        assert.deepEqual(await ledger.organizationsOf(asked), []);
      }
    } finally {
      await ledger.close();
    }
  });
});

describe("PgBouncer", { skip: whyNoPooler() ?? false }, () => {
  it("works in session mode", async () => {
    const database = await createDatabase();
    await using pooler = await startPooler(database.url);
    await using pooled = await openWorld({ DATABASE_URL: pooler.url });
    await using direct = await openWorld({ DATABASE_URL: database.url });
    const source = await pooled.createSource();
    const sessionId = await pooled.openSession(source);
    const sent = await pooled.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    assert.deepEqual(outcomesOf(sent), ["accepted"]);
    await pooled.server.maintain();
    await direct.ask(`/api/tracking-sources/${source.sourceId}/regenerate-key`, { method: "POST", body: {} });
    await until("the old key is refused by way of the pooler", async () => {
      const { body } = await pooled.send(bootstrapPath(source), bootstrapBody());
      return body.code === "rotated_public_key";
    });
  });

  it("is refused in statement mode", async () => {
    const database = await createDatabase();
    await using pooler = await startPooler(database.url, { pool_mode: "statement" });
    const { code, stderr } = await headwater({ DATABASE_URL: pooler.url, PORT: "0" }, "serve");
    await database.remove();
    assert.equal(code, 78, stderr);
    assert.match(stderr, /statement pooling mode/);
  });
});

describe("A failure that PostgreSQL reports", () => {
  it("is answered with 500 for a bug, and with 503 for a missing privilege", async () => {
    const database = await createDatabase();
    const role = `serves_${database.url.split("/").at(-1)}`;
    await query(database.url, `create role ${role} login`);
    await query(database.url, `grant all on all tables in schema public to ${role}`);
    try {
      await using world = await openWorld({ DATABASE_URL: database.url.replace("postgres@", `${role}@`) });
      const usage = () => world.ask("/api/usage?organizationId=org_default");
      assert.equal((await usage()).status, 200);
      await query(database.url, "alter table usage rename column accepted to elsewhere");
      const bug = await usage();
      assert.deepEqual([bug.status, bug.body.code], [500, "internal_error"]);
      await query(database.url, "alter table usage rename column elsewhere to accepted");
      await query(database.url, `revoke select on usage from ${role}`);
      const barred = await usage();
      assert.deepEqual([barred.status, barred.body.code], [503, "storage_unavailable"]);
    } finally {
      await query(database.url, `drop owned by ${role}`);
      await query(database.url, `drop role ${role}`);
      await database.remove();
    }
  });
});

it("Without a warehouse, the hint of a query names the settings that give several nodes one", async () => {
  const database = await createDatabase();
  try {
    await using world = await openWorld({ DATABASE_URL: database.url, WAREHOUSE: "" });
    const { sourceId } = await world.createSource();
    const { status, body } = await world.ask(`/api/stats/live?sourceId=${sourceId}`);
    assert.deepEqual([status, body.code], [503, "warehouse_off"]);
    assert.match(body.hint, /CLICKHOUSE_URL on every node, or WAREHOUSE=embedded on one/);
  } finally {
    await database.remove();
  }
});
