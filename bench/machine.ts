/** Describes the machine and reads CPU time and memory of processes from /proc. */
import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";

/** USER_HZ, the unit of times in /proc: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const SYNCS = 50;

function output(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch (error) {
    // `wrk -v` prints its version and exits with 1
    const { stdout } = error as { stdout?: string };
    return stdout ? stdout.trim() : null;
  }
}

/** CPU seconds of a process, summed over its threads. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** CPU seconds of a process and of its descendants that still run. */
export function cpuSecondsWithChildren(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsWithChildren(child), cpuSecondsOf(pid));
}

export interface ResidentMemory {
  /** In MiB. */
  service: number;
  /** The process of the embedded warehouse, in MiB; 0 when there is none. */
  warehouse: number;
}

const WAREHOUSE = /embedded\/child/;

/** Resident memory of a process and its descendants, in MiB. */
export function residentMib(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  const isWarehouse = WAREHOUSE.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  const own = isWarehouse ? { service: 0, warehouse: mib } : { service: mib, warehouse: 0 };
  return childrenOf(pid)
    .map(residentMib)
    .reduce(
      (sum, one) => ({ service: sum.service + one.service, warehouse: sum.warehouse + one.warehouse }),
      own,
    );
}

/** Steal time: CPU seconds that the hypervisor gave to other guests since boot, summed over all cores. */
export function stolenSeconds(): number {
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/\s+/);
  return Number(fields[8] ?? 0) / TICKS_PER_SECOND;
}

/** Median milliseconds of a durable write in the folder of the ledger; every commit waits for one. */
function syncMilliseconds(folder: string): number {
  const file = join(folder, "sync-probe");
  const handle = openSync(file, "w");
  const block = Buffer.alloc(4_096, 1);
  const times: number[] = [];
  for (let turn = 0; turn < SYNCS; turn++) {
    const started = performance.now();
    writeSync(handle, block);
    fdatasyncSync(handle);
    times.push(performance.now() - started);
  }
  closeSync(handle);
  rmSync(file);
  return times.sort((a, b) => a - b)[SYNCS / 2]!;
}

const hasTaskset = output("taskset", ["--version"]) !== null;
export const hasWrk = (output("wrk", ["-v"]) ?? "").includes("wrk");

/** The core of the load generator, which is the last; null without taskset or with only one core. */
export const generatorCore = hasTaskset && availableParallelism() > 1 ? availableParallelism() - 1 : null;

/** The command line that runs the program on one core; null: not pinned. */
export function pinnedCommand(
  core: number | null,
  command: string,
  args: readonly string[],
): [string, string[]] {
  return core === null ? [command, [...args]] : ["taskset", ["-c", String(core), command, ...args]];
}

export function commitOf(folder: string): string {
  const commit = output("git", ["-C", folder, "rev-parse", "--short=12", "HEAD"]) ?? "unknown";
  const changed = output("git", ["-C", folder, "status", "--porcelain", "--", ".", ":!bench"]) ?? "";
  return changed === "" ? commit : `${commit} with changes`;
}

export function describeMachine(folder: string): Record<string, string> {
  const wrk = /wrk (?:debian\/)?([\d.]+)/.exec(output("wrk", ["-v"]) ?? "")?.[1] ?? "none";
  const filesystem = output("stat", ["-f", "-c", "%T", folder]) ?? "unknown";
  return {
    processor: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `Linux ${release()}`,
    Node: process.version,
    SQLite: process.versions.sqlite ?? "unknown",
    wrk,
    "ledger's disk": `${filesystem}, ${syncMilliseconds(folder).toFixed(2)} ms per durable write`,
    pinning: generatorCore === null ? "none (no taskset, or one core)" : `generator on core ${generatorCore}`,
  };
}
