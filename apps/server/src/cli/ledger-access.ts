/** Opens the ledger for one command, and finds the workspace that the command is about. */

import { statSync } from "node:fs";
import { LIMITS } from "@headwater/contract";
import { processEnvironment, readConfig } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { HEADWATER } from "../core/command-name.ts";
import { systemCode } from "../core/errors.ts";
import { createIds } from "../core/ids.ts";
import { COMMAND_LINE_USER } from "../core/users.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Actor } from "../ledger/records.ts";
import { ledgerPath } from "../ledger/sqlite/database.ts";
import { refuseMarked } from "../ledger/sqlite/folder-mark.ts";
import { openLedger, openLedgerBeside } from "../open-ledger.ts";
import { CommandFailed } from "./errors.ts";
import { explainLedgerError } from "./ledger-errors.ts";
import { pickWorkspace } from "./pick-named.ts";

export const COMMAND_LINE: Actor = { userId: COMMAND_LINE_USER, tokenId: null };

export interface LedgerAccess {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly now: number;
  readonly newId: (prefix: string) => string;
}
export interface WorkspaceAccess extends LedgerAccess {
  readonly organizationId: string;
}

/** @throws CommandFailed when the folder has no ledger, or when this user may not look into it */
function refuseMissing(dataDir: string): void {
  try {
    statSync(ledgerPath(dataDir));
  } catch (error) {
    const code = systemCode(error);
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    throw new CommandFailed(
      isMissing
        ? `There is no ledger in DATA_DIR ${dataDir}. Set DATA_DIR to the service's folder, or start the service once with \`${HEADWATER} serve\`.`
        : `DATA_DIR ${dataDir} cannot be read (${code}). Run the command as the service's user.`,
    );
  }
}

async function withOpened<T>(
  open: (config: Config, now: number) => Promise<Ledger>,
  run: (access: LedgerAccess) => Promise<T>,
): Promise<T> {
  const config = readConfig(processEnvironment());
  const { DATA_DIR: dataDir } = config;
  if (config.DATABASE_URL === null) refuseMarked(dataDir);
  if (config.DATABASE_URL === null) refuseMissing(dataDir);
  const now = Date.now();
  const ledger = await open(config, now).catch((error: unknown) => {
    throw explainLedgerError(error, config);
  });
  try {
    return await run({ config, ledger, now, newId: createIds(() => now) });
  } finally {
    await ledger.close();
  }
}

/** Opens the ledger while a service may be running on it. */
export const withLedger = <T>(run: (access: LedgerAccess) => Promise<T>): Promise<T> =>
  withOpened(openLedgerBeside, run);

const warn = (message: string) => void process.stderr.write(`${message}\n`);

/**
 * Opens the ledger as a service does: the deduplication keys are in memory, so no other process may use the folder.
 * @throws DataDirInUse
 */
export const withLedgerAlone = <T>(run: (access: LedgerAccess) => Promise<T>): Promise<T> =>
  withOpened(async (config, now) => (await openLedger(config, { now, warn })).ledger, run);

/** Reads every page of a list. */
export async function readAllPages<T>(
  readPage: (cursor: string | null) => Promise<{ rows: readonly T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const { rows, nextCursor } = await readPage(cursor);
    all.push(...rows);
    cursor = nextCursor;
  } while (cursor !== null);
  return all;
}

async function findWorkspace({ ledger, config }: LedgerAccess, given: string | undefined): Promise<string> {
  const organizationId = given ?? config.ORGANIZATION_ID;
  const known = await readAllPages((cursor) => ledger.organizations({ limit: LIMITS.maxPageSize, cursor }));
  if (known.some((one) => one.organizationId === organizationId)) return organizationId;
  if (known.length === 0) {
    throw new CommandFailed(
      `The ledger has no workspace yet. Start the service once with \`${HEADWATER} serve\`, which creates the first workspace and its owner.`,
    );
  }
  if (given !== undefined) return pickWorkspace(known, given).organizationId;
  throw new CommandFailed(
    `There is no workspace ${organizationId} (ORGANIZATION_ID). Run \`${HEADWATER} workspace list\` to see the ids.`,
  );
}

/** @param organization the value of --organization; undefined: ORGANIZATION_ID */
export const inWorkspace = async (
  access: LedgerAccess,
  organization: string | undefined,
): Promise<WorkspaceAccess> => ({ ...access, organizationId: await findWorkspace(access, organization) });

/** @param organization the value of --organization; undefined: ORGANIZATION_ID */
export const withWorkspace = <T>(
  organization: string | undefined,
  run: (access: WorkspaceAccess) => Promise<T>,
): Promise<T> => withLedger(async (access) => run(await inWorkspace(access, organization)));
