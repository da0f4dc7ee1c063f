/**
 * Group commit: while a group of commits is written, further commits wait and form the next group. There is no timer.
 * The queue is bounded, and admission shares it between sources.
 */
import { createAdmission, type Release } from "../overload/admission.ts";
import { type GroupObserver, LedgerBusy, type LedgerLoad } from "./ledger.ts";
import type { Commit, StoredFlags } from "./records.ts";

/** Requests that wait for the ledger, and their bytes. Further ones are refused with 503 `overloaded`. */
export const COMMIT_QUEUE_REQUESTS = 2_000;
const COMMIT_QUEUE_BYTES = 64 * 1_048_576;
/** The share of the queue that one source may use while other sources wait. */
const COMMIT_QUEUE_SHARE = 0.5;
export const COMMIT_GROUP_EVENTS = 2_000;

/** Commits a group, all or nothing. Resolves with the flags of each commit, in order. */
type WriteGroup = (group: Commit[]) => Promise<StoredFlags[]>;

interface WaitingCommit {
  commit: Commit;
  bytes: number;
  leaveQueue: Release;
  resolve(flags: StoredFlags): void;
  reject(error: unknown): void;
}

/** Bytes of memory that a commit, and each of its entries, take besides their text. */
const COMMIT_BYTES = 256;
const ENTRY_BYTES = 48;
const sizeOf = ({ entries }: Commit) =>
  entries.reduce((sum, { line }) => sum + line.length + ENTRY_BYTES, COMMIT_BYTES);

/** Takes the oldest commits until they have `COMMIT_GROUP_EVENTS` events together. */
function takeGroup(queue: WaitingCommit[]): WaitingCommit[] {
  let events = 0;
  const end = queue.findIndex(({ commit }) => {
    if (events >= COMMIT_GROUP_EVENTS) return true;
    events += commit.entries.length + 1;
    return false;
  });
  return queue.splice(0, end < 0 ? queue.length : end);
}

interface CommitQueueOptions {
  /** Maximum number of groups that are written at once. Default: 1. */
  maxGroups?: number;
  onGroup?: GroupObserver | undefined;
}

interface CommitQueue {
  /** The `commit` of a ledger. It rejects with `LedgerBusy` when too many commits, or too many bytes, are waiting. */
  commit(commit: Commit): Promise<StoredFlags>;
  load(): LedgerLoad["queue"];
}

export function createCommitQueue(write: WriteGroup, options: CommitQueueOptions = {}): CommitQueue {
  const { maxGroups = 1, onGroup } = options;
  const admission = createAdmission({
    maxAdmitted: COMMIT_QUEUE_REQUESTS,
    maxAdmittedPerKey: COMMIT_QUEUE_REQUESTS * COMMIT_QUEUE_SHARE,
  });
  const queue: WaitingCommit[] = [];
  let waitingBytes = 0;
  let groups = 0;

  const writeNext = async () => {
    const group = takeGroup(queue);
    for (const { bytes, leaveQueue } of group) {
      waitingBytes -= bytes;
      leaveQueue();
    }
    const onGroupEnd = onGroup?.(group.length);
    try {
      const flags = await write(group.map(({ commit }) => commit));
      for (const [index, { resolve }] of group.entries()) resolve(flags[index] ?? new Uint8Array());
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      onGroupEnd?.();
    }
  };
  const writeAll = async () => {
    groups += 1;
    while (queue.length > 0) await writeNext();
    groups -= 1;
  };

  const commit = (commit: Commit): Promise<StoredFlags> => {
    const bytes = sizeOf(commit);
    const leaveQueue = waitingBytes + bytes > COMMIT_QUEUE_BYTES ? null : admission.tryEnter(commit.sourceId);
    if (!leaveQueue) return Promise.reject(new LedgerBusy());
    return new Promise((resolve, reject) => {
      queue.push({ commit, bytes, leaveQueue, resolve, reject });
      waitingBytes += bytes;
      if (groups < maxGroups) void writeAll();
    });
  };
  return { commit, load: () => ({ requests: queue.length, bytes: waitingBytes }) };
}
