/** `WORKERS=n`: as many processes behind one port, each a node of its own on the shared ledger. */
import cluster, { type Worker } from "node:cluster";
import type { RunningServer } from "../server.ts";

/** What a worker tells of its start. */
export type Started = Pick<RunningServer, "url" | "firstStart">;

/** A worker that ends by itself is replaced, though not faster than this. */
const RESTART_MS = 1_000;

/** Is this one of them? */
export const isWorker = (): boolean => cluster.isWorker;

export const tellStarted = ({ url, firstStart }: Started): void =>
  void process.send?.({ url, firstStart } satisfies Started);

const untilStarted = (worker: Worker): Promise<Started> =>
  new Promise((resolve) => worker.once("message", (started: Started) => resolve(started)));

/**
 * Starts the workers, the first alone: it brings the ledger up to date and may be the first ever. One that cannot start
 * has said why, and ends them all. Told to stop, the process ends when each of them has answered what it was asked.
 */
export function serveByWorkers(count: number, port: number, announce: (started: Started) => void): void {
  let stopping = false;
  let failure = 0;
  /** Once one has served, one that cannot start may have come at a bad moment: the others go on. */
  let hasServed = false;

  const stop = () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM");
  };
  let given: { PORT: string; PORT_FILE?: undefined } = { PORT: String(port) };
  const add = () => {
    const worker = cluster.fork(given);
    let isUp = false;
    const started = untilStarted(worker);
    void started.then(() => {
      isUp = true;
      hasServed = true;
    });
    worker.on("exit", (code) => {
      if (!isUp && !hasServed) {
        // null: a signal ended it
        failure = code ?? 1;
        stop();
      }
      if (!stopping) setTimeout(() => stopping || add(), RESTART_MS);
      if (Object.keys(cluster.workers ?? {}).length === 0 && stopping) process.exit(failure);
    });
    return started;
  };

  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  void add().then((started) => {
    // the first alone says where
    given = { ...given, PORT_FILE: undefined };
    announce(started);
    for (let number = 1; number < count && !stopping; number += 1) void add();
  });
}
