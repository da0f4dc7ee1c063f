/** Metrics of the process itself, under the names that Prometheus clients of all languages use, and of the event loop. */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BuildInfo } from "../config/build-info.ts";
import { SECOND_MS } from "../core/time.ts";
import { counterFamily, gaugeFamily, type MetricFamily, type MetricSamples } from "./metric-family.ts";

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

async function labelBuild(build: Promise<BuildInfo>): Promise<MetricSamples> {
  const { version, commit, isModified } = await build;
  const labels = { version, commit: commit ?? "", modified: String(isModified), node: process.version };
  return [[labels, 1]];
}

export function createProcessMetrics(build: Promise<BuildInfo>): readonly MetricFamily<void>[] {
  const maxFiles = readMaxFiles();
  return [
    gaugeFamily("headwater_build_info", "Always 1; the labels have the versions", () => labelBuild(build), [
      "version",
      "commit",
      "modified",
      "node",
    ]),
    gaugeFamily(
      "headwater_event_loop_delay_seconds",
      "Delay of the event loop since the last scrape: median, 99th percentile and maximum",
      createDelayReader(),
      ["stat"],
    ),
    counterFamily("process_cpu_seconds_total", "User and system CPU time", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    }),
    gaugeFamily(
      "process_start_time_seconds",
      "Unix time at which the process started",
      () => performance.timeOrigin / SECOND_MS,
    ),
    gaugeFamily("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss()),
    gaugeFamily("process_open_fds", "Open files and connections", readOpenFiles),
    gaugeFamily("process_max_fds", "Maximum number of open files", () => maxFiles),
    gaugeFamily(
      "nodejs_heap_size_used_bytes",
      "JavaScript heap in use by the main thread",
      () => process.memoryUsage().heapUsed,
    ),
  ];
}
