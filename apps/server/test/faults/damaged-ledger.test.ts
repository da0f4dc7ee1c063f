/** A damaged page of the ledger: once it is known, nothing more is accepted, and everybody is told which file it is. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { folder, serve } from "../cli/command-line.ts";
import { aCommit, entries, NOW, ORGANIZATION } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID } from "../support/world.ts";
import { ask, type Child, createSource, startChild } from "./child.ts";
import { damageTable } from "./damage.ts";
import { createRandom } from "./random.ts";
import { Trickle } from "./trickle.ts";

const LOGGING = { environment: { LOG_LEVEL: "error" } };
const DAMAGED = {
  kind: "damaged",
  message:
    /^ledger\.sqlite is damaged \(.+\)\. .*`npx headwater restore --from`.*docs\/operate\/runbook\/HeadwaterStorageFailing\.md/,
};
const claim = { pageId: "page_1", now: NOW, maxEvents: 100, leaseMs: 1_000 };

async function assertDamageReported({ url, logged }: Pick<Child, "url" | "logged">): Promise<void> {
  const ready = await fetch(`${url}/readyz`);
  const { code, message } = (await ready.json()) as { code: string; message: string };
  assert.deepEqual([ready.status, code], [503, "storage_unavailable"]);
  assert.match(message, DAMAGED.message);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^headwater_storage_failing\{kind="damaged"\} 1$/m);
  assert.match(logged(), /"level":50.*ledger\.sqlite is damaged.*the service is not ready/);
}

it("At 100 events a second, ingest is refused within 2 s after a damaged page was read, and accepts nothing from then on", async (t) => {
  using data = folder();
  let child = await startChild(data.path);
  const source = await createSource(child.url);
  // the content of the -wal is written to the file, and the next process has read no page of the table
  await child.end("SIGTERM");
  child = await startChild(data.path, LOGGING);
  await using trickle = await Trickle.start(child, source, createRandom());
  try {
    await until("50 events are accepted", () => trickle.count("accepted") >= 50);
    damageTable(ledgerPath(data.path), "audit");
    const faultAt = performance.now();
    const list = await ask(child.url, `/api/audit?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([list.status, list.body.code], [503, "storage_unavailable"]);
    await until("100 are refused", () => trickle.count("503 storage_unavailable") >= 100);
    await trickle[Symbol.asyncDispose]();
    t.diagnostic(`refused after ${trickle.assertRefusedSince(faultAt, 2_000)} ms`);
    await assertDamageReported(child);
    await until("the metric counts every accepted event", async () => {
      const metrics = await (await fetch(`${child.url}/metrics`)).text();
      return Number(/^headwater_outbox_events (\d+)$/m.exec(metrics)?.[1]) === trickle.count("accepted");
    });
    const read = await ask(child.url, `/api/tracking-sources/${source.sourceId}`);
    assert.equal(read.status, 200, "what is not damaged can be read");
    const written = await ask(child.url, "/api/tracking-sources", {
      organizationId: ORGANIZATION_ID,
      name: "Another",
    });
    assert.deepEqual([written.status, written.body.code], [503, "storage_unavailable"]);
  } finally {
    await child.end("SIGKILL");
  }
});

it("A damaged page that no request reads is found by a check after the start", async () => {
  using data = folder();
  const child = await startChild(data.path);
  await child.end("SIGTERM");
  damageTable(ledgerPath(data.path), "audit");
  const { url, stdout, stop } = await serve({ DATA_DIR: data.path, LOG_LEVEL: "error" });
  try {
    await until("/readyz answers 503", async () => (await fetch(`${url}/readyz`)).status === 503);
    await assertDamageReported({ url, logged: stdout });
  } finally {
    await stop();
  }
});

it("A ledger that has met a damaged page accepts nothing, even when the next call does not read that page; its events are still shipped", async () => {
  using data = folder();
  const options = { dataDir: data.path, now: NOW };
  const before = await openSqliteLedger(options);
  await before.commit(aCommit({ entries: entries(3) }));
  await before.close();
  damageTable(ledgerPath(data.path), "sessions");
  const ledger = await openSqliteLedger(options);
  try {
    await ledger.commit(aCommit({ entries: entries(1) }));
    await assert.rejects(ledger.sessionsById({ sourceId: "src_1", sessionIds: ["ses_1"] }), DAMAGED);
    await assert.rejects(ledger.commit(aCommit({ entries: entries(1) })), DAMAGED);
    await assert.rejects(ledger.probe({ now: NOW }), DAMAGED);
    assert.deepEqual(
      (await ledger.sources({ organizationId: ORGANIZATION, limit: 1, cursor: null })).rows,
      [],
    );
    assert.equal((await ledger.outboxStatus()).outboxEvents, 4);
    assert.equal((await ledger.claimPage(claim))?.events, 4);
    await ledger.deletePage({ pageId: claim.pageId, shipped: [] });
    assert.equal(await ledger.claimPage({ ...claim, pageId: "page_2" }), null);
    assert.equal((await ledger.outboxStatus()).outboxEvents, 0);
  } finally {
    await ledger.close();
  }
});

it("The check finds damage in the rows of a table, and none in a ledger that is whole", async () => {
  using data = folder();
  const options = { dataDir: data.path, now: NOW, warn: (message: string) => assert.fail(message) };
  let ledger = await openSqliteLedger(options);
  await ledger.check();
  await ledger.probe({ now: NOW });
  await ledger.close();
  damageTable(ledgerPath(data.path), "audit");
  ledger = await openSqliteLedger(options);
  try {
    await ledger.probe({ now: NOW });
    await ledger.check();
    await assert.rejects(ledger.probe({ now: NOW }), DAMAGED);
  } finally {
    await ledger.close();
  }
});
