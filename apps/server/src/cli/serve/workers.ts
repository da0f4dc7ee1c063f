/** `WORKERS=n`: n processes that share one port and one ledger. Each is a node of its own. */
import cluster, { type Worker } from "node:cluster";
import type { RunningServer } from "../../server.ts";
import { createMetricsCollector, type MetricsMessage } from "./worker-metrics.ts";

/** The message of a worker that has started. */
export type StartedWorker = Pick<RunningServer, "url" | "signInUrl" | "firstStart">;

type WorkerMessage = ({ type: "started" } & StartedWorker) | MetricsMessage;

/** A worker that ended by itself is replaced after this pause. */
const RESTART_MS = 1_000;

export const isWorker = (): boolean => cluster.isWorker;

export const reportStarted = ({ url, signInUrl, firstStart }: StartedWorker): void =>
  void process.send?.({ type: "started", url, signInUrl, firstStart } satisfies WorkerMessage);

const whenStarted = (worker: Worker): Promise<StartedWorker> =>
  new Promise((resolve) =>
    worker.on("message", (message: WorkerMessage) => {
      if (message.type === "started") resolve(message);
    }),
  );

/**
 * Starts the first worker alone: it migrates the ledger and, if the ledger is empty, creates the owner. Then starts the
 * others. If a worker ends before any worker has served, all are stopped. On SIGTERM or SIGINT every worker finishes its
 * requests, and then the process ends.
 */
export function serveByWorkers(
  count: number,
  port: number,
  announce: (started: StartedWorker) => void,
): void {
  let isStopping = false;
  let exitCode = 0;
  let hasServed = false;
  const metrics = createMetricsCollector();
  let environment: { PORT: string; PORT_FILE?: undefined } = { PORT: String(port) };

  const stop = () => {
    isStopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM");
  };
  const addWorker = () => {
    const worker = cluster.fork(environment);
    const started = whenStarted(worker);
    worker.on("message", (message: WorkerMessage) => metrics.receive(worker, message));
    void started.then(() => {
      hasServed = true;
    });
    worker.on("exit", (code) => {
      metrics.end(worker);
      if (!hasServed) {
        // a worker that was ended by a signal has no exit code
        exitCode = code ?? 1;
        stop();
      }
      if (!isStopping) setTimeout(() => isStopping || addWorker(), RESTART_MS);
      if (Object.keys(cluster.workers ?? {}).length === 0 && isStopping) process.exit(exitCode);
    });
    return started;
  };

  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  void addWorker().then((started) => {
    // only the first worker writes the port to PORT_FILE
    environment = { ...environment, PORT_FILE: undefined };
    announce(started);
    for (let number = 1; number < count && !isStopping; number += 1) void addWorker();
  });
}
