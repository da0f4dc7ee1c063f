/** Faults of PostgreSQL under load: nothing acknowledged is lost or stored twice, and the node recovers by itself. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Child, createSource, startChild } from "../faults/child.ts";
import { Load, type LoadReply, openVisitor, post } from "../faults/load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "../faults/oracle.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import type { TestSource } from "../support/world.ts";
import { type Cluster, freezeServer, query, startCluster } from "./cluster.ts";

const ROUNDS = process.env.TEST_LONG ? 10 : 2;
const ACKNOWLEDGED = 30;
const FROZEN_MS = 15_000;
/** A commit waits for the one before it, and then for its own time-out: 14 s, on a machine without other work. */
const GIVEN_UP_MS = 60_000;

describe("PostgreSQL under a node that serves", () => {
  let cluster: Cluster;
  let dataDir: string;
  let node: Child;
  let source: TestSource;
  let url: string;
  const random = createRandom();

  before(async () => {
    cluster = await startCluster({ max_connections: "40" });
    await query(cluster.url(), "create role app login");
    await query(cluster.url(), "create database app owner app");
    url = cluster.url("app").replace("postgres@", "app@");
    dataDir = mkdtempSync(join(tmpdir(), "headwater-faults-"));
    writeFileSync(join(dataDir, "database-url"), cluster.url("app"));
    node = await startChild(dataDir, { environment: { DATABASE_URL: url } });
    source = await createSource(node.url);
  });
  after(async () => {
    await node.end("SIGKILL");
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const bootstrap = (): Promise<LoadReply> => {
    const body = {
      ingestVersion: 2,
      sdkVersion: "test",
      anonymousId: "v",
      page: { url: "https://shop.example/" },
    };
    return post(`${node.url}/api/ingest/v2/${source.publicKey}/bootstrap`, body);
  };
  const isReady = async () => (await fetch(`${node.url}/readyz`)).ok;
  /** Milliseconds until a request is taken, from now. */
  const takenAfter = async (): Promise<number> => {
    const startedAt = performance.now();
    await until("a request is taken", async () => (await bootstrap()).status === 200);
    return Math.round(performance.now() - startedAt);
  };

  it("loses and duplicates no acknowledged event when it crashes repeatedly under load", async (t) => {
    t.diagnostic(`seed ${random.seed}, ${ROUNDS} crashes`);
    await using load = new Load(node.url, source, random);
    const back: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      await load.start();
      const enough = load.acknowledged().length + ACKNOWLEDGED;
      await until("batches are acknowledged", () => load.acknowledged().length >= enough);
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 50)));
      await cluster.crash();
      const refused = await until("a request is refused", async () => {
        const reply = await bootstrap();
        return reply.status === 503 && reply;
      });
      assert.equal(refused.body.code, "storage_unavailable");
      assert.ok(Number(refused.headers["retry-after"]) >= 1);
      await until("/readyz says no", async () => !(await isReady()));
      await cluster.start();
      back.push(await takenAfter());
      await load.settle();
    }
    checkAnswers(load.sent);
    await sendAgain(node.url, source, load.sent);
    await checkUsage(node.url, load.sent);
    const found = compare(storedEvents(dataDir), load.sent);
    assert.deepEqual(found, { stored: load.sent.length * 10, lost: 0, doubled: 0 });
    t.diagnostic(
      `${load.sent.length} batches: ${JSON.stringify(found)}; refused ${JSON.stringify([...load.refused])}`,
    );
    t.diagnostic(`taken again ${back} ms after PostgreSQL accepted connections`);
  });

  /** While `broken` holds every request is refused and may be sent again; once it is mended it is taken. */
  const fault = (title: string, breakIt: () => Promise<unknown>, mend: () => Promise<unknown>) =>
    void it(title, async (t) => {
      await takenAfter();
      await breakIt();
      try {
        const refused = await until("a request is refused", async () => {
          const reply = await bootstrap();
          return reply.status === 503 && reply;
        });
        assert.deepEqual([refused.body.code, refused.body.retryable], ["storage_unavailable", true]);
        await until("/readyz says no", async () => !(await isReady()));
      } finally {
        await mend();
      }
      t.diagnostic(`taken again after ${await takenAfter()} ms`);
      await until("/readyz says yes", isReady);
    });
  const admin = (text: string) => query(cluster.url(), text);
  const cut = () => admin("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");

  fault(
    "that only reads is refused until it writes again",
    async () => {
      await admin("alter database app set default_transaction_read_only = on");
      await cut();
    },
    async () => {
      await admin("alter database app reset default_transaction_read_only");
      await cut();
    },
  );

  fault(
    "that has no connection left is refused until it has",
    async () => {
      await admin("alter role app connection limit 0");
      await cut();
    },
    () => admin("alter role app connection limit -1"),
  );

  fault(
    "that gives new connections no synchronous_commit is refused until it does, by a node that lives",
    async () => {
      await admin("alter database app set synchronous_commit = off");
      await cut();
    },
    async () => {
      await admin("alter database app reset synchronous_commit");
      await cut();
    },
  );

  it("makes a node not ready while synchronous_commit is off", async () => {
    await takenAfter();
    await admin("alter system set synchronous_commit = off");
    try {
      await admin("select pg_reload_conf()");
      await until("/readyz says no", async () => !(await isReady()));
    } finally {
      await admin("alter system reset synchronous_commit");
      await admin("select pg_reload_conf()");
    }
    await until("/readyz says yes", isReady);
  });

  let goOn: () => void;

  fault(
    "that stands still is given up after a while, and goes on when it goes on",
    async () => {
      goOn = freezeServer(cluster);
    },
    async () => goOn(),
  );

  it("that hangs under load makes no request wait for long, and loses and duplicates no acknowledged event", async (t) => {
    const before = new Set(storedEvents(dataDir).map(({ eventId }) => eventId));
    await using load = new Load(node.url, source, random);
    await load.start();
    await until("batches are acknowledged", () => load.acknowledged().length >= ACKNOWLEDGED);
    const thaw = freezeServer(cluster);
    // more batches would wait in this process for a free connection
    load.pause();
    const waits: number[] = [];
    try {
      const frozenAt = performance.now();
      const send = async () => {
        const sentAt = performance.now();
        const reply = await bootstrap();
        waits.push(Math.round(performance.now() - sentAt));
        assert.deepEqual([reply.status, reply.body.code], [503, "storage_unavailable"]);
      };
      while (performance.now() - frozenAt < FROZEN_MS) await Promise.all([send(), send()]);
    } finally {
      thaw();
    }
    const back = await takenAfter();
    await load.settle();
    checkAnswers(load.sent);
    const stored = storedEvents(dataDir).filter(({ eventId }) => !before.has(eventId));
    const found = compare(stored, load.sent);
    assert.deepEqual(found, { stored: load.sent.length * 10, lost: 0, doubled: 0 });
    t.diagnostic(
      `answers after ${waits} ms, taken again after ${back} ms; refused ${JSON.stringify([...load.refused])}`,
    );
    assert.ok(Math.max(...waits) < GIVEN_UP_MS, `a request waited ${Math.max(...waits)} ms`);
    const cut = [...load.refused.keys()].filter((what) => !what.startsWith("503 "));
    assert.deepEqual(cut, [], "every request was answered");
  });

  it("accepts on the other node what a killed node did not acknowledge", async (t) => {
    const second = await startChild(dataDir, { environment: { DATABASE_URL: url } });
    await using load = new Load(second.url, source, random);
    try {
      const before = new Set(storedEvents(dataDir).map(({ eventId }) => eventId));
      await load.start();
      await until("batches are acknowledged", () => load.acknowledged().length >= ACKNOWLEDGED);
      await second.end("SIGKILL");
      load.url = node.url;
      await load.settle();
      checkAnswers(load.sent);
      const found = compare(
        storedEvents(dataDir).filter(({ eventId }) => !before.has(eventId)),
        load.sent,
      );
      assert.deepEqual(found, { stored: load.sent.length * 10, lost: 0, doubled: 0 });
      t.diagnostic(`${load.sent.length} batches: ${JSON.stringify(found)}`);
      const visitor = await openVisitor(node.url, source);
      assert.ok(visitor.sessionId);
    } finally {
      await second.end("SIGKILL");
    }
  });
});
