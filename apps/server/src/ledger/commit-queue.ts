/**
 * Group commit. Requests that arrive while as many commits are under way as may be form the next one; there is no timer.
 * The queue is bounded, and one source cannot fill it while others wait.
 */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { Commit, StoredFlags } from "../core/records.ts";
import { LedgerBusy } from "./ledger.ts";

interface Waiting {
  commit: Commit;
  bytes: number;
  resolve(outcome: StoredFlags): void;
  reject(error: unknown): void;
}

export interface CommitQueue {
  add(commit: Commit): Promise<StoredFlags>;
  waiting(): number;
}

const sizeOf = (commit: Commit) => commit.entries.reduce((sum, entry) => sum + entry.json.length + 48, 256);

/**
 * @param write commits a group, all or nothing; outcomes in the group's order
 * @param most groups under way at once
 */
export function createCommitQueue(write: (group: Commit[]) => Promise<StoredFlags[]>, most = 1): CommitQueue {
  let queue: Waiting[] = [];
  let queuedBytes = 0;
  let writing = 0;
  const bySource = new Map<string, number>();

  const hasRoom = (sourceId: string, bytes: number) => {
    if (
      queue.length >= SERVER_LIMITS.commitQueueRequests ||
      queuedBytes + bytes > SERVER_LIMITS.commitQueueBytes
    )
      return false;
    const share = SERVER_LIMITS.commitQueueRequests * SERVER_LIMITS.commitQueueShare;
    return (bySource.get(sourceId) ?? 0) < share;
  };

  const count = (sourceId: string, by: 1 | -1) => {
    const waiting = (bySource.get(sourceId) ?? 0) + by;
    if (waiting === 0) bySource.delete(sourceId);
    else bySource.set(sourceId, waiting);
  };

  const takeGroup = (): Waiting[] => {
    let events = 0;
    let end = 0;
    while (end < queue.length && events < SERVER_LIMITS.commitGroupEvents)
      events += queue[end++]!.commit.entries.length + 1;
    const group = queue.slice(0, end);
    queue = queue.slice(end);
    for (const { commit, bytes } of group) {
      queuedBytes -= bytes;
      count(commit.sourceId, -1);
    }
    return group;
  };

  const drain = async () => {
    writing += 1;
    while (queue.length > 0) {
      const group = takeGroup();
      try {
        const outcomes = await write(group.map(({ commit }) => commit));
        for (const [index, one] of group.entries()) one.resolve(outcomes[index]!);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    writing -= 1;
  };

  return {
    add(commit) {
      const bytes = sizeOf(commit);
      if (!hasRoom(commit.sourceId, bytes)) return Promise.reject(new LedgerBusy());
      return new Promise((resolve, reject) => {
        queue.push({ commit, bytes, resolve, reject });
        queuedBytes += bytes;
        count(commit.sourceId, 1);
        if (writing < most) void drain();
      });
    },
    waiting: () => queue.length,
  };
}
