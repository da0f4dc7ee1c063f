/** Two nodes on one PostgreSQL: one truth, and each soon knows what the other did. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { ask, type Child, createSource, startChild } from "../faults/child.ts";
import {
  bodyOf,
  type LoadBatch,
  type LoadResult,
  makeBatch,
  openVisitor,
  post,
  send,
} from "../faults/load.ts";
import { compare, storedEvents } from "../faults/oracle.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  MINUTE,
  ORGANIZATION_ID,
  OWNER_TOKEN,
  openWorld,
  outcomesOf,
  type TestSource,
  trackEvent,
  type World,
} from "../support/world.ts";
import { query } from "./cluster.ts";
import { createDatabase, type Database } from "./databases.ts";
import { type Pooler, startPooler, whyNoPooler } from "./pooler.ts";

/** An accepted event as it is in the outbox. */
async function storedEventOf(url: string, eventId: string): Promise<{ userId: string | null }> {
  const pages = await query<{ payload: Buffer }>(url, "select payload from outbox order by seq desc");
  const events = pages.flatMap(({ payload }) =>
    zstdDecompressSync(payload)
      .toString()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  return events.find((event) => event.eventId === eventId);
}

interface TakenReply {
  results: LoadResult[];
  /** More than 1: PostgreSQL did not answer in time, on a machine with other work. */
  tries: number;
}

function sendUntilTaken(url: string, body: unknown): Promise<TakenReply> {
  let tries = 0;
  return until("a batch is taken", async () => {
    tries += 1;
    const reply = await send(url, body);
    assert.ok(reply.status === 200 || reply.body.retryable === true, JSON.stringify(reply.body));
    return reply.status === 200 && { results: reply.body.results as LoadResult[], tries };
  });
}

const BATCHES = process.env.TEST_LONG ? 10_000 : 400;
const CLIENTS = 32;

/** Sessions in turn: no transaction of a connection runs in the session of the one before it. */
const IN_TURN = { pool_mode: "transaction", server_round_robin: "1", default_pool_size: "8" };
const WAYS = [
  { way: "", skip: false, settings: null },
  { way: " behind PgBouncer in transaction mode", skip: whyNoPooler() ?? false, settings: IN_TURN },
];

for (const { way, skip, settings } of WAYS)
  describe(`Two nodes on one PostgreSQL${way}`, { skip }, () => {
    let database: Database;
    let pooler: Pooler | null = null;
    let dataDir: string;
    let nodes: Child[];
    let source: TestSource;
    const random = createRandom();

    before(async () => {
      database = await createDatabase();
      dataDir = mkdtempSync(join(tmpdir(), "headwater-nodes-"));
      writeFileSync(join(dataDir, "database-url"), database.url);
      if (settings) pooler = await startPooler(database.url, settings);
      const environment = { DATABASE_URL: pooler?.url ?? database.url };
      nodes = await Promise.all([startChild(dataDir, { environment }), startChild(dataDir, { environment })]);
      source = await createSource(nodes[0]!.url);
    });
    after(async () => {
      const ends = await Promise.all(nodes.map((node) => node.end("SIGTERM")));
      await pooler?.[Symbol.asyncDispose]();
      const left = await query(database.url, "select from nodes");
      await database.remove();
      rmSync(dataDir, { recursive: true, force: true });
      assert.deepEqual([ends.map(({ code }) => code), left], [[0, 0], []]);
    });
    const both = <T>(work: (node: Child) => Promise<T>) => Promise.all(nodes.map(work));

    it("that start at once on an empty ledger create one workspace and one owner", async () => {
      const [{ made }] = (await query(database.url, "select count(*)::int as made from organizations")) as [
        { made: number },
      ];
      assert.equal(made, 1);
      await both(async ({ url }) => assert.equal((await ask(url, "/api/organizations")).status, 200));
    });

    it("accept each event once when clients send the same batches to both at once", async (t) => {
      t.diagnostic(`seed ${random.seed}, ${BATCHES} batches, ${CLIENTS} clients`);
      const visitors = await Promise.all(
        Array.from({ length: CLIENTS }, () => openVisitor(nodes[0]!.url, source)),
      );
      const sent: LoadBatch[] = [];
      const startedAt = performance.now();
      const client = async () => {
        // made one by one: while all are made at once, connections would be idle for too long
        while (sent.length < BATCHES) {
          const batch = makeBatch(source, random.pick(visitors), random);
          sent.push(batch);
          const body = bodyOf(batch);
          const [one, other] = await both(({ url }) =>
            sendUntilTaken(`${url}/api/ingest/v2/${source.publicKey}/events`, body),
          );
          const isFirstTry = one!.tries === 1 && other!.tries === 1;
          for (const [index, first] of one!.results.entries()) {
            const second = other!.results[index]!;
            const statuses = [first.status, second.status].sort();
            // a commit whose answer came too late may have been made
            if (isFirstTry) assert.deepEqual(statuses, ["accepted", "duplicate"]);
            else assert.ok(statuses.includes("duplicate"), String(statuses));
            assert.equal(first.analyticsEventId, second.analyticsEventId);
          }
          batch.results = one!.results;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const seconds = (performance.now() - startedAt) / 1_000;
      assert.deepEqual(compare(storedEvents(dataDir), sent), { stored: BATCHES * 10, lost: 0, doubled: 0 });
      const { body: usage } = await ask(nodes[1]!.url, `/api/usage?organizationId=${ORGANIZATION_ID}`);
      assert.equal(usage.accepted, BATCHES * 10);
      const [{ deadlocks }] = (await query(
        database.url,
        "select deadlocks::int from pg_stat_database where datname = current_database()",
      )) as [{ deadlocks: number }];
      assert.equal(deadlocks, 0);
      t.diagnostic(`${BATCHES} batches to both nodes in ${seconds.toFixed(1)} s, no deadlock`);
    });

    /** How long a change that was made on the first node takes to show on the second. */
    async function seenAfter(what: string, isSeen: () => Promise<boolean>): Promise<number> {
      const startedAt = performance.now();
      await until(what, isSeen);
      return Math.round(performance.now() - startedAt);
    }
    const bootstrap = async (node: Child, publicKey: string) => {
      const page = { url: "https://shop.example/" };
      const body = { ingestVersion: 2, sdkVersion: "test", anonymousId: "v", page };
      return post(`${node.url}/api/ingest/v2/${publicKey}/bootstrap`, body);
    };

    for (const state of ["as usual", "after the connection by which it learns of changes was cut"]) {
      it(`stop a rotated key on the other node within a second, ${state}`, async (t) => {
        const own = await createSource(nodes[0]!.url);
        assert.equal((await bootstrap(nodes[1]!, own.publicKey)).status, 200);
        if (state !== "as usual") {
          await query(
            database.url,
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'with own as (%'",
          );
        }
        assert.equal(
          (await ask(nodes[0]!.url, `/api/tracking-sources/${own.sourceId}/regenerate-key`, {})).status,
          200,
        );
        const ms = await seenAfter(
          "the old key is refused",
          async () => (await bootstrap(nodes[1]!, own.publicKey)).body.code === "rotated_public_key",
        );
        t.diagnostic(`seen after ${ms} ms`);
      });
    }

    it("apply a tracking plan that was saved on the other node", async () => {
      const own = await createSource(nodes[0]!.url);
      const visitor = await openVisitor(nodes[1]!.url, own);
      const outcome = async () => {
        const body = eventsBody(visitor.sessionId, [trackEvent({ name: "order" })], {
          anonymousId: visitor.anonymousId,
        });
        return (await post(`${nodes[1]!.url}/api/ingest/v2/${own.publicKey}/events`, body)).body.results[0]
          .code;
      };
      assert.equal(await outcome(), null);
      const events = { order: { schema: { required: ["price"] } } };
      const { status } = await fetch(`${nodes[0]!.url}/api/tracking-sources/${own.sourceId}/plan`, {
        method: "PUT",
        headers: { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ plan: { mode: "reject", unknownEvents: "allow", events } }),
      });
      assert.equal(status, 200);
      await seenAfter("the event is rejected", async () => (await outcome()) === "plan_violation");
    });

    it("stop a revoked token on the other node", async () => {
      const label = "to be revoked";
      const { body: made } = await ask(nodes[0]!.url, "/api/tokens", {
        organizationId: ORGANIZATION_ID,
        label,
      });
      const asIt = async () =>
        (
          await fetch(`${nodes[1]!.url}/api/organizations`, {
            headers: { authorization: `Bearer ${made.token}` },
          })
        ).status;
      assert.equal(await asIt(), 200);
      await fetch(`${nodes[0]!.url}/api/tokens/${made.tokenId}?organizationId=${ORGANIZATION_ID}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${OWNER_TOKEN}` },
      });
      await seenAfter("the token is refused", async () => (await asIt()) === 401);
    });

    it("show in the debug stream of one node what the other was sent", async () => {
      const own = await createSource(nodes[0]!.url);
      const over = new AbortController();
      const stream = await fetch(`${nodes[1]!.url}/api/tracking-sources/${own.sourceId}/debug/stream`, {
        headers: { authorization: `Bearer ${OWNER_TOKEN}` },
        signal: over.signal,
      });
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      const { body: answer } = await bootstrap(nodes[0]!, own.publicKey);
      let said = "";
      while (!said.includes(answer.attemptId)) {
        const { value, done } = await reader.read();
        assert.ok(!done, "the stream ended");
        said += value;
      }
      over.abort();
    });
  });

describe("Two nodes with one clock", () => {
  const time = drivenClock();
  let database: Database;
  let nodes: [World, World];
  before(async () => {
    database = await createDatabase();
    const environment = {
      DATABASE_URL: database.url,
      CLIENT_RATE_BURST: "200",
      CLIENT_RATE_PER_SECOND: "50",
    };
    nodes = [
      await openWorld(environment, { clock: time.clock }),
      await openWorld(environment, { clock: time.clock }),
    ];
  });
  after(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    await database.remove();
  });

  it("resume a session that the other node kept alive, with the user that the other node stored", async () => {
    const [one, other] = nodes;
    const source = await one.createSource();
    const sessionId = await one.openSession(source);
    time.advance(20 * MINUTE);
    const identified = eventsBody(sessionId, [trackEvent({}, time.now())], { userId: "user-1" }, time.now());
    assert.deepEqual(outcomesOf(await other.send(eventsPath(source), identified)), ["accepted"]);
    time.advance(20 * MINUTE);
    const { body } = await one.send(bootstrapPath(source), bootstrapBody({ sessionId }));
    assert.deepEqual([body.sessionResumed, body.identifiedUserId], [true, "user-1"]);
  });

  it("store events with the user that the other node stored, whatever their caches hold", async () => {
    const [one, other] = nodes;
    const source = await one.createSource();
    const sessionId = await one.openSession(source);
    const send = async (node: World, over: Record<string, unknown> = {}) => {
      const event = trackEvent({}, time.now());
      const sent = await node.send(eventsPath(source), eventsBody(sessionId, [event], over, time.now()));
      assert.deepEqual(outcomesOf(sent), ["accepted"]);
      return (await storedEventOf(database.url, event.id)).userId;
    };
    assert.deepEqual([await send(one), await send(other)], [null, null], "both remember it");
    for (const [teller, told, userId] of [
      [one, other, "user-1"],
      [other, one, "user-2"],
    ] as const) {
      assert.equal(await send(teller, { userId }), userId);
      await until("the other one knows", async () => (await send(told)) === userId);
    }
  });

  it("accept events of a session that only the other node has seen active", async () => {
    const [one, other] = nodes;
    const source = await one.createSource();
    const sessionId = await one.openSession(source);
    const send = (node: World) =>
      node.send(eventsPath(source), eventsBody(sessionId, [trackEvent({}, time.now())], {}, time.now()));
    time.advance(20 * HOUR);
    assert.deepEqual(outcomesOf(await send(other)), ["accepted"]);
    time.advance(20 * HOUR);
    assert.deepEqual(outcomesOf(await send(one)), ["accepted"]);
  });
});
