/** Metrics of the process itself, under the names that Prometheus clients of all languages use, and of the event loop. */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BuildInfo } from "../config/build-info.ts";
import { SECOND_MS } from "../core/time.ts";
import { counter, gauge, type MetricSamples } from "./scraped-metrics.ts";

const MICROSECONDS = 1_000_000;
const NANOSECONDS = 1_000_000_000;
/** How often the delay of the event loop is sampled. */
const SAMPLE_MS = 20;

function createDelayReader(): () => MetricSamples {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
  /** The histogram holds the time between two samples. */
  const toDelay = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - SAMPLE_MS / SECOND_MS);
  let delays = { p50: 0, p99: 0, max: 0 };
  return () => {
    // a scrape right after another one has no samples of its own
    if (histogram.count > 0) {
      const [p50, p99] = [histogram.percentile(50), histogram.percentile(99)];
      delays = { p50: toDelay(p50), p99: toDelay(p99), max: toDelay(histogram.max) };
      histogram.reset();
    }
    return Object.entries(delays).map(([stat, seconds]) => [{ stat }, seconds]);
  };
}

const readOpenFiles = () =>
  readdir("/proc/self/fd").then(
    ({ length }) => length,
    () => null,
  );

/** Null where there is no /proc, and when the number is not limited. */
function readMaxFiles(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

export const PROCESS_METRICS = {
  headwater_build_info: gauge(
    "Always 1; the labels have the versions",
    "version",
    "commit",
    "modified",
    "node",
  ),
  headwater_event_loop_delay_seconds: gauge(
    "Delay of the event loop since the last scrape: median, 99th percentile and maximum",
    "stat",
  ),
  process_cpu_seconds_total: counter("User and system CPU time"),
  process_start_time_seconds: gauge("Unix time at which the process started"),
  process_resident_memory_bytes: gauge("Resident memory"),
  process_open_fds: gauge("Open files and connections"),
  process_max_fds: gauge("Maximum number of open files"),
  nodejs_heap_size_used_bytes: gauge("JavaScript heap in use by the main thread"),
};

type ProcessValues = Record<keyof typeof PROCESS_METRICS, MetricSamples>;

export function createProcessReader(build: Promise<BuildInfo>): () => Promise<ProcessValues> {
  const maxFiles = readMaxFiles();
  const readDelays = createDelayReader();
  return async () => {
    const { version, commit, isModified } = await build;
    const labels = { version, commit: commit ?? "", modified: String(isModified), node: process.version };
    const { user, system } = process.cpuUsage();
    return {
      headwater_build_info: [[labels, 1]],
      headwater_event_loop_delay_seconds: readDelays(),
      process_cpu_seconds_total: (user + system) / MICROSECONDS,
      process_start_time_seconds: performance.timeOrigin / SECOND_MS,
      process_resident_memory_bytes: process.memoryUsage.rss(),
      process_open_fds: await readOpenFiles(),
      process_max_fds: maxFiles,
      nodejs_heap_size_used_bytes: process.memoryUsage().heapUsed,
    };
  };
}
