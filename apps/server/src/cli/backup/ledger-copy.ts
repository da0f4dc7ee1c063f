/** The ledger and the debug history, copied as of one moment each while a service writes to them. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CommandFailed } from "../failure.ts";

const BUSY_MS = 5_000;
const LEDGER = "ledger.sqlite";
/** The debug history; it may be missing. */
const ATTEMPTS = "attempts.sqlite";

const COUNTS = {
  [LEDGER]: {
    workspaces: "select count(*) as n from organizations",
    members: "select count(*) as n from members",
    sources: "select count(*) as n from sources where deleted_at is null",
    sessions: "select count(*) as n from sessions",
    "accepted events": "select coalesce(sum(accepted), 0) as n from usage",
    "events not shipped": "select events as n from outbox_totals",
  },
  [ATTEMPTS]: { attempts: "select count(*) as n from attempts" },
} as const;
export type File = keyof typeof COUNTS;

export interface Copied {
  file: string;
  path: string;
  bytes: number;
  counts: Record<string, number>;
}

/** On the disk, with what is in it. */
export function flush(path: string): void {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) flush(join(path, name));
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

const draftOf = (file: File, folder: string) => join(folder, `${file}.unfinished`);

/** As of now. It gets its name by `finish`, so that what was interrupted is never taken for a backup. */
export function draft(file: File, from: string, to: string): void {
  const path = draftOf(file, to);
  rmSync(path, { force: true });
  const database = new DatabaseSync(join(from, file), { readOnly: true, timeout: BUSY_MS });
  try {
    database.prepare("vacuum into ?").run(path);
    flush(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw new CommandFailed(`${join(from, file)} cannot be copied to ${to}: ${(error as Error).message}.`);
  } finally {
    database.close();
  }
}

/** Reads the copy itself: what cannot be read is no backup. */
function inspect(path: string, file: File): Copied {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const { integrity_check: verdict } = database.prepare("pragma integrity_check(1)").get() as {
      integrity_check: string;
    };
    if (verdict !== "ok")
      throw new CommandFailed(`The copy ${path} is damaged: ${verdict}. The ledger itself may be.`);
    const counts = Object.entries(COUNTS[file]).map(([name, sql]) => {
      const { n } = database.prepare(sql).get() as { n: number };
      return [name, n] as const;
    });
    return { file, path, bytes: statSync(path).size, counts: Object.fromEntries(counts) };
  } finally {
    database.close();
  }
}

/** @throws CommandFailed where there is no ledger */
export function filesOf(dataDir: string, flag: string): File[] {
  if (!existsSync(join(dataDir, LEDGER)))
    throw new CommandFailed(
      `There is no ledger in ${flag} ${dataDir}. Set ${flag} to the folder that has one.`,
    );
  return ([LEDGER, ATTEMPTS] as const).filter((file) => existsSync(join(dataDir, file)));
}

export function finish(file: File, to: string): Copied {
  const path = join(to, file);
  renameSync(draftOf(file, to), path);
  return inspect(path, file);
}
