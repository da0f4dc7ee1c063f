/**
 * A PostgreSQL server of the tests' own: its own folder, reached through a socket in it, never the machine's service.
 * It ends with the process that started it, however that ends, and takes its folder along.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

const DEBIAN = "/usr/lib/postgresql";
const MEMORY = "/dev/shm";
/** As many databases as the tests have at once, and the log. */
const ROOM_BYTES = 2 ** 31;
const START_MS = 30_000;
const TRY_MS = 50;

/** The folder of the newest installed server's programs; null: there is none of 14 or later. */
export function postgresPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = Math.max(...versions.filter((version) => version >= 14));
  const programs = join(DEBIAN, String(newest), "bin");
  return existsSync(join(programs, "postgres")) ? programs : null;
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

const run = promisify(execFile);

/** In memory if there is room: ext4 takes long to find inodes for the hundreds of files of each new database. */
function newFolder(): string {
  const hasRoom = existsSync(MEMORY) && statfsSync(MEMORY).bavail * statfsSync(MEMORY).bsize > ROOM_BYTES;
  return mkdtempSync(join(hasRoom ? MEMORY : tmpdir(), "headwater-postgres-"));
}

export interface Cluster {
  /** The URL of a database of this cluster. */
  url(database?: string): string;
  /** As `pg_ctl stop -m immediate` does it: the server is gone without a word, as after a crash. */
  crash(): Promise<void>;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** The process id of the server, to be stopped and continued. */
  pid(): number;
  stop(): Promise<void>;
}

/** Ends the server when the standard input of the shell closes, which it does when its parent ends; then removes its folder. */
const KEEPER = `folder=$1; shift; "$@" & server=$!; echo $server; read word; kill -INT $server 2> /dev/null
  wait $server; [ "$word" = keep ] || rm -rf "$folder"`;

/** @param settings as in postgresql.conf; by default nothing waits for the disk, which only a loss of power would notice */
export async function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const programs = postgresPrograms();
  assert.ok(programs, `there is no PostgreSQL in ${DEBIAN}`);
  const owner = unprivileged();
  const folder = newFolder();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (owner) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid);
  const asOwner = { ...owner, cwd: folder };
  const url = (database = "postgres") => `postgres://postgres@${encodeURIComponent(folder)}/${database}`;

  await run(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
    asOwner,
  );
  const all = {
    listen_addresses: "",
    unix_socket_directories: folder,
    max_connections: "200",
    fsync: "off",
    full_page_writes: "off",
    max_wal_size: "128MB",
    log_min_messages: "fatal",
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let keeper: ChildProcess | null = null;
  let server = 0;

  const start = async () => {
    const words = ["-c", KEEPER, "sh", folder, join(programs, "postgres"), "-D", data, ...flags];
    const started = spawn("sh", words, { ...asOwner, stdio: ["pipe", "pipe", "ignore"] });
    keeper = started;
    const [line] = (await new Promise((resolve) =>
      started.stdout!.once("data", (text) => resolve([text])),
    )) as [Buffer];
    server = Number(line.toString());
    started.stdout!.destroy();
    // a process that has nothing else to do ends, and the server with it
    started.unref();
    (started.stdin as Socket).unref();
    await accepting(url());
  };
  const ended = async (word: string) => {
    const ending = keeper;
    keeper = null;
    if (!ending) return;
    const exit = ending.exitCode === null ? new Promise((resolve) => ending.once("exit", resolve)) : null;
    ending.ref();
    ending.stdin!.end(`${word}\n`);
    await exit;
  };

  await start();
  return {
    url,
    start,
    pid: () => server,
    crash: async () => {
      process.kill(server, "SIGQUIT");
      await ended("keep");
    },
    stop: () => ended("remove"),
  };
}

async function accepting(url: string): Promise<void> {
  const end = Date.now() + START_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: START_MS });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(TRY_MS);
    }
  }
}

/** Runs one statement outside any pool. */
export async function query<R extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Stops every process of the server. @returns lets them go on */
export function freezeServer(cluster: Cluster): () => void {
  const postmaster = cluster.pid();
  // first the one that starts the others, so that none is missed
  process.kill(postmaster, "SIGSTOP");
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  const others = children.trim().split(" ").map(Number);
  for (const pid of others) process.kill(pid, "SIGSTOP");
  return () => {
    for (const pid of [postmaster, ...others]) {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // it ended meanwhile
      }
    }
  };
}
