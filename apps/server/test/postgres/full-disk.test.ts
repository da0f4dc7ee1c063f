/** PostgreSQL whose disk is full: refused as the embedded ledger refuses it, and taken up again without a restart. */
import assert from "node:assert/strict";
import { chownSync } from "node:fs";
import { dirname } from "node:path";
import { it } from "node:test";
import { openVolume, whyNoVolume } from "../faults/volume.ts";
import { until } from "../support/until.ts";
import { eventsBody, eventsPath, openWorld, outcomesOf, trackEvent } from "../support/world.ts";
import { query, startCluster, unprivileged } from "./cluster.ts";

const SIZE_MB = 8;

it("A full disk of PostgreSQL gives 503 storage_full, and events are accepted again once there is space", {
  skip: whyNoVolume("tmpfs") ?? false,
}, async () => {
  using volume = openVolume("tmpfs", SIZE_MB);
  const owner = unprivileged();
  if (owner) for (const path of [dirname(volume.path), volume.path]) chownSync(path, owner.uid, owner.gid);
  const cluster = await startCluster();
  const admin = (text: string) => query(cluster.url("app"), text);
  try {
    await query(cluster.url(), "create database app");
    await admin(`create tablespace small location '${volume.path}'`);
    await using world = await openWorld({ DATABASE_URL: cluster.url("app") });
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    const send = () => world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));

    await admin("alter table outbox set tablespace small");
    await admin("create table filling (bytes text) tablespace small");
    await admin("alter table filling alter column bytes set storage external");
    await until("the disk is full", () =>
      admin("insert into filling select repeat('x', 100000)").then(
        () => false,
        (error: { code: string }) => error.code === "53100",
      ),
    );
    // what is left on the pages of the table itself
    const refused = await until("a batch is refused", async () => {
      const reply = await send();
      return reply.status !== 200 && reply;
    });
    assert.deepEqual([refused.status, refused.body.code], [503, "storage_full"]);
    assert.ok(refused.headers.get("retry-after"));
    assert.equal((await world.ask(`/api/tracking-sources/${source.sourceId}`)).status, 200);

    await admin("drop table filling");
    assert.deepEqual(outcomesOf(await send()), ["accepted"]);
  } finally {
    await cluster.stop();
  }
});
