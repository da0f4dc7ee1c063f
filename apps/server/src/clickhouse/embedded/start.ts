/** Starts the process of the embedded warehouse. */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { WarehouseProcess } from "../warehouse.ts";
import type { OpenRequest, OpenResult } from "./child.ts";
import { writeEndpoint } from "./endpoint-file.ts";

export interface EmbeddedOptions {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** The folder that backups are read from. Default: `backups` in the engine's folder, emptied at each start. */
  backups?: string;
  /** More arguments of the engine; tests configure a cluster with them. */
  moreArguments?: readonly string[];
}

const CHILD = new URL("./child.ts", import.meta.url);
const USER = "headwater";
export const DATABASE = "headwater";
/** Size of the thread pool that queries run on: three reads, four exports, two inserts, one KILL; the rest is for files. */
const POOL_THREADS = "16";

/**
 * Configures the engine's allocator (jemalloc's TUNING.md). An arena keeps freed memory for seconds, and by default every
 * processor has an arena; one for two threads is enough (docs/decisions/0014).
 */
const allocatorOptions = (threads: number) => `percpu_arena:disabled,narenas:${Math.ceil(threads / 2)}`;

/** Whether the engine is installed. It is an optional package, and not every platform has a build. */
export function isInstalled(): boolean {
  try {
    import.meta.resolve("chdb");
    const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : ""}`;
    import.meta.resolve(`@chdb/lib-${platform}`);
    return true;
  } catch {
    return false;
  }
}

const forkChild = (folder: string, threads: number) =>
  fork(CHILD, {
    // the engine would read a config.xml of its working directory
    cwd: folder,
    // times without a zone are UTC
    env: { TZ: "UTC", UV_THREADPOOL_SIZE: POOL_THREADS, JE_MALLOC_CONF: allocatorOptions(threads) },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });

/** Null where there is no /proc, and after the process has ended. */
function residentBytesOf(pid: number | undefined): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  } catch {
    return null;
  }
}

/**
 * @param signal cancels a start that has not finished
 * @throws Error when the engine cannot be opened or the start was cancelled; no process is left running then
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  signal?: AbortSignal,
): Promise<WarehouseProcess> {
  signal?.throwIfAborted();
  const { folder, memoryBytes, threads, backups = null, moreArguments = [] } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString("base64url");
  const child = forkChild(folder, threads);
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(`its process ended (${signal ?? `exit code ${code}`})`));
  });
  const end = () => void child.kill("SIGKILL");
  const request: OpenRequest = {
    folder: resolve(folder),
    backups: backups === null ? null : resolve(backups),
    memoryBytes,
    threads,
    moreArguments,
    username: USER,
    password,
  };
  const late = Promise.withResolvers<OpenResult>();
  const failure = `it did not answer within ${SERVER_LIMITS.warehouseStartMs / 1_000} s`;
  const startTimer = setTimeout(late.resolve, SERVER_LIMITS.warehouseStartMs, { failure });
  signal?.addEventListener("abort", end);
  try {
    const opened = new Promise<OpenResult>((resolve) => child.once("message", resolve));
    // a failed send needs no handling: the end of the child settles the start
    child.send(request, () => undefined);
    const died = ended.then((reason) => ({ failure: reason }));
    const result = await Promise.race([opened, died, late.promise]);
    if ("failure" in result) throw new Error(`The embedded warehouse cannot be opened: ${result.failure}`);
    const url = `http://127.0.0.1:${result.port}`;
    const endpoint = { url, username: USER, password, database: DATABASE, cluster: null };
    writeEndpoint(folder, endpoint);
    return { endpoint, ended, end, residentBytes: () => residentBytesOf(child.pid) };
  } catch (error) {
    end();
    throw error;
  } finally {
    clearTimeout(startTimer);
    signal?.removeEventListener("abort", end);
  }
}
