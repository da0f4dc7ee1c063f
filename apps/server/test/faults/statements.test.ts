/** SQLite fails at each statement in turn: a failed call stores nothing, and the ledger works at the next call. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import { startThread } from "../../src/core/thread-calls.ts";
import { StorageError } from "../../src/ledger/ledger.ts";
import type { Commit } from "../../src/ledger/records.ts";
import { toLedgerError } from "../../src/ledger/sqlite/failure.ts";
import type { LedgerThreadMethods } from "../../src/ledger/sqlite/ledger-thread.ts";
import { packCommits } from "../../src/ledger/sqlite/packed-commits.ts";
import { MERGE_FROM } from "../../src/ledger/sqlite/recent-keys.ts";
import { aCommit, entries, fresh, MINUTE, NOW } from "../ledger/ledger-home.suite.ts";
import { FAULT, makeFault } from "./failing-ledger-thread.ts";

const THREAD = new URL("./failing-ledger-thread.ts", import.meta.url);
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const GENERATION_MS = 4 * 24 * 60 * MINUTE;

async function openFailing() {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-failing-"));
  const fault = makeFault();
  const thread = await startThread<LedgerThreadMethods>({
    name: "ledger",
    module: THREAD,
    opening: { dataDir, durability: "full", now: NOW, pollMs: 60_000, fault },
    toError: toLedgerError,
  });
  const { calls } = thread;
  return {
    fault,
    commit: (group: Commit[]) => calls.commit(packCommits(group)),
    async maintain(now: number) {
      await calls.rotateKeys({ now });
      while (await calls.deleteRetiredKeys());
    },
    outboxEvents: async () => (await calls.probe({ now: NOW })).outboxEvents,
    sessions: (sessionId: string) => calls.sessionsById({ sourceId: "src_1", sessionIds: [sessionId] }),
    usage: async () => {
      const query = { organizationId: "org_1", from: "2026-01-01", to: "2026-12-31" };
      const rows = await calls.usage(query);
      return rows.reduce((sum, { accepted, bootstraps }) => sum + accepted + bootstraps, 0);
    },
    createSource: () => calls.createSource({ actor, now: NOW, source, slugGiven: true }),
    source: () => calls.source({ sourceId: source.sourceId, now: NOW }),
    async close() {
      await thread.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
const actor = { userId: "usr_1", tokenId: null };
const source = {
  ...SOURCE_DEFAULTS,
  sourceId: "src_1",
  organizationId: "org_1",
  name: "Shop",
  slug: "shop",
  publicKey: "pk_1",
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  lastBootstrapAt: null,
  lastEventAt: null,
  createdAt: NOW,
  updatedAt: NOW,
};
type FailingLedger = Awaited<ReturnType<typeof openFailing>>;

interface StatementFault {
  after: boolean;
  /** The number of consecutive statements that fail. */
  times: number;
  errcode?: number;
}

/** Makes the n-th statement fail, for n = 1, 2, 3 …, until `work` succeeds because it has fewer statements. */
async function atEachStatement(
  { fault }: FailingLedger,
  how: StatementFault,
  work: () => Promise<unknown>,
  afterFailure: (error: unknown) => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n++) {
    fault[FAULT.countdown] = n;
    fault[FAULT.after] = how.after ? 1 : 0;
    fault[FAULT.errcode] = how.errcode ?? SQLITE_IOERR;
    fault[FAULT.times] = how.times;
    const failed = await work().then(
      () => null,
      (error: unknown) => error,
    );
    const met = fault[FAULT.times] !== how.times;
    fault[FAULT.times] = 0;
    if (!met) return n - 1;
    assert.ok(failed instanceof StorageError, `statement ${n}: ${failed}`);
    await afterFailure(failed);
    assert.ok(n < 1_000, "the work never ends");
  }
}

/** A group of two requests with new ids; one of them opens a session. */
function aGroup() {
  const batch = entries(3);
  const session = {
    sourceId: "src_1",
    sessionId: fresh("ses"),
    anonymousId: "visitor",
    userId: null,
    startedAt: NOW,
    lastActivityAt: NOW,
    landing: "{}",
  };
  const touch = [{ sessionId: session.sessionId, userId: null }];
  const group = [
    aCommit({ bootstrap: true, open: [session], entries: batch.slice(0, 2) }),
    aCommit({ touch, entries: [batch[0]!, batch[2]!] }),
  ];
  return { group, sessionId: session.sessionId };
}

describe("A ledger whose statements fail", () => {
  for (const times of [1, 4]) {
    it(`stores nothing of a group when any ${times} consecutive statements fail, and stores the group on retry`, async (t) => {
      const ledger = await openFailing();
      await ledger.createSource();
      let one = aGroup();
      let stored = 0;
      const checked = await atEachStatement(
        ledger,
        { after: false, times, errcode: SQLITE_FULL },
        () => ledger.commit(one.group),
        async (error) => {
          assert.equal((error as StorageError).kind, "full");
          assert.deepEqual([await ledger.outboxEvents(), await ledger.sessions(one.sessionId)], [stored, []]);
          assert.deepEqual([...(await ledger.commit(one.group))], [1, 1, 0, 1]);
          stored += 3;
          one = aGroup();
        },
      );
      t.diagnostic(`${checked} statements`);
      assert.ok(checked > 8);
      assert.deepEqual(
        [await ledger.outboxEvents(), await ledger.usage()],
        [stored + 3, ((stored + 3) / 3) * 4],
      );
      await ledger.close();
    });
  }

  it("stores nothing twice when a statement fails after it was executed, including the commit itself", async (t) => {
    const ledger = await openFailing();
    await ledger.createSource();
    let one = aGroup();
    let stored = 0;
    let storedAll = 0;
    const checked = await atEachStatement(
      ledger,
      { after: true, times: 1 },
      () => ledger.commit(one.group),
      async () => {
        stored += 3;
        const held = (await ledger.outboxEvents()) === stored;
        // the retried bootstrap opens the session again
        const again = held
          ? one.group.map((commit) => ({ ...commit, open: [], bootstrap: false }))
          : one.group;
        if (held) storedAll += 1;
        assert.deepEqual([...(await ledger.commit(again))], held ? [0, 0, 0, 0] : [1, 1, 0, 1]);
        assert.equal(await ledger.outboxEvents(), stored);
        one = aGroup();
      },
    );
    t.diagnostic(`${checked} statements, after ${storedAll} of them everything was stored`);
    assert.equal(storedAll, 1, "only after the commit itself");
    assert.deepEqual(
      [await ledger.outboxEvents(), await ledger.usage()],
      [stored + 3, ((stored + 3) / 3) * 4],
    );
    await ledger.close();
  });

  for (const after of [false, true]) {
    it(`keeps every key when any statement of its maintenance fails ${after ? "after" : "before"} it was executed`, async (t) => {
      const ledger = await openFailing();
      let now = NOW;
      let accepted: Commit[] = [];
      const accept = async () => {
        const commit = aCommit({ receivedAt: now, entries: entries(2) });
        assert.deepEqual([...(await ledger.commit([commit]))], [1, 1]);
        // three generations are within the window
        accepted = [...accepted, commit].slice(-3);
      };
      await accept();
      const checked = await atEachStatement(
        ledger,
        { after, times: 1 },
        () => {
          now += GENERATION_MS;
          return ledger.maintain(now);
        },
        async () => {
          const known = await ledger.commit(accepted);
          assert.ok(known.every((one) => one === 0));
          await ledger.maintain(now);
          assert.ok((await ledger.commit(accepted)).every((one) => one === 0));
          await accept();
        },
      );
      t.diagnostic(`${checked} statements`);
      assert.ok(checked > 5);
      await ledger.close();
    });
  }

  it("loses no key and stores no event twice when any statement fails while recent keys are merged into a generation", async (t) => {
    const ledger = await openFailing();
    let one = aGroup();
    let stored = 0;
    const commitAll = async () => {
      const checked = await atEachStatement(
        ledger,
        { after: false, times: 1 },
        () => ledger.commit(one.group),
        async () => {
          assert.deepEqual([...(await ledger.commit(one.group))], [1, 1, 0, 1]);
          stored += 3;
          one = aGroup();
        },
      );
      stored += 3;
      one = aGroup();
      return checked;
    };
    const withoutMerge = await commitAll();
    // enough recent keys that each commit merges some of them into a generation
    const before = Array.from({ length: Math.ceil(MERGE_FROM / 2_000) }, () =>
      aCommit({ entries: entries(2_000) }),
    );
    for (const commit of before) await ledger.commit([commit]);
    stored += before.length * 2_000;
    const checked = await commitAll();
    t.diagnostic(`${checked} statements`);
    assert.ok(checked > withoutMerge, "a commit merges some keys");
    for (const commit of before) assert.ok((await ledger.commit([commit])).every((flag) => flag === 0));
    assert.equal(await ledger.outboxEvents(), stored);
    await ledger.close();
  });

  it("creates no incomplete source when any statement fails", async (t) => {
    const ledger = await openFailing();
    const checked = await atEachStatement(
      ledger,
      { after: false, times: 1 },
      () => ledger.createSource(),
      async () => assert.equal(await ledger.source(), null),
    );
    t.diagnostic(`${checked} statements`);
    assert.ok(await ledger.source());
    await ledger.close();
  });
});
