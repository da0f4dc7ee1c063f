/** The commit queue: commits that arrive during a write form the next group, and one source cannot fill the queue. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  COMMIT_GROUP_EVENTS,
  COMMIT_QUEUE_REQUESTS,
  createCommitQueue,
} from "../../src/ledger/commit-queue.ts";
import { LedgerBusy } from "../../src/ledger/ledger.ts";
import type { Commit, StoredFlags } from "../../src/ledger/records.ts";
import { aCommit, entries } from "./ledger-home.suite.ts";

/** A queue whose groups are written when the test says so. */
function createQueue() {
  const groups: { commits: Commit[]; end(error?: Error): void }[] = [];
  const { commit } = createCommitQueue((commits) => {
    const { promise, resolve, reject } = Promise.withResolvers<StoredFlags[]>();
    const flags = commits.map((one) => new Uint8Array(one.entries.length).fill(1));
    groups.push({ commits, end: (error) => (error ? reject(error) : resolve(flags)) });
    return promise;
  });
  return { commit, groups };
}
const sizes = (groups: { commits: Commit[] }[]) => groups.map(({ commits }) => commits.length);
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("Commits that arrive while a group is written form the next group, and each gets its own flags", async () => {
  const { commit, groups } = createQueue();
  const all = [1, 2, 3].map((count) => commit(aCommit({ entries: entries(count) })));
  assert.deepEqual(sizes(groups), [1]);
  groups[0]?.end();
  await settle();
  assert.deepEqual(sizes(groups), [1, 2]);
  groups[1]?.end();
  const flags = await Promise.all(all);
  assert.deepEqual(
    flags.map(({ length }) => length),
    [1, 2, 3],
  );
});

it("A group that fails rejects its own commits, and the next group is written", async () => {
  const { commit, groups } = createQueue();
  const failed = commit(aCommit());
  const stored = commit(aCommit());
  groups[0]?.end(new Error("disk"));
  await assert.rejects(failed, /disk/);
  groups[1]?.end();
  await stored;
});

it("A group ends with the commit that reaches `COMMIT_GROUP_EVENTS`", async () => {
  const { commit, groups } = createQueue();
  const half = COMMIT_GROUP_EVENTS / 2;
  const all = [0, half, half, 1].map((count) => commit(aCommit({ entries: entries(count) })));
  for (let index = 0; index < 3; index++) {
    groups[index]?.end();
    await settle();
  }
  await Promise.all(all);
  assert.deepEqual(sizes(groups), [1, 2, 1]);
});

it("A source with half of the queue is refused, while other sources are let in", async () => {
  const { commit, groups } = createQueue();
  const ofSource = (sourceId: string) => commit(aCommit({ sourceId }));
  const all = [ofSource("src_1")];
  for (let index = 0; index < COMMIT_QUEUE_REQUESTS / 2; index++) all.push(ofSource("src_1"));
  await assert.rejects(ofSource("src_1"), LedgerBusy);
  all.push(ofSource("src_2"));
  groups[0]?.end();
  await settle();
  groups[1]?.end();
  await settle();
  groups[2]?.end();
  await Promise.all(all);
});
