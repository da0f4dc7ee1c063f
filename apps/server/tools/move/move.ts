/** `headwater move`: moves the ledger of DATA_DIR to PostgreSQL. */

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { type Command, defineCommand, flag, text } from "../../src/cli/command.ts";
import { CommandFailed, UsageError } from "../../src/cli/errors.ts";
import type { ProgressWriter } from "../../src/cli/report.ts";
import { type CommandReport, table } from "../../src/cli/report.ts";
import { ConfigError, processEnvironment, readConfig } from "../../src/config/config.ts";
import { databaseUrl } from "../../src/config/values.ts";
import { HEADWATER } from "../../src/core/command-name.ts";
import { attemptsPath, connect, ledgerPath, openDatabase } from "../../src/ledger/sqlite/database.ts";
import { refuseMarked, removeMark } from "../../src/ledger/sqlite/folder-mark.ts";
import { lockDataDir } from "../../src/ledger/sqlite/lock.ts";

/** Fails when the file is not a database. */
const readVersion = (database: DatabaseSync) => void database.prepare("pragma user_version").get();

async function moveTo(url: string, dataDir: string, progress: ProgressWriter) {
  const { openTarget, moveLedger } = await import("./copy.ts");
  const onPage = (name: string) => progress(() => `Moving ${name} …`);
  const ledger = openDatabase(dataDir);
  const history = attemptsPath(dataDir);
  const attempts = existsSync(history) ? connect(history, readVersion) : null;
  try {
    const target = await openTarget(url);
    try {
      return await moveLedger({ dataDir, ledger, attempts, target, onPage });
    } finally {
      await target.end();
    }
  } finally {
    attempts?.close();
    ledger.close();
  }
}

function toCommandFailure(error: unknown): CommandFailed {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (name === "UnfitPostgres" || name === "TargetInUse") return new CommandFailed(message);
  return new CommandFailed(`${message}. Run the same command again to continue where it stopped.`);
}

/** Makes DATA_DIR servable again. A later move gets another id, so it cannot continue in the same database. */
function giveUp(dataDir: string): CommandReport {
  const text = removeMark(dataDir, "move")
    ? "The move is abandoned. You can start the service with this DATA_DIR again. The copied data stays in PostgreSQL, so a later move needs a new, empty database."
    : "The ledger in DATA_DIR is not being moved, so there is nothing to give up.";
  return { json: { ok: true }, text };
}

async function moveAndReport(url: string, dataDir: string, progress: ProgressWriter): Promise<CommandReport> {
  const moved = await moveTo(url, dataDir, progress).catch((error: unknown) => {
    throw toCommandFailure(error);
  });
  const differing = moved.filter(({ from, to }) => from !== to);
  if (differing.length > 0) {
    const differences = differing
      .map(({ name, from, to }) => `${name} (${from} in DATA_DIR, ${to} in PostgreSQL)`)
      .join(", ");
    throw new CommandFailed(
      `The counts differ after the move: ${differences}. No service can use that database. DATA_DIR still has everything. Create a new, empty database and move to it.`,
    );
  }
  const rows = moved.map(({ name, from, to }) => [name, from, to]);
  return {
    json: { moved },
    text: table(["what", "in DATA_DIR", "in PostgreSQL"], rows),
    note: "Start the service with DATABASE_URL set to that database. DATA_DIR is unchanged, but a service can no longer use it.",
  };
}

export const move: Command = defineCommand({
  description: "Move the ledger in DATA_DIR to PostgreSQL",
  details: ["Stop the service first. After an interruption, run the command again to resume."],
  options: {
    to: text("postgres://…", "An empty database"),
    "give-up": flag("Abandon a move, so that the service can use DATA_DIR again"),
  },
  run: async ({ to, "give-up": isGivenUp }, { progress }) => {
    const { DATA_DIR: dataDir } = readConfig(processEnvironment());
    if ((to === undefined) !== isGivenUp)
      throw new UsageError(`\`${HEADWATER} move\` needs either --to postgres://… or --give-up.`);
    refuseMarked(dataDir, ["move"]);
    if (!existsSync(ledgerPath(dataDir)))
      throw new CommandFailed(
        `There is no ledger in DATA_DIR ${dataDir}. Set DATA_DIR to the service's folder.`,
      );
    const url = to === undefined ? null : parseDatabaseUrl(to);
    const unlock = lockDataDir(dataDir);
    try {
      return url === null ? giveUp(dataDir) : await moveAndReport(url, dataDir, progress);
    } finally {
      unlock();
    }
  },
});

function parseDatabaseUrl(text: string): string {
  try {
    const url = databaseUrl(text);
    if (url !== null) return url;
  } catch {
    // the message of `databaseUrl` may contain the password
  }
  throw new ConfigError("--to must be a URL such as postgres://user:password@host:5432/database.");
}
