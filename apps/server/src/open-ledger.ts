/** Which ledger: the one place that knows there is more than one engine. */
import type { Config } from "./config/config.ts";
import { pack } from "./debug/parcel.ts";
import type { WriteAttempts } from "./debug/write.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Durability } from "./ledger/sqlite/database.ts";
import { openSqliteLedger } from "./ledger/sqlite/open.ts";

export interface OpenedLedger {
  ledger: Ledger;
  /** Where attempts are rendered elsewhere than in this thread. */
  writeAttempts?: WriteAttempts;
  /** Calls back when a part is broken that only a new process mends. */
  onBroken(listener: (cause: Error) => void): void;
  /** Of its threads. */
  releaseMemory(): Promise<void>;
}

export interface LedgerOptions {
  now: number;
  /** `off` is for the control run of the power-loss test. */
  durability?: Durability;
}

/** Its driver is loaded only where it is used. */
async function openOnPostgres(url: string, config: Config): Promise<OpenedLedger> {
  const { openPostgresLedger } = await import("./ledger/postgres/open.ts");
  const ledger = await openPostgresLedger({ url, attemptStoreBytes: config.DEBUG_STORE_BYTES });
  // it has no threads, and mends itself
  return { ledger, onBroken: () => undefined, releaseMemory: async () => undefined };
}

async function openInDataDir(config: Config, { now, durability }: LedgerOptions): Promise<OpenedLedger> {
  const ledger = await openSqliteLedger({
    dataDir: config.DATA_DIR,
    now,
    attemptStoreBytes: config.DEBUG_STORE_BYTES,
    attemptsThread: new URL("./attempts-thread.ts", import.meta.url),
    ...(durability ? { durability } : {}),
  });
  const writeAttempts: WriteAttempts = ({ attempts, counts }) =>
    ledger.renderAttempts({ parcels: attempts.map(pack), counts });
  const { onBroken, releaseMemory } = ledger;
  return { ledger, writeAttempts, onBroken, releaseMemory };
}

/**
 * For a serving process.
 * @throws DataDirInUse when another process serves the folder, UnfitPostgres when nothing can be promised on that server
 */
export const openLedger = (config: Config, options: LedgerOptions): Promise<OpenedLedger> =>
  config.DATABASE_URL === null ? openInDataDir(config, options) : openOnPostgres(config.DATABASE_URL, config);

/** For a command of the command line, beside whatever serves. */
export async function openLedgerBeside(config: Config, now: number): Promise<Ledger> {
  if (config.DATABASE_URL !== null) return (await openOnPostgres(config.DATABASE_URL, config)).ledger;
  return openSqliteLedger({ dataDir: config.DATA_DIR, now, shared: true });
}
