/** The ledger on SQLite: two threads, one for what was promised and one for the debug history. */
import { statfs } from "node:fs/promises";
import { LIMITS } from "@headwater/contract/limits";
import { createCommitQueue } from "../commit-queue.ts";
import type { AttemptLedger, Ledger, LedgerStatus, Register } from "../ledger.ts";
import type { AttemptsOpening } from "./attempts-thread.ts";
import type { Durability } from "./database.ts";
import type { Opening } from "./ledger-thread.ts";
import { lockDataDir } from "./lock.ts";
import { packGroup, unpackOutcomes } from "./packing.ts";
import { startThread, type Thread } from "./rpc.ts";

const REGISTER_VERBS = [
  "setUp",
  "signIn",
  "organizationsOf",
  "createOrganization",
  "roleOf",
  "members",
  "addMember",
  "changeRole",
  "removeMember",
  "tokenByHash",
  "tokens",
  "createToken",
  "revokeToken",
  "touchTokens",
  "sources",
  "source",
  "createSource",
  "updateSource",
  "deleteSource",
  "rotateKey",
  "restoreKey",
  "audit",
  "onboarding",
  "completeOnboarding",
  "usage",
] as const satisfies readonly (keyof Register)[];
const ATTEMPT_VERBS = [
  "recordAttempts",
  "attempts",
  "attemptCounts",
] as const satisfies readonly (keyof AttemptLedger)[];

type Verbs<K extends string> = Record<K, (argument: unknown) => Promise<never>>;
const forward = <K extends string>(thread: Thread, names: readonly K[]): Verbs<K> =>
  Object.fromEntries(
    names.map((name) => [name, (argument: unknown) => thread.call(name, argument)]),
  ) as Verbs<K>;

export interface SqliteOptions {
  dataDir: string;
  now: number;
  attemptStoreBytes?: number;
  durability?: Durability;
  /** A command of the command line works beside a serving process; a server wants the folder to itself. */
  shared?: boolean;
}

/** @throws DataDirInUse when another process serves the folder */
export async function openSqliteLedger(options: SqliteOptions): Promise<Ledger> {
  const { dataDir, now, durability = "full" } = options;
  const unlock = options.shared ? () => undefined : lockDataDir(dataDir);
  const opening: Opening = { dataDir, durability, now, pollMs: LIMITS.changePollMs };
  const attemptsOpening: AttemptsOpening = {
    dataDir,
    storeBytes: options.attemptStoreBytes ?? LIMITS.attemptStoreBytes,
  };
  const [ledger, attempts] = await Promise.all([
    startThread(new URL("./ledger-thread.ts", import.meta.url), opening),
    startThread(new URL("./attempts-thread.ts", import.meta.url), attemptsOpening),
  ]);
  const queue = createCommitQueue(async (group) => {
    const { packed, transfer } = packGroup(group);
    return unpackOutcomes(group, await ledger.call<Uint8Array>("commit", packed, transfer));
  });

  return {
    ...forward(ledger, REGISTER_VERBS),
    ...forward(attempts, ATTEMPT_VERBS),
    sourceByKey: (asked) => ledger.call("sourceByKey", asked),
    session: (asked) => ledger.call("session", asked),
    commit: (commit) => queue.add(commit),
    maintain: async (at) => {
      await Promise.all([ledger.call("maintain", at), attempts.call("maintain", at)]);
    },
    probe: async (at): Promise<LedgerStatus> => {
      const [outbox, disk] = await Promise.all([
        ledger.call<Omit<LedgerStatus, "freeBytes">>("probe", at),
        statfs(dataDir),
      ]);
      return { ...outbox, freeBytes: disk.bavail * disk.bsize };
    },
    onForeignChange: (listener) =>
      ledger.onNotice((notice) => {
        if (notice === "foreign-change") listener();
      }),
    close: async () => {
      await Promise.all([ledger.close(), attempts.close()]);
      unlock();
    },
  };
}
