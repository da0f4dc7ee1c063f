/** The ledger on SQLite: one thread for `ledger.sqlite`, one for the debug history (docs/decisions/0001). */
import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { override } from "../../core/members.ts";
import { startThread, type Thread } from "../../core/thread-calls.ts";
import { createCommitQueue } from "../commit-queue.ts";
import type { GroupObserver, Ledger, LedgerLoad, LedgerStatus } from "../ledger.ts";
import type { AttemptCount } from "../records.ts";
import { findDamage } from "./damage-check.ts";
import { type Durability, LEDGER_FILE, ledgerPath, refuseUnsafeSqlite } from "./database.ts";
import { toLedgerError } from "./failure.ts";
import { refuseMarked } from "./folder-mark.ts";
import type { LedgerOpening, LedgerThreadMethods } from "./ledger-thread.ts";
import { lockDataDir } from "./lock.ts";
import { outcomesOfEach, packCommits } from "./packed-commits.ts";
import type { AttemptsOpening, AttemptThreadMethods } from "./serve-attempts.ts";
import { createSaltMethods } from "./visitor-salts.ts";

/** 8 MiB a second: a backlog of 10 GB is given back in 20 minutes. */
export const RELEASE_SLICES_PER_SECOND = 8;

interface SqliteOptions {
  dataDir: string;
  now: number;
  attemptStoreBytes?: number;
  quarantineBytes?: number;
  /** A module that calls `serveAttempts` with a renderer. Default: one that renders nothing. */
  attemptsThread?: URL;
  durability?: Durability;
  /** For a command that works beside a serving process. Default: the folder is locked for this process. */
  shared?: boolean;
  /** Receives sentences for the operator about the files. */
  warn?(message: string): void;
  onGroup?: GroupObserver | undefined;
}

export interface SqliteLedger extends Ledger {
  /** Renders attempts in their thread and records them; resolves with how many were rendered. */
  renderAttempts(batch: { messages: unknown[]; counts: AttemptCount[] }): Promise<number>;
  /** Registers a listener for when a thread ends without having been closed; the ledger fails from then on. */
  onBroken(listener: (cause: Error) => void): void;
  /** Releases unused memory of both threads. */
  releaseMemory(): Promise<void>;
  load(): LedgerLoad;
  /** Looks for damage in the file. What it finds is answered by the next probe. Call it once, after the start. */
  check(): Promise<void>;
}

interface Threads {
  ledger: Thread<LedgerThreadMethods>;
  attempts: Thread<AttemptThreadMethods>;
  /** Called after a change by another process. */
  changeListeners: (() => void)[];
}

/** Memory for short-lived garbage of a thread: V8 would use 48 MB before it collects. */
const limits = { maxYoungGenerationSizeMb: 8 };

/** Starts both threads or, if one fails to open, none. */
async function startThreads(options: SqliteOptions): Promise<Threads> {
  const { dataDir, now, durability = "full", shared = false, warn } = options;
  const { attemptStoreBytes, quarantineBytes } = options;
  const ledgerOpening: LedgerOpening = { dataDir, durability, now, pollMs: SERVER_LIMITS.changePollMs };
  const attemptsOpening: AttemptsOpening = {
    dataDir,
    storeBytes: attemptStoreBytes ?? SERVER_LIMITS.attemptStoreBytes,
    quarantineBytes: quarantineBytes ?? SERVER_LIMITS.quarantineBytes,
    isShared: shared,
  };
  const changeListeners: (() => void)[] = [];
  const [ledger, attempts] = await Promise.allSettled([
    startThread<LedgerThreadMethods>({
      name: "ledger",
      module: new URL("./ledger-thread.ts", import.meta.url),
      opening: ledgerOpening,
      limits,
      // this thread has only one notice: another process has changed the ledger
      onNotice: () => {
        for (const listener of changeListeners) listener();
      },
      toError: toLedgerError,
    }),
    startThread<AttemptThreadMethods>({
      name: "attempts",
      module: options.attemptsThread ?? new URL("./attempts-thread.ts", import.meta.url),
      opening: attemptsOpening,
      limits,
      ...(warn && { onNotice: warn }),
      toError: toLedgerError,
    }),
  ]);
  if (ledger.status === "fulfilled" && attempts.status === "fulfilled")
    return { ledger: ledger.value, attempts: attempts.value, changeListeners };
  for (const start of [ledger, attempts]) if (start.status === "fulfilled") await start.value.close();
  throw ledger.status === "rejected" ? ledger.reason : attempts.status === "rejected" && attempts.reason;
}

/** Repeats a call while it resolves with true, up to `max` times. */
async function repeat(call: () => Promise<boolean>, max: number, isClosing: () => boolean): Promise<void> {
  for (let calls = 0; calls < max && !isClosing(); calls++) if (!(await call())) return;
}

/** One maintenance reads at most this many slices of 2,000 sessions. */
const MAX_SESSION_SLICES = 1_000;
/** It stops earlier after this many slices without an expired session. */
const MAX_IDLE_SESSION_SLICES = 20;
/** Slices of 5,000 keys: more keys than can be accepted between two maintenances. */
const MAX_DELETED_KEY_SLICES = 1_000;
/** Slices of 5,000 keys: 50 million. */
const MAX_FILTER_SLICES = 10_000;

/** One process serves a ledger in a folder. */
const NO_OTHER_NODES = {
  notifySessionChanged: () => undefined,
  warehousePlace: async () => null,
  claimWarehouse: async () => undefined,
};

const ONLY_NODE = { nodes: 1, warehouseUrl: null, isWarehouseLost: false };

/** Each slice is a call of its own, so that commits run in between. */
async function maintainLedger(
  { calls }: Thread<LedgerThreadMethods>,
  at: { now: number },
  isClosing: () => boolean,
) {
  await calls.rotateKeys(at);
  let idleSlices = 0;
  const sweepSessions = async () => {
    const { deleted, hasMore } = await calls.sweepSessions(at);
    if (deleted === 0) idleSlices++;
    return hasMore && idleSlices < MAX_IDLE_SESSION_SLICES;
  };
  await repeat(sweepSessions, MAX_SESSION_SLICES, isClosing);
  await repeat(() => calls.deleteRetiredKeys(), MAX_DELETED_KEY_SLICES, isClosing);
  await repeat(() => calls.fillKeyFilters(), MAX_FILTER_SLICES, isClosing);
}

/** Each slice is a call of its own, so that commits run in between. */
async function releaseSpace({ calls }: Thread<LedgerThreadMethods>, isClosing: () => boolean): Promise<void> {
  if (!(await calls.releasePages())) return;
  await repeat(() => calls.releasePages(), RELEASE_SLICES_PER_SECOND - 1, isClosing);
  if (!isClosing()) await calls.truncateFile();
}

async function readFreeBytes(dataDir: string): Promise<number> {
  const disk = await statfs(dataDir);
  return disk.bavail * disk.bsize;
}

/** The methods of the attempts' thread that belong to the ledger. */
const attemptMethods = ({ calls }: Thread<AttemptThreadMethods>) => ({
  recordAttempts: calls.recordAttempts,
  renderAttempts: calls.renderAttempts,
  attempts: calls.attempts,
  attemptGroups: calls.attemptGroups,
  attemptCounts: calls.attemptCounts,
  attemptSums: calls.attemptSums,
  recentAttemptCounts: calls.recentAttemptCounts,
  eraseAttempts: calls.eraseAttempts,
  keepEvents: calls.keepEvents,
  keptTotals: calls.keptTotals,
  keptGroups: calls.keptGroups,
  keptEvents: calls.keptEvents,
  countKept: calls.countKept,
  settleKept: calls.settleKept,
  keptSources: calls.keptSources,
  expireKept: calls.expireKept,
  eraseKept: calls.eraseKept,
});

/** The ledger, served by both threads. The ledger's thread has the methods that are not listed here. */
function createLedger(
  threads: Threads,
  { dataDir, onGroup, warn }: SqliteOptions,
  unlock: () => void,
): SqliteLedger {
  const { ledger, attempts, changeListeners } = threads;
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;
  const commits = createCommitQueue(
    async (group) => outcomesOfEach(group, await ledger.calls.commit(packCommits(group))),
    { onGroup },
  );
  const members = {
    commit: commits.commit,
    load: () => ({ queue: commits.load(), pools: [] }),
    ...attemptMethods(attempts),
    ...createSaltMethods(dataDir),
    claimErasures: async (claim) =>
      (await ledger.calls.hasOpenErasures()) ? ledger.calls.claimErasures(claim) : [],
    claimReplay: async (claim) =>
      (await ledger.calls.hasRunningReplays()) ? ledger.calls.claimReplay(claim) : null,
    ...NO_OTHER_NODES,
    async maintain(at) {
      await Promise.all([maintainLedger(ledger, at, isClosed), attempts.calls.maintain(at)]);
    },
    releaseSpace: () => releaseSpace(ledger, isClosed),
    probe: async (at) => ({ ...(await ledger.calls.probe(at)), ...ONLY_NODE }) satisfies LedgerStatus,
    freeBytes: () => readFreeBytes(dataDir),
    onRemoteChange: (listener) => void changeListeners.push(() => listener({ kind: "everything" })),
    onBroken(listener) {
      ledger.onEnd(listener);
      attempts.onEnd(listener);
    },
    async check() {
      try {
        const description = await findDamage(ledgerPath(dataDir), closing.signal);
        if (description !== null) await ledger.calls.reportDamage({ description });
      } catch (error) {
        warn?.(`${LEDGER_FILE} could not be checked for damage: ${String(error)}`);
      }
    },
    async releaseMemory() {
      await Promise.all([ledger.releaseMemory(), attempts.releaseMemory()]);
    },
    async close() {
      closing.abort();
      await Promise.all([ledger.close(), attempts.close()]);
      unlock();
    },
  } satisfies Partial<SqliteLedger>;
  return override(ledger.calls, members);
}

/** Permissions of users who are neither the owner nor in the group. */
const OTHERS = 0o007;

function warnOfReaders({ dataDir, warn }: SqliteOptions): void {
  const mode = statSync(dataDir).mode & 0o777;
  if (mode & OTHERS)
    warn?.(
      `other users of this machine can open DATA_DIR ${dataDir} (mode 0${mode.toString(8)}); run \`chmod -R go= ${dataDir}\` so that only its owner can`,
    );
}

/**
 * @throws UnsafeSqlite
 * @throws DataDirInUse when another process serves the folder
 * @throws MarkedFolder when a command has to finish first
 */
export async function openSqliteLedger(options: SqliteOptions): Promise<SqliteLedger> {
  refuseUnsafeSqlite();
  refuseMarked(options.dataDir);
  const unlock = options.shared ? () => undefined : lockDataDir(options.dataDir);
  try {
    if (!options.shared) warnOfReaders(options);
    return createLedger(await startThreads(options), options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}
