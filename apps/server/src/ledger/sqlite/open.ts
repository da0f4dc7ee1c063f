/** The ledger on SQLite: two threads, one for what was promised and one for the debug history. */

import { statfs } from "node:fs/promises";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { AttemptCount } from "../../core/records.ts";
import { createCommitQueue } from "../commit-queue.ts";
import type {
  AlertLedger,
  AttemptLedger,
  Catalog,
  ErasureLedger,
  Ledger,
  LedgerStatus,
  OutboxLedger,
} from "../ledger.ts";
import type { AttemptsOpening } from "./attempts-verbs.ts";
import { type Durability, refuseUnsafeSqlite } from "./database.ts";
import { storageFailure } from "./failure.ts";
import type { Opening } from "./ledger-thread.ts";
import { lockDataDir } from "./lock.ts";
import { packGroup, unpackOutcomes } from "./packing.ts";
import type { SessionSweep } from "./reads.ts";
import { startThread, type Thread } from "./rpc.ts";

const CATALOG_VERBS = [
  "setUp",
  "signIn",
  "organizationsOf",
  "organizations",
  "createOrganization",
  "roleOf",
  "members",
  "addMember",
  "changeRole",
  "removeMember",
  "tokenByHash",
  "token",
  "tokens",
  "createToken",
  "expireAudit",
  "revokeToken",
  "recordTokenUse",
  "sources",
  "source",
  "createSource",
  "updateSource",
  "deleteSource",
  "rotateKey",
  "restoreKey",
  "requestErasure",
  "erasure",
  "audit",
  "onboarding",
  "completeOnboarding",
  "usage",
] as const satisfies readonly (keyof Catalog)[];
const ATTEMPT_VERBS = [
  "recordAttempts",
  "attempts",
  "attemptCounts",
] as const satisfies readonly (keyof AttemptLedger)[];

const OUTBOX_VERBS = [
  "claimPage",
  "deletePage",
  "releasePage",
  "readOutbox",
  "expireOutbox",
] as const satisfies readonly (keyof OutboxLedger)[];

const ERASURE_VERBS = [
  "claimErasures",
  "renewErasureLeases",
  "advanceErasures",
  "eraseSessions",
  "eraseOutbox",
] as const satisfies readonly (keyof ErasureLedger)[];

const ALERT_VERBS = [
  "watchedSources",
  "recordAlertStatus",
  "claimAlerts",
  "finishAlert",
] as const satisfies readonly (keyof AlertLedger)[];

/** Of 2,000 sessions each: so many a minute may be looked through in vain, and so many at all. */
const SESSION_SLICES_IN_VAIN = 20;
const SESSION_SLICES = 1_000;
/** Of 5,000 keys each: more in a minute than can be accepted in one. */
const KEY_SLICES = 1_000;
/** Fifty million keys. */
const LEARN_SLICES = 10_000;

type Verbs<K extends string> = Record<K, (argument: unknown) => Promise<never>>;
const forward = <K extends string>(thread: Thread, names: readonly K[]): Verbs<K> =>
  Object.fromEntries(
    names.map((name) => [name, (argument: unknown) => thread.call(name, argument)]),
  ) as Verbs<K>;

export interface SqliteOptions {
  dataDir: string;
  now: number;
  attemptStoreBytes?: number;
  /** A module that calls `serveAttempts` with a renderer. */
  attemptsThread?: URL;
  durability?: Durability;
  /** A command of the command line works beside a serving process; a server wants the folder to itself. */
  shared?: boolean;
}

export interface SqliteLedger extends Ledger {
  /** The thread renders these and keeps them, where it was given a renderer; resolves with how many. */
  renderAttempts(batch: { parcels: unknown[]; counts: AttemptCount[] }): Promise<number>;
  /** Calls back when a thread ends without having been closed; nothing of what it does is done any more. */
  onBroken(listener: (cause: Error) => void): void;
  /** Of both threads, between two verbs. */
  releaseMemory(): Promise<void>;
}

/** Both or none: a start that is refused leaves nothing running. */
async function startBoth(opening: Opening, attemptsThread: URL, attemptsOpening: AttemptsOpening) {
  const starting = [
    startThread("ledger", new URL("./ledger-thread.ts", import.meta.url), opening),
    startThread("attempts", attemptsThread, attemptsOpening),
  ] as const;
  try {
    return await Promise.all(starting);
  } catch (error) {
    const ended = (thread: Promise<Thread>) => thread.then(({ close }) => close()).catch(() => undefined);
    await Promise.all(starting.map(ended));
    throw error;
  }
}

/** A slice a message, so that commits take their turn in between: a giant DELETE would keep them waiting. */
async function keepUp(ledger: Thread, at: { now: number }, isClosing: () => boolean): Promise<void> {
  await ledger.call("turnKeys", at);
  let inVain = 0;
  for (let slice = 0; slice < SESSION_SLICES && inVain < SESSION_SLICES_IN_VAIN && !isClosing(); slice++) {
    const { deleted, more } = await ledger.call<SessionSweep>("sweepSessions", at);
    if (!more) break;
    if (deleted === 0) inVain++;
  }
  for (let slice = 0; slice < KEY_SLICES && !isClosing(); slice++)
    if (!(await ledger.call("sweepKeys", at))) break;
  for (let slice = 0; slice < LEARN_SLICES && !isClosing(); slice++)
    if (!(await ledger.call("learnKeys", at))) break;
}

/** @throws UnsafeSqlite, or DataDirInUse when another process serves the folder */
export async function openSqliteLedger(options: SqliteOptions): Promise<SqliteLedger> {
  const { dataDir, now, durability = "full" } = options;
  refuseUnsafeSqlite();
  const unlock = options.shared ? () => undefined : lockDataDir(dataDir);
  const opening: Opening = { dataDir, durability, now, pollMs: SERVER_LIMITS.changePollMs };
  const attemptsOpening: AttemptsOpening = {
    dataDir,
    storeBytes: options.attemptStoreBytes ?? SERVER_LIMITS.attemptStoreBytes,
  };
  const attemptsThread = options.attemptsThread ?? new URL("./attempts-thread.ts", import.meta.url);
  const [ledger, attempts] = await startBoth(opening, attemptsThread, attemptsOpening).catch(
    (error: unknown) => {
      unlock();
      throw error;
    },
  );
  let closing = false;
  const queue = createCommitQueue(async (group) => {
    const { packed, transfer } = packGroup(group);
    return unpackOutcomes(group, await ledger.call<Uint8Array>("commit", packed, transfer));
  });

  return {
    ...forward(ledger, CATALOG_VERBS),
    ...forward(ledger, OUTBOX_VERBS),
    ...forward(ledger, ERASURE_VERBS),
    ...forward(ledger, ALERT_VERBS),
    ...forward(attempts, ATTEMPT_VERBS),
    renderAttempts: (batch) => attempts.call("renderAttempts", batch),
    sourceByKey: (asked) => ledger.call("sourceByKey", asked),
    isSetUp: () => ledger.call("isSetUp", null),
    retentions: () => ledger.call("retentions", null),
    sealedPages: () => ledger.call("sealedPages", null),
    recentAttemptCounts: (asked) => attempts.call("recentAttemptCounts", asked),
    eraseAttempts: (asked) => attempts.call("eraseAttempts", asked),
    session: (asked) => ledger.call("session", asked),
    commit: (commit) => queue.add(commit),
    // there is no other node
    notifySessionChanged: () => undefined,
    maintain: async (at) => {
      await Promise.all([keepUp(ledger, at, () => closing), attempts.call("maintain", at)]);
    },
    probe: async (at): Promise<LedgerStatus> => {
      const [outbox, disk] = await Promise.all([
        ledger.call<Omit<LedgerStatus, "freeBytes" | "nodes">>("probe", at),
        statfs(dataDir).catch((error: unknown) => {
          throw storageFailure(error);
        }),
      ]);
      return { ...outbox, freeBytes: disk.bavail * disk.bsize, nodes: 1 };
    },
    onRemoteChange: (listener) =>
      ledger.onNotice((notice) => {
        if (notice === "remote-change") listener({ kind: "everything" });
      }),
    onBroken: (listener) => {
      for (const thread of [ledger, attempts]) thread.onEnd(listener);
    },
    releaseMemory: async () => {
      await Promise.all([ledger.releaseMemory(), attempts.releaseMemory()]);
    },
    close: async () => {
      closing = true;
      await Promise.all([ledger.close(), attempts.close()]);
      unlock();
    },
  };
}
