/**
 * How far a query is, for a client that asked to be told by headers. They leave when the answer begins, together: what
 * a client reads is the same, and no sooner.
 */
import type { Engine, Progress } from "./engine.ts";

/** Headers of an answer have a bound with most clients; the newest are kept. */
const MOST_LINES = 50;
const LEAST_MS = 100;

export interface Watch {
  lines(): string[];
  stop(): void;
}

const lineOf = (progress: Progress) =>
  JSON.stringify({
    read_rows: String(progress.readRows),
    read_bytes: String(progress.readBytes),
    written_rows: String(progress.writtenRows),
    written_bytes: String(progress.writtenBytes),
    total_rows_to_read: String(progress.totalRows),
    elapsed_ns: String(Math.round(progress.elapsedSeconds * 1e9)),
  });

export function watchProgress(engine: Engine, queryId: string, intervalMs: number): Watch {
  let lines: string[] = [];
  let isAsking = false;
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    const progress = await engine.progress(queryId).catch(() => null);
    isAsking = false;
    if (progress) lines = [...lines, lineOf(progress)].slice(-MOST_LINES);
  };
  const timer = setInterval(() => void look(), Math.max(intervalMs, LEAST_MS));
  return { lines: () => lines, stop: () => clearInterval(timer) };
}
