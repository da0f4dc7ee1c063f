/**
 * Files of DATA_DIR that are removed or replaced under a running service, at 100 events a second. What was accepted before
 * the service noticed can be lost; it says so, and accepts nothing more until the files are back.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { folder, headwater } from "../cli/command-line.ts";
import { aCommit, entries, NOW } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID } from "../support/world.ts";
import { ask, type Child, createSource, startChild } from "./child.ts";
import { storedEvents } from "./oracle.ts";
import { createRandom } from "./random.ts";
import { Trickle } from "./trickle.ts";
import { makeReadOnly, whyNotReadOnly } from "./volume.ts";

const LOGGING = { environment: { LOG_LEVEL: "error" } };
/** The readiness probe runs every second, on a machine without other work. */
const NOTICED_MS = 60_000;
const LOST = { kind: "lost", message: /^ledger\.sqlite is missing from DATA_DIR\. / };

async function readyzOf({ url }: Child) {
  const response = await fetch(`${url}/readyz`);
  const { code, message } = (await response.json()) as { code?: string; message?: string };
  return { status: response.status, code, message };
}
const failureOf = async ({ url }: Child): Promise<string | null> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return /^headwater_storage_failing\{kind="(\w+)"\} 1$/m.exec(text)?.[1] ?? null;
};
const whenReady = (child: Child) =>
  until("the service is ready again", async () => (await readyzOf(child)).status === 200);

/** Starts a service and a steady stream of events (a trickle), and causes the fault after 50 accepted events. */
async function serveWithFault(dataDir: string, fault: () => void) {
  const random = createRandom();
  const child = await startChild(dataDir, LOGGING);
  const source = await createSource(child.url);
  const trickle = await Trickle.start(child, source, random);
  await until("50 events are accepted", () => trickle.count("accepted") >= 50);
  fault();
  const faultAt = performance.now();
  return { child, source, trickle, faultAt };
}

/** The service reports the lost storage everywhere: in /readyz, in its metrics and in its log. */
async function assertNotReady(child: Child, problem: RegExp): Promise<void> {
  const { status, code, message } = await readyzOf(child);
  assert.deepEqual([status, code], [503, "storage_unavailable"]);
  assert.match(message ?? "", problem);
  assert.equal(await failureOf(child), "lost");
  assert.match(child.logged(), /"level":50.*the service is not ready/);
  assert.equal((await fetch(`${child.url}/healthz`)).status, 200, "it waits and does not exit");
}

/** The content of every file of a folder. */
const digestsOf = (path: string) =>
  readdirSync(path)
    .toSorted()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(path, name)))
          .digest("hex")}`,
    );

const untilRefused = (trickle: Trickle) =>
  until("100 are refused", () => trickle.count("503 storage_unavailable") >= 100);

it("After DATA_DIR is deleted, every ingest request is refused within 2 s, and nothing is created in its place", async (t) => {
  using data = folder();
  const dataDir = data.at("data");
  const { child, trickle, faultAt } = await serveWithFault(dataDir, () =>
    rmSync(dataDir, { recursive: true }),
  );
  try {
    await untilRefused(trickle);
    await trickle[Symbol.asyncDispose]();
    t.diagnostic(`noticed after ${trickle.assertRefusedSince(faultAt, NOTICED_MS)} ms`);
    await assertNotReady(child, /ledger\.sqlite is missing from DATA_DIR/);
    const { status } = await ask(child.url, "/api/tracking-sources", {
      organizationId: ORGANIZATION_ID,
      name: "Another",
    });
    assert.equal(status, 503, "a change is refused too");
    assert.equal((await child.end("SIGTERM")).code, 0);
    assert.equal(existsSync(dataDir), false);
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  }
});

it("After DATA_DIR is moved away and back, the service continues, and no accepted event is lost", async () => {
  using data = folder();
  const [dataDir, away] = [data.at("data"), data.at("away")];
  const { child, trickle, faultAt } = await serveWithFault(dataDir, () => renameSync(dataDir, away));
  try {
    await untilRefused(trickle);
    trickle.assertRefusedSince(faultAt, NOTICED_MS);
    await assertNotReady(child, /ledger\.sqlite is missing from DATA_DIR/);
    const before = trickle.count("accepted");
    renameSync(away, dataDir);
    await until("50 more are accepted", () => trickle.count("accepted") >= before + 50);
    await whenReady(child);
    assert.equal(await failureOf(child), null);
    await trickle[Symbol.asyncDispose]();
    assert.equal((await child.end("SIGTERM")).code, 0);
    const stored = storedEvents(dataDir).map(({ eventId }) => eventId);
    assert.deepEqual(trickle.acceptedIds().toSorted(), stored.toSorted());
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  }
});

it("While DATA_DIR is read-only, every ingest request is refused and reads work; afterwards the service continues, and no accepted event is lost", {
  skip: whyNotReadOnly() ?? false,
}, async (t) => {
  using data = folder();
  const dataDir = data.at("data");
  let fault: Disposable | undefined;
  const { child, source, trickle, faultAt } = await serveWithFault(dataDir, () => {
    fault = makeReadOnly(dataDir);
  });
  try {
    await untilRefused(trickle);
    t.diagnostic(`noticed after ${trickle.assertRefusedSince(faultAt, NOTICED_MS)} ms`);
    await assertNotReady(child, /^DATA_DIR or its ledger\.sqlite cannot be written \((?:EROFS|EACCES)\)/);
    for (const path of [
      `/api/tracking-sources/${source.sourceId}`,
      `/api/tracking-sources/${source.sourceId}/debug`,
    ])
      assert.equal((await ask(child.url, path)).status, 200, path);
    const change = await ask(child.url, "/api/tracking-sources", {
      organizationId: ORGANIZATION_ID,
      name: "Another",
    });
    assert.deepEqual([change.status, change.body.code], [503, "storage_unavailable"]);

    const before = trickle.count("accepted");
    fault?.[Symbol.dispose]();
    await until("50 more are accepted", () => trickle.count("accepted") >= before + 50);
    await whenReady(child);
    assert.equal(await failureOf(child), null);
    await trickle[Symbol.asyncDispose]();
    assert.equal((await child.end("SIGTERM")).code, 0);
    const stored = storedEvents(dataDir).map(({ eventId }) => eventId);
    assert.deepEqual(trickle.acceptedIds().toSorted(), stored.toSorted());
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
    fault?.[Symbol.dispose]();
  }
});

it("After DATA_DIR is replaced by another folder, nothing is accepted and the folder's files stay as they are", async () => {
  using data = folder();
  const [dataDir, other] = [data.at("data"), data.at("other")];
  const { child, trickle, faultAt } = await serveWithFault(dataDir, () => {
    // a copy as of now, with a -wal of its own
    cpSync(dataDir, other, { recursive: true });
    renameSync(dataDir, data.at("away"));
    renameSync(other, dataDir);
  });
  try {
    const before = digestsOf(dataDir);
    await untilRefused(trickle);
    await trickle[Symbol.asyncDispose]();
    trickle.assertRefusedSince(faultAt, NOTICED_MS);
    await assertNotReady(child, /ledger\.sqlite in DATA_DIR is not the file that this process has open/);
    assert.equal((await child.end("SIGTERM")).code, 0);
    assert.deepEqual(digestsOf(dataDir), before);
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  }
});

it("After ledger.sqlite is replaced by a backup, nothing is accepted until a restart, which serves the backup undamaged", async () => {
  using data = folder();
  const dataDir = data.at("data");
  const before = await startChild(dataDir);
  const source = await createSource(before.url);
  await before.end("SIGTERM");
  assert.equal((await headwater({ DATA_DIR: dataDir }, "backup", "--to", data.at("backup"))).code, 0);
  const { child, trickle, faultAt } = await serveWithFault(dataDir, () =>
    renameSync(data.at("backup/ledger.sqlite"), data.at("data/ledger.sqlite")),
  );
  try {
    await untilRefused(trickle);
    await trickle[Symbol.asyncDispose]();
    trickle.assertRefusedSince(faultAt, NOTICED_MS);
    await assertNotReady(child, /ledger\.sqlite in DATA_DIR is not the file that this process has open/);
    await child.end("SIGTERM");
    const after = await startChild(dataDir);
    const { status } = await ask(after.url, `/api/tracking-sources/${source.sourceId}`);
    assert.equal(status, 200);
    await after.end("SIGTERM");
    assert.deepEqual(storedEvents(dataDir), [], "and the check of the whole file finds no damage");
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  }
});

for (const name of ["ledger.sqlite-wal", "ledger.sqlite-shm"])
  it(`After ${name} is deleted, its content is saved, and no accepted event is lost`, async () => {
    using data = folder();
    const { child, trickle } = await serveWithFault(data.path, () => rmSync(data.at(name)));
    try {
      await until("the loss is reported", () => child.logged().includes(`${name} is missing from DATA_DIR`));
      await whenReady(child);
      const before = trickle.count("accepted");
      await until("50 more are accepted", () => trickle.count("accepted") >= before + 50);
      await trickle[Symbol.asyncDispose]();
      // without a checkpoint: what is in the files counts
      await child.end("SIGKILL");
      const stored = storedEvents(data.path).map(({ eventId }) => eventId);
      assert.deepEqual(trickle.acceptedIds().toSorted(), stored.toSorted());
    } finally {
      await trickle[Symbol.asyncDispose]();
      await child.end("SIGKILL");
    }
  });

it("The events of a ledger that was deleted are still shipped, and nothing is written to it any more", async () => {
  using data = folder();
  const dataDir = data.at("data");
  const ledger = await openSqliteLedger({ dataDir, now: NOW });
  try {
    await ledger.commit(aCommit({ entries: entries(3) }));
    rmSync(dataDir, { recursive: true });
    await assert.rejects(ledger.probe({ now: NOW }), LOST);
    await assert.rejects(ledger.commit(aCommit({ entries: entries(1) })), LOST);
    await assert.rejects(ledger.expireOutbox({ before: NOW + 1 }), LOST);
    const page = await ledger.claimPage({ pageId: "page_1", now: NOW, maxEvents: 100, leaseMs: 1_000 });
    assert.equal(page?.events, 3);
    await ledger.deletePage({ pageId: "page_1", shipped: [] });
    assert.equal(existsSync(dataDir), false);
  } finally {
    await ledger.close();
  }
});

it("After serve.lock is deleted, nothing is accepted: another process could serve the same ledger", async () => {
  using data = folder();
  const { child, trickle, faultAt } = await serveWithFault(data.path, () => rmSync(data.at("serve.lock")));
  try {
    await untilRefused(trickle);
    await trickle[Symbol.asyncDispose]();
    trickle.assertRefusedSince(faultAt, NOTICED_MS);
    await assertNotReady(child, /serve\.lock is missing from DATA_DIR/);
  } finally {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  }
});
