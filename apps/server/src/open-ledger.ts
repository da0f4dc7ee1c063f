/** Chooses the ledger's engine by the settings: SQLite in DATA_DIR, or PostgreSQL. No other file knows which. */
import type { Config } from "./config/settings.ts";
import { toMessage } from "./debug/attempt-message.ts";
import type { WriteAttempts } from "./debug/write.ts";
import type { GroupObserver, Ledger, LedgerLoad } from "./ledger/ledger.ts";
import type { Durability } from "./ledger/sqlite/database.ts";
import { openSqliteLedger } from "./ledger/sqlite/open.ts";

export interface OpenedLedger {
  ledger: Ledger;
  /** Renders and stores debug attempts in a thread of the ledger; absent when this thread has to render them. */
  writeAttempts?: WriteAttempts;
  /** Calls back when a thread of the ledger has ended: only a new process can repair that. */
  onBroken(listener: (cause: Error) => void): void;
  /** Returns unused memory of the ledger's threads to the operating system. */
  releaseMemory(): Promise<void>;
  /** How busy the ledger of this process is. */
  load(): LedgerLoad;
  /** Looks for damage in the ledger's file, in the background. Call it once, when the service listens. */
  check(): Promise<void>;
}

interface LedgerOptions {
  now: number;
  /** `off` is for the control run of the power-loss test. */
  durability?: Durability;
  /** Receives sentences for the operator about the ledger's files. */
  warn(message: string): void;
  onGroup?: GroupObserver;
}

/** The PostgreSQL driver is imported only when it is used. */
async function openOnPostgres(url: string, config: Config, onGroup?: GroupObserver): Promise<OpenedLedger> {
  const { openPostgresLedger } = await import("./ledger/postgres/open.ts");
  const ledger = await openPostgresLedger({
    url,
    attemptStoreBytes: config.DEBUG_STORE_BYTES,
    quarantineBytes: config.QUARANTINE_BYTES,
    onGroup,
  });
  // there are no threads; the driver reconnects, and PostgreSQL checks its own files
  const nothing = async () => undefined;
  return { ledger, onBroken: () => undefined, releaseMemory: nothing, load: ledger.load, check: nothing };
}

async function openInDataDir(
  config: Config,
  { now, durability, warn, onGroup }: LedgerOptions,
): Promise<OpenedLedger> {
  const ledger = await openSqliteLedger({
    dataDir: config.DATA_DIR,
    now,
    warn,
    attemptStoreBytes: config.DEBUG_STORE_BYTES,
    quarantineBytes: config.QUARANTINE_BYTES,
    attemptsThread: new URL("./attempts-thread.ts", import.meta.url),
    onGroup,
    ...(durability ? { durability } : {}),
  });
  const writeAttempts: WriteAttempts = ({ attempts, counts }) =>
    ledger.renderAttempts({ messages: attempts.map(toMessage), counts });
  const { onBroken, releaseMemory, load, check } = ledger;
  return { ledger, writeAttempts, onBroken, releaseMemory, load, check };
}

/**
 * Opens the ledger for a process that serves.
 * @throws DataDirInUse when another process serves this folder
 * @throws UnfitPostgres when the server's settings could lose accepted events
 */
export const openLedger = (config: Config, options: LedgerOptions): Promise<OpenedLedger> =>
  config.DATABASE_URL === null
    ? openInDataDir(config, options)
    : openOnPostgres(config.DATABASE_URL, config, options.onGroup);

/** Opens the ledger for a command, while a service may have it open too. */
export async function openLedgerBeside(config: Config, now: number): Promise<Ledger> {
  if (config.DATABASE_URL !== null) return (await openOnPostgres(config.DATABASE_URL, config)).ledger;
  return openSqliteLedger({ dataDir: config.DATA_DIR, now, shared: true });
}
