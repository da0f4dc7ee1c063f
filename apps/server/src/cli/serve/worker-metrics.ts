/**
 * `/metrics` with several workers. A scrape reaches any one of them. That worker asks the primary process, which asks all
 * workers and adds their reports up. So every scrape shows the same counters, whichever worker it reaches.
 */
import type { Worker } from "node:cluster";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { MetricsReport } from "../../monitoring/metric-family.ts";

type Report = () => Promise<MetricsReport>;

/** Messages of a worker. `scrape`: it was scraped and needs the text. `report`: its metrics, which the primary asked for. */
export type MetricsMessage =
  | { type: "scrape"; scrape: number }
  | { type: "report"; collection: number; report: MetricsReport };
/** Messages of the primary. `collect`: send your report. `answer`: the text for your scrape. */
type MetricsRequest =
  | { type: "collect"; collection: number }
  | { type: "answer"; scrape: number; text: string };

/** In a worker: answers the primary's requests. @returns a function that renders `/metrics` */
export function shareMetrics(report: Report): () => Promise<string> {
  const send = (message: MetricsMessage) => void process.send?.(message);
  const waiting = new Map<number, (text: string) => void>();
  let scrapes = 0;
  process.on("message", (message: MetricsRequest) => {
    if (message.type === "collect") {
      void report().then((own) => send({ type: "report", collection: message.collection, report: own }));
    } else {
      waiting.get(message.scrape)?.(message.text);
      waiting.delete(message.scrape);
    }
  });
  return () =>
    new Promise((resolve) => {
      scrapes += 1;
      waiting.set(scrapes, resolve);
      send({ type: "scrape", scrape: scrapes });
    });
}

interface KnownWorker {
  /** Its latest report. It is used when a new one does not arrive in time, and when the worker has ended. */
  latest: MetricsReport;
  /** Functions that end the wait for a report, by the number of the collection. */
  readonly waiting: Map<number, () => void>;
}

/** Calls back when the message was sent, with the error when the worker cannot be reached any more. */
const request = (worker: Worker, message: MetricsRequest, onSent: (error: Error | null) => void) =>
  void worker.send(message, onSent);

/** Resolves when the worker has reported, has ended, or has not reported in time. */
function collect(worker: Worker, { waiting }: KnownWorker, collection: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timeout);
      waiting.delete(collection);
      resolve();
    };
    const timeout = setTimeout(end, SERVER_LIMITS.metricsReportMs);
    waiting.set(collection, end);
    request(worker, { type: "collect", collection }, (error) => error && end());
  });
}

/** The primary's part. Call `receive` for every message and `end` for the end of every worker. */
export function createMetricsCollector() {
  const workers = new Map<Worker, KnownWorker>();
  let collections = 0;
  /** Counters of the workers that have ended: the sum over all workers must not go back. */
  let ended: MetricsReport = [];
  let lastEnd = Promise.resolve();

  async function answer(scraped: Worker, scrape: number): Promise<void> {
    collections += 1;
    const collection = collections;
    await Promise.all([...workers].map(([worker, known]) => collect(worker, known, collection)));
    const { renderReports } = await import("../../monitoring/metric-family.ts");
    const text = await renderReports([ended, ...[...workers.values()].map(({ latest }) => latest)]);
    request(scraped, { type: "answer", scrape, text }, () => undefined);
  }

  async function keepCounters(worker: Worker, latest: MetricsReport): Promise<void> {
    const { addEnded } = await import("../../monitoring/metric-family.ts");
    ended = await addEnded(ended, latest);
    // only after the counters are added: a scrape during the addition still needs the worker's latest report
    workers.delete(worker);
  }

  return {
    /** A worker is asked for reports after its first message, which says that it serves. */
    receive(worker: Worker, message: MetricsMessage | { type: "started" }): void {
      const known = workers.get(worker) ?? { latest: [], waiting: new Map() };
      workers.set(worker, known);
      if (message.type === "scrape") void answer(worker, message.scrape);
      if (message.type !== "report") return;
      known.latest = message.report;
      known.waiting.get(message.collection)?.();
    },
    end(worker: Worker): void {
      const known = workers.get(worker);
      if (!known) return;
      for (const resolve of known.waiting.values()) resolve();
      lastEnd = lastEnd.then(() => keepCounters(worker, known.latest));
    },
  };
}
