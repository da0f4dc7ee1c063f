import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { override } from "../../src/core/members.ts";
import { type Ledger, StorageError } from "../../src/ledger/ledger.ts";
import type { Commit } from "../../src/ledger/records.ts";
import { MAX_ACTIVE_REQUESTS } from "../../src/overload/time-slices.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  type CreatedSource,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  ORIGIN,
  openWorld,
  outcomesOf,
  refused,
  type TestReply,
  trackEvent,
  type World,
} from "../support/world.ts";
import { Line } from "./raw-line.ts";

/** A request of which the server has read half of the headers. It is answered when the rest arrives. */
async function openHalfway(url: string, path: string, body: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  let said = "";
  socket.on("data", (text: string) => {
    said += text;
  });
  const ended = once(socket, "close");
  // when the first request is answered, the server has also read half of the second
  const first = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  socket.write(`${first}POST ${path} HTTP/1.1\r\nHost: ${host}\r\n`);
  await once(socket, "data");
  const rest = `Origin: ${ORIGIN}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const answered = ended.then(() => {
    const [head, text] = said.slice(said.lastIndexOf("HTTP/1.1 ")).split("\r\n\r\n") as [string, string];
    const [status, ...lines] = head.split("\r\n");
    const headers = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
    return {
      method: "POST",
      path,
      status: Number(status!.split(" ")[1]),
      headers,
      text,
      body: JSON.parse(text),
    };
  });
  return { answered, finish: () => socket.write(rest) };
}

describe("503: nothing of the request was stored, so it can be sent again", () => {
  it("storage_full: less free disk space than DISK_LOW_WATER_BYTES; reads still work, and /readyz reports it", async () => {
    await using world = await openWorld({ DISK_LOW_WATER_BYTES: "1000000000000000" });
    const source: CreatedSource = await world.createSource();
    for (const route of INGEST_ROUTES)
      refused(await world.send(route.path(source), route.body("s")), 503, "storage_full");
    assert.equal((await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).status, 200);
    const ready = await world.ask("/readyz");
    refused(ready, 503, "storage_full");
    assert.equal(ready.headers.get("retry-after"), "1");
    assert.match(ready.body.message, /DISK_LOW_WATER_BYTES \(1000000000000000\)/);
  });

  it("storage_unavailable: the ledger fails; when it works again, the same request succeeds without a restart", async () => {
    await using world = await openWorld();
    const source: CreatedSource = await world.createSource();
    const sessionId = await world.openSession(source);
    const beside = new DatabaseSync(join(world.dataDir, "ledger.sqlite"));
    const body = eventsBody(sessionId, [trackEvent()]);
    beside.exec("alter table outbox rename to elsewhere");
    refused(await world.send(eventsPath(source), body), 503, "storage_unavailable");
    beside.exec("alter table elsewhere rename to outbox");
    beside.close();
    assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body)), ["accepted"]);
  });

  it("storage_full: the ledger has no space to look up keys, and a client has asked for more keys than a client may", async () => {
    const gate = Promise.withResolvers<void>();
    let lookUps = 0;
    const lookUpOnFullDisk = async () => {
      lookUps += 1;
      await gate.promise;
      throw new StorageError("the disk is full", "full");
    };
    await using world = await openWorld(
      { UNKNOWN_KEY_RATE_PER_SECOND: "2" },
      { changeLedger: (real: Ledger) => override(real, { sourceByKey: lookUpOnFullDisk }) },
    );
    const sent = Array.from({ length: 40 }, (_, at) => {
      return world.send(bootstrapPath({ publicKey: `pk_${at}` }), "{}");
    });
    await until("the ledger is asked as often as a client may ask it", () => lookUps === 20);
    // answered after the requests that were sent before it
    await world.ask("/healthz");
    gate.resolve();
    for (const reply of await Promise.all(sent)) refused(reply, 503, "storage_full");
  });

  it("overloaded: more requests in flight than allowed", async () => {
    await using world = await openWorld({ INGEST_IN_FLIGHT: "1" });
    const source: CreatedSource = await world.createSource();
    const sessionId = await world.openSession(source);
    const beside = new DatabaseSync(join(world.dataDir, "ledger.sqlite"));
    beside.exec("begin immediate");
    const ask = () => world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    const replies = Array.from({ length: 20 }, ask);
    refused(await Promise.race(replies), 503, "overloaded");
    beside.exec("rollback");
    beside.close();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assert.ok(statuses.includes(200), String(statuses));
  });

  it("overloaded: a request waits some seconds for its turn and is then refused; those that have a turn are stored", async () => {
    const gate = Promise.withResolvers<void>();
    let isClosed = false;
    const changeLedger = (real: Ledger) =>
      override(real, {
        commit: async (commit: Commit) => {
          if (isClosed) await gate.promise;
          return real.commit(commit);
        },
      });
    await using world = await openWorld({}, { changeLedger });
    const source: CreatedSource = await world.createSource();
    const sessionId = await world.openSession(source);
    isClosed = true;
    const done: TestReply[] = [];
    const replies = Array.from({ length: MAX_ACTIVE_REQUESTS + 10 }, async () => {
      done.push(await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()])));
    });
    await until("the requests without a turn are answered", () => done.length === 10);
    for (const reply of done) {
      refused(reply, 503, "overloaded");
      assert.equal(reply.headers.get("retry-after"), "1");
    }
    gate.resolve();
    await Promise.all(replies);
    assert.equal(done.filter(({ status }) => status === 200).length, MAX_ACTIVE_REQUESTS);
  });

  it("overloaded: a source is admitted although another one uses all slots", async () => {
    await using world = await openWorld({ INGEST_IN_FLIGHT: "2" });
    const [loud, quiet]: CreatedSource[] = [await world.createSource(), await world.createSource()];
    const asker = async (source: CreatedSource) => {
      const sessionId = await world.openSession(source);
      return () => world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    };
    const [askLoudly, ask] = [await asker(loud), await asker(quiet)];
    const beside = new DatabaseSync(join(world.dataDir, "ledger.sqlite"));
    beside.exec("begin immediate");
    const flood = Array.from({ length: 20 }, askLoudly);
    refused(await Promise.race(flood), 503, "overloaded");
    const letIn = ask();
    // the refusal of a later request shows that this one has been admitted
    await Promise.race(Array.from({ length: 5 }, askLoudly));
    beside.exec("rollback");
    beside.close();
    assert.deepEqual(outcomesOf(await letIn), ["accepted"]);
    await Promise.all(flood);
  });

  describe("overloaded: bodies that are still on their way", () => {
    const slowly = async (world: World, source: CreatedSource, times: number) => {
      const head = `POST ${bootstrapPath(source)} HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.example\r\nContent-Length: 5\r\n\r\n{`;
      const lines = Array.from({ length: times }, () => new Line(world.url).write(head));
      await Promise.all(lines.map(({ socket }) => once(socket, "connect")));
      return lines;
    };
    it("take no slots of requests that are processed", async () => {
      await using world = await openWorld({ INGEST_IN_FLIGHT: "1" });
      const [slow, other]: CreatedSource[] = [await world.createSource(), await world.createSource()];
      await world.openSession(slow);
      await world.openSession(other);
      const lines = await slowly(world, slow, 100);
      assert.equal((await world.send(bootstrapPath(other), bootstrapBody())).status, 200);
      for (const { socket } of lines) socket.destroy();
    });
  });

  it("storage_unavailable: while the ledger does not answer, no key is called unknown, however many requests there are", async () => {
    let answer: "yes" | "fails" | "hangs" = "yes";
    const failed = new StorageError("not now", "failed");
    const hanging = Promise.withResolvers<never>();
    const changeLedger = (real: Ledger) =>
      override(real, {
        sourceByKey: (asked: { publicKey: string; now: number }) => {
          if (answer === "hangs") {
            setImmediate(hanging.reject, failed);
            return hanging.promise;
          }
          return answer === "fails" ? Promise.reject(failed) : real.sourceByKey(asked);
        },
      });
    const rates = { UNKNOWN_KEY_RATE_PER_SECOND: "2" };
    await using world = await openWorld(rates, { changeLedger, clock: () => 1_800_000_000_000 });
    const source = await world.createSource();
    const many = Array.from({ length: 40 });
    const ask = (publicKey = source.publicKey) => world.send(bootstrapPath({ publicKey }), bootstrapBody());

    answer = "fails";
    for (const _ of many) refused(await ask(), 503, "storage_unavailable");
    answer = "hangs";
    const waiting = many.map((_, index) => ask(index % 2 ? source.publicKey : `pk_made_up_${index}`));
    for (const reply of await Promise.all(waiting)) refused(reply, 503, "storage_unavailable");
    answer = "yes";
    assert.equal((await ask()).status, 200);
  });

  it("shutting_down: requests on open connections while the process stops, on every route", async () => {
    await using world = await openWorld();
    const source: CreatedSource = await world.createSource();
    const waiting = await Promise.all(
      INGEST_ROUTES.map((route) =>
        openHalfway(world.url, route.path(source), JSON.stringify(route.body("s"))),
      ),
    );
    const closed = world.close();
    for (const one of waiting) one.finish();
    for (const [index, { answered }] of waiting.entries()) {
      const { method, path, ...reply } = await answered;
      world.check(method, path, reply);
      refused(reply, 503, "shutting_down");
      assert.ok(Number(reply.headers.get("retry-after")) >= 1, INGEST_ROUTES[index]!.kind);
    }
    await closed;
  });
});
