/** Starts the process of the embedded warehouse, and tells when it has ended. */

import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { WarehouseProcess } from "../../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { Order, Report } from "./child.ts";
import { announce } from "./joining.ts";

export interface EmbeddedOptions {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** The folder that backups are read from; default: `backups` in its own, which each start empties. */
  backups?: string;
  /** Further arguments of the engine: tests have a cluster by them. */
  more?: readonly string[];
}

const CHILD = new URL("./child.ts", import.meta.url);
const USER = "headwater";
export const DATABASE = "headwater";
/** Queries run on threads of this pool: three reads, two writes, what ends one, and files and compression beside them. */
const POOL_THREADS = "12";

/**
 * For the engine's allocator (jemalloc, TUNING.md), in the variable that it reads. What a query has freed stays with its
 * arena for seconds, and the engine's own way is an arena for each processor, so that each of them keeps what the largest
 * query took. One is enough for two threads.
 */
const allocationOf = (threads: number) => `percpu_arena:disabled,narenas:${Math.ceil(threads / 2)}`;

/** Is the engine installed here? It is an optional package, and not every platform has one. */
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

/**
 * @param signal gives up a start that is under way
 * @throws when it cannot be opened, or was given up; nothing is left running then
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  signal?: AbortSignal,
): Promise<WarehouseProcess> {
  signal?.throwIfAborted();
  const { folder, memoryBytes, threads, backups = null, more = [] } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString("base64url");
  const child = fork(CHILD, {
    // the engine takes a file config.xml of its folder for its own
    cwd: folder,
    // times without a zone are UTC
    env: { TZ: "UTC", UV_THREADPOOL_SIZE: POOL_THREADS, JE_MALLOC_CONF: allocationOf(threads) },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(`its process ended (${signal ?? `exit code ${code}`})`));
  });
  const end = () => void child.kill("SIGKILL");
  const order: Order = {
    folder: resolve(folder),
    backups: backups === null ? null : resolve(backups),
    memoryBytes,
    threads,
    more,
    username: USER,
    password,
  };
  const patience = setTimeout(end, SERVER_LIMITS.warehouseStartMs);
  signal?.addEventListener("abort", end);
  try {
    const reported = new Promise<Report>((resolve) =>
      child.once("message", (said) => resolve(said as Report)),
    );
    child.send(order, () => undefined);
    const report = await Promise.race([reported, ended.then((reason) => ({ failure: reason }))]);
    if ("failure" in report) throw new Error(`The embedded warehouse cannot be opened: ${report.failure}`);
    const url = `http://127.0.0.1:${report.port}`;
    const endpoint = { url, username: USER, password, database: DATABASE, cluster: null };
    announce(folder, endpoint);
    return { endpoint, ended, end };
  } catch (error) {
    end();
    throw error;
  } finally {
    clearTimeout(patience);
    signal?.removeEventListener("abort", end);
  }
}
