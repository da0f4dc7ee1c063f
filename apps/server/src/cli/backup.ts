/** `headwater backup`: a consistent copy of the ledger, made while a service writes to it. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineCommand } from "citty";
import { processEnvironment, readConfig } from "../config.ts";
import { JSON_FLAG } from "./arguments.ts";
import { CommandFailed } from "./failure.ts";
import { type Report, size, table } from "./report.ts";

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
type File = keyof typeof COUNTS;

const OF_POSTGRES =
  "The ledger is in the database of DATABASE_URL, which is backed up with PostgreSQL's own tools while the service runs: " +
  '`pg_dump --format=custom --file=headwater.dump "$DATABASE_URL"`, or a base backup with archived WAL for a restore ' +
  "to any moment (see docs/operate.md).";

function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * Copies a database as of one moment; writers go on meanwhile. The copy gets its name when it is whole and on disk,
 * so that what was interrupted is never taken for a backup.
 */
function copy(from: string, to: string): void {
  const draft = `${to}.unfinished`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(from, { readOnly: true, timeout: BUSY_MS });
  try {
    database.prepare("vacuum into ?").run(draft);
    flush(draft);
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandFailed(`${from} cannot be copied to ${to}: ${(error as Error).message}.`);
  } finally {
    database.close();
  }
}

/** Reads the copy itself: what cannot be read is no backup. */
function inspect(path: string, file: File) {
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
type Copied = ReturnType<typeof inspect>;

function filesToCopy(dataDir: string, target: string): File[] {
  if (!existsSync(join(dataDir, LEDGER))) {
    throw new CommandFailed(
      `There is no ledger in DATA_DIR ${dataDir}. Set DATA_DIR to the folder of the service.`,
    );
  }
  const files = ([LEDGER, ATTEMPTS] as const).filter((file) => existsSync(join(dataDir, file)));
  const taken = files.find((file) => existsSync(join(target, file)));
  if (taken === undefined) return files;
  throw new CommandFailed(`${join(target, taken)} exists already; give --to a folder that holds no backup.`);
}

const row = ({ path, bytes, counts }: Copied) => [
  path,
  size(bytes),
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", "),
];

export const backup = defineCommand({
  meta: { description: "Copy the ledger and the debug history to a folder, while the service runs" },
  args: {
    to: {
      type: "string",
      valueHint: "folder",
      required: true,
      description: "Where to; it is made when missing",
    },
    ...JSON_FLAG,
  },
  run: ({ args }): Report => {
    const { DATA_DIR: dataDir, DATABASE_URL: url } = readConfig(processEnvironment());
    if (url !== null) throw new CommandFailed(OF_POSTGRES);
    const target = resolve(args.to);
    const files = filesToCopy(dataDir, target);
    mkdirSync(target, { recursive: true, mode: 0o700 });
    const copied = files.map((file) => {
      copy(join(dataDir, file), join(target, file));
      return inspect(join(target, file), file);
    });
    flush(target);
    const note =
      "To restore: stop the service, and start it with DATA_DIR set to a folder that holds nothing but these files.";
    return { json: { files: copied }, text: table(["file", "size", "holds"], copied.map(row)), note };
  },
});
