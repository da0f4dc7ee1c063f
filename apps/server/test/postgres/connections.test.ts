/** What becomes of connections to PostgreSQL: which are used again, and what may stand in between. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { headwater } from "../cli/command-line.ts";
import { until } from "../faults/child.ts";
import { ACTOR, NOW } from "../ledger/ledger-home.suite.ts";
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

const SEEN_MS = 10_000;

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

  it("works through PgBouncer in session mode, including notifications", {
    skip: whyNoPooler() ?? false,
  }, async () => {
    await using pooler = await startPooler(database.url);
    await using pooled = await openWorld({ DATABASE_URL: pooler.url });
    await using direct = await openWorld({ DATABASE_URL: database.url });
    const source = await pooled.createSource();
    const sessionId = await pooled.openSession(source);
    const sent = await pooled.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    assert.deepEqual(outcomesOf(sent), ["accepted"]);
    await pooled.server.maintain();
    const [{ limited }] = (await query(
      database.url,
      "select count(*)::int as limited from pg_stat_activity where application_name = 'headwater' and datname = current_database()",
    )) as [{ limited: number }];
    assert.ok(limited > 2);
    await direct.ask(`/api/tracking-sources/${source.sourceId}/regenerate-key`, { method: "POST", body: {} });
    await until("the old key is refused by way of the pooler", SEEN_MS, async () => {
      const { body } = await pooled.send(bootstrapPath(source), bootstrapBody());
      return body.code === "rotated_public_key";
    });
  });
});

describe("PgBouncer that gives a connection no session of its own", { skip: whyNoPooler() ?? false }, () => {
  for (const [mode, settings] of [
    ["transaction mode", { pool_mode: "transaction" }],
    ["transaction mode, sessions in turn", { pool_mode: "transaction", server_round_robin: "1" }],
    ["statement mode", { pool_mode: "statement" }],
  ] as const)
    it(`is refused at the start, and by commands: ${mode}`, async () => {
      const database = await createDatabase();
      try {
        await using pooler = await startPooler(database.url, settings);
        for (const words of [["serve"], ["source", "list"], ["migrate"]]) {
          const { code, stderr } = await headwater({ DATABASE_URL: pooler.url, PORT: "0" }, ...words);
          assert.equal(code, 78, stderr);
          assert.match(
            stderr,
            /pooler in transaction or statement mode.*`pool_mode` to session, or set DATABASE_URL/,
          );
        }
      } finally {
        await database.remove();
      }
    });

  it("makes a running service unready when it is restarted in that mode, until its mode is session again", async () => {
    const database = await createDatabase();
    const lines: { level: number; msg: string; err?: { message: string } }[] = [];
    const logStream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    try {
      await using pooler = await startPooler(database.url);
      await using world = await openWorld({ DATABASE_URL: pooler.url, LOG_LEVEL: "error" }, { logStream });
      const readyz = () => world.ask("/readyz", { token: null });
      assert.equal((await readyz()).status, 200);
      await pooler.restart({ pool_mode: "transaction" }, () =>
        until(
          "the service has seen that the pooler is away",
          SEEN_MS,
          async () => (await readyz()).status === 503,
        ),
      );
      const isNamed = () =>
        lines.some(
          ({ msg, err }) =>
            msg === "the service is not ready" && /pooler in transaction/.test(err?.message ?? ""),
        );
      await until("the log names the pooler's mode", SEEN_MS, isNamed);
      const named = lines.map(({ err }) => err?.message.match(/pooler in transaction/g)?.length ?? 0);
      assert.equal(Math.max(...named), 1, "a line names the cause once");
      const { status, body } = await readyz();
      assert.deepEqual([status, body.code], [503, "storage_unavailable"]);
      const answers = await Promise.all(Array.from({ length: 40 }, () => world.ask("/api/organizations")));
      assert.deepEqual(
        answers.filter(({ status }) => status === 500),
        [],
        "it is no bug of the service",
      );
      await pooler.restart({ pool_mode: "session" });
      await until("the service is ready again", SEEN_MS, async () => (await readyz()).status === 200);
    } finally {
      await database.remove();
    }
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

it("Without a warehouse, the hint of a query names no setting that PostgreSQL does not allow", async () => {
  const database = await createDatabase();
  try {
    await using world = await openWorld({ DATABASE_URL: database.url, WAREHOUSE: "" });
    const { sourceId } = await world.createSource();
    const { status, body } = await world.ask(`/api/stats/live?sourceId=${sourceId}`);
    assert.deepEqual([status, body.code], [503, "warehouse_off"]);
    assert.match(body.hint, /CLICKHOUSE_URL/);
    assert.doesNotMatch(body.hint, /embedded/);
  } finally {
    await database.remove();
  }
});
