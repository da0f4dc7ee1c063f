/**
 * Marks a DATA_DIR on which a command is at work. The mark is a file, so it outlives the command: no other process uses the
 * folder until the command has finished.
 */

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HEADWATER } from "../../core/command-name.ts";
import { OperatorError } from "../../core/errors.ts";
import { flush, makeFolder, writeWhole } from "./database.ts";

/** The content of the mark of each command. */
interface FolderMarks {
  restore: { from: string };
  /** The target database stores the same id. The mark of a finished move stays: the ledger is there now. */
  move: { moveId: string; isFinished: boolean };
  "move-warehouse": Record<string, never>;
}
type MarkingCommand = keyof FolderMarks;

/** The folder is marked. The message names the command to run. */
export class MarkedFolder extends OperatorError {}

const SUFFIX = ".mark";
const pathOf = (dataDir: string, command: MarkingCommand) => join(dataDir, `${command}${SUFFIX}`);

const GIVE_UP_MOVE = `To serve from DATA_DIR after all, run \`${HEADWATER} move --give-up\``;
/** Why a marked folder cannot be used, and what to do. */
const PROBLEMS: { [Command in MarkingCommand]: (mark: FolderMarks[Command]) => string } = {
  restore: ({ from }) =>
    `A restore into DATA_DIR is not finished. Run \`${HEADWATER} restore --from ${from}\` again. It starts over.`,
  move: ({ isFinished }) =>
    isFinished
      ? `The ledger in DATA_DIR has moved to PostgreSQL. Set DATABASE_URL to that database. ${GIVE_UP_MOVE}. Events that PostgreSQL has accepted since the move will then be missing from DATA_DIR.`
      : `The ledger in DATA_DIR is moving to PostgreSQL. Run \`${HEADWATER} move --to …\` again, then set DATABASE_URL. ${GIVE_UP_MOVE}.`,
  "move-warehouse": () =>
    `The move of the warehouse in DATA_DIR is not finished. Run \`${HEADWATER} move-warehouse --to …\` again. To serve without finishing it, run \`${HEADWATER} move-warehouse --give-up\`.`,
};

export function readMark<Command extends MarkingCommand>(
  dataDir: string,
  command: Command,
): FolderMarks[Command] | null {
  const path = pathOf(dataDir, command);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

/** Creates the folder if it is missing. The mark is on the disk when this returns. */
export function writeMark<Command extends MarkingCommand>(
  dataDir: string,
  command: Command,
  mark: FolderMarks[Command],
): void {
  makeFolder(dataDir);
  writeWhole(pathOf(dataDir, command), JSON.stringify(mark));
}

/** @returns false when the folder was not marked by that command */
export function removeMark(dataDir: string, command: MarkingCommand): boolean {
  const path = pathOf(dataDir, command);
  if (!existsSync(path)) return false;
  rmSync(path);
  flush(dataDir);
  return true;
}

function problemOf<Command extends MarkingCommand>(dataDir: string, command: Command): string | null {
  const mark = readMark(dataDir, command);
  return mark === null ? null : PROBLEMS[command](mark);
}

/**
 * @param allowed whose marks are not an obstacle
 * @throws MarkedFolder
 */
export function refuseMarked(dataDir: string, allowed: readonly MarkingCommand[] = []): void {
  const commands: readonly MarkingCommand[] = ["restore", "move", "move-warehouse"];
  for (const command of commands) {
    const problem = allowed.includes(command) ? null : problemOf(dataDir, command);
    if (problem !== null) throw new MarkedFolder(problem);
  }
}

/** An empty file. Its time is the time of the last backup. */
const BACKUP_NOTE = "last-backup";

/** Notes that a backup has succeeded. Another user may have made the file. */
export function noteBackup(dataDir: string): void {
  const path = join(dataDir, BACKUP_NOTE);
  writeFileSync(`${path}.new`, "", { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** When `headwater backup` last succeeded, in milliseconds since the epoch; 0: never. */
export const lastBackupMs = (dataDir: string): number =>
  statSync(join(dataDir, BACKUP_NOTE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
