/**
 * Whether the files that the ledger has open are still the files of DATA_DIR. After a file or its folder was removed or
 * replaced, SQLite continues to write to a file that no later start finds.
 */

import { accessSync, type BigIntStats, constants, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { HEADWATER } from "../../core/command-name.ts";
import { StorageError } from "../ledger.ts";
import { LEDGER_FILE, ledgerPath } from "./database.ts";
import { LOCK_FILE } from "./lock.ts";

/** They stay the same from the start of the process to its end. */
const KEPT_FILES = [LEDGER_FILE, LOCK_FILE];
const WAL_FILE = `${LEDGER_FILE}-wal`;
/** SQLite creates them with each connection. */
const CONNECTION_FILES = [WAL_FILE, `${LEDGER_FILE}-shm`];

const REPAIR =
  "No event is accepted. If a volume was unmounted or a file was moved, put it back. The service then continues. " +
  `Do not restart the service before that: without its files, it would start with an empty ledger. If the files are gone, restore a backup with \`${HEADWATER} restore\` into an empty DATA_DIR`;

/** The identity of each file that exists, by name. */
type FileIdentities = ReadonlyMap<string, BigIntStats>;

const readStats = (path: string): BigIntStats | null =>
  statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;

/**
 * The number of a device can change when a volume is mounted again, and the number of a deleted file can be used again; the
 * time of creation does neither. Where the system does not know that time, it is 0 or the time of the last change.
 */
function isSameFile(known: BigIntStats, now: BigIntStats): boolean {
  const isCreationKnown = known.birthtimeNs > 0n && known.birthtimeNs !== known.ctimeNs;
  const [before, after] = isCreationKnown ? [known.birthtimeNs, now.birthtimeNs] : [known.dev, now.dev];
  return known.ino === now.ino && before === after;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

function identify(dataDir: string, names: readonly string[]): FileIdentities {
  const found = new Map<string, BigIntStats>();
  for (const name of names) {
    const stats = readStats(join(dataDir, name));
    if (stats) found.set(name, stats);
  }
  return found;
}

/** Says what is wrong with the first file that is missing or another one; null when none is. */
function findLoss(dataDir: string, known: FileIdentities): string | null {
  for (const [name, stats] of known) {
    const now = readStats(join(dataDir, name));
    if (!now) return `${name} is missing from DATA_DIR`;
    if (!isSameFile(stats, now)) return `${name} in DATA_DIR is not the file that this process has open`;
  }
  return null;
}

export class LedgerFiles {
  readonly #dataDir: string;
  #kept: FileIdentities | null = null;
  #opened: FileIdentities = new Map();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Call it when a connection was opened. */
  remember(): void {
    this.#kept ??= identify(this.#dataDir, KEPT_FILES);
    this.#opened = identify(this.#dataDir, CONNECTION_FILES);
  }

  /** Throws when `ledger.sqlite` or `serve.lock` is no longer the file that was opened first. */
  requireKept(): void {
    const loss = this.#findLossOfKept();
    if (loss !== null) throw new StorageError(`${loss}. ${REPAIR}`, "lost");
  }

  /** A file system that fails is a loss too. */
  #findLossOfKept(): string | null {
    try {
      return findLoss(this.#dataDir, this.#kept ?? new Map());
    } catch (error) {
      return `${LEDGER_FILE} cannot be found in DATA_DIR (${codeOf(error)})`;
    }
  }

  /** Throws when the ledger's files could not be opened again for writing. */
  requireWritable(): void {
    try {
      accessSync(this.#dataDir, constants.W_OK);
      accessSync(ledgerPath(this.#dataDir), constants.W_OK);
    } catch (error) {
      const problem = `DATA_DIR or its ${LEDGER_FILE} cannot be written (${codeOf(error)})`;
      throw new StorageError(
        `${problem}. No event is accepted until this process may write there again`,
        "lost",
      );
    }
  }

  /** Says what is wrong with the files of the connection; null when they are the ones that it opened. */
  findConnectionLoss(): string | null {
    return findLoss(this.#dataDir, this.#opened);
  }

  /**
   * Renames the `-wal` and `-shm` of a ledger that was replaced. The next start would apply them to the new ledger, which
   * damages it.
   */
  renameOrphans(): void {
    const [opened, present] = [this.#kept?.get(LEDGER_FILE), readStats(ledgerPath(this.#dataDir))];
    if (!opened || !present || isSameFile(opened, present)) return;
    for (const [name, stats] of this.#opened) {
      const path = join(this.#dataDir, name);
      const now = readStats(path);
      if (now && isSameFile(stats, now)) renameSync(path, `${path}.replaced-${stats.ino}`);
    }
  }
}
