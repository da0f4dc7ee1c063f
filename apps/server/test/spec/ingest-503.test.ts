import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import {
  bootstrapPath,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  openWorld,
  outcomesOf,
  refused,
  trackEvent,
} from "../world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a source as the API answers it
type Source = any;

describe("503: nothing of the request was stored, and it may be sent again", () => {
  it("storage_full: less room than DISK_LOW_WATER_BYTES; reads go on and /readyz says so", async () => {
    await using world = await openWorld({ DISK_LOW_WATER_BYTES: "1000000000000000" });
    const source: Source = await world.createSource();
    for (const route of INGEST_ROUTES)
      refused(await world.send(route.path(source), route.body("s")), 503, "storage_full");
    assert.equal((await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).status, 200);
    const ready = await world.ask("/readyz");
    assert.deepEqual([ready.status, ready.body.checks.disk], [503, false]);
  });

  it("storage_unavailable: the ledger fails; when it works again the same request is taken, without a restart", async () => {
    await using world = await openWorld();
    const source: Source = await world.createSource();
    const sessionId = await world.openSession(source);
    const beside = new DatabaseSync(join(world.dataDir, "ledger.sqlite"));
    const body = eventsBody(sessionId, [trackEvent()]);
    beside.exec("alter table outbox rename to elsewhere");
    refused(await world.send(eventsPath(source), body), 503, "storage_unavailable");
    beside.exec("alter table elsewhere rename to outbox");
    beside.close();
    assert.deepEqual(outcomesOf(await world.send(eventsPath(source), body)), ["accepted"]);
  });

  it("overloaded: more requests at work than may be", async () => {
    await using world = await openWorld({ INGEST_IN_FLIGHT: "1" });
    const source: Source = await world.createSource();
    const { port } = new URL(world.url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.on("error", () => undefined);
    const head = `POST ${bootstrapPath(source)} HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.example\r\nContent-Length: 5\r\n\r\n{`;
    await new Promise((resolve) => slow.write(head, resolve));
    let reply = await world.send(bootstrapPath(source), "{}");
    for (let tries = 0; reply.status !== 503 && tries < 1_000; tries += 1) {
      reply = await world.send(bootstrapPath(source), "{}");
    }
    refused(reply, 503, "overloaded");
    slow.destroy();
  });
});
