/**
 * The engine: chDB on one folder. One of its sessions runs one query at a time and keeps what was set in it, so every
 * question has a session of its own (it costs 2 ms), and the number at work is bounded: inserts never wait for reads.
 */
import { join } from "node:path";
import type { Session as ChdbSession } from "chdb";
import { exception, exceptionOf } from "./exception.ts";
import { isInsert, killOf, preludeOf, progressOf, type Question } from "./question.ts";

/** Reads at work at once, writes at work at once, and how many of each may wait. */
const READS = 3;
const WRITES = 2;
const WAITING = 100;
/** A query that was told to end has so long to do it. */
const STUCK_MS = 10_000;

export interface Figures {
  rows: number;
  bytes: number;
  elapsedSeconds: number;
}

/** Of a query that is at work. */
export interface Progress {
  readRows: number;
  readBytes: number;
  writtenRows: number;
  writtenBytes: number;
  totalRows: number;
  elapsedSeconds: number;
}

export interface Answer {
  /** Ends, or throws an Exception. To leave it early cancels the query. */
  chunks: AsyncIterable<Uint8Array>;
  /** null: it is still at work. */
  figures: Figures | null;
}

export interface Engine {
  /**
   * Resolves when the first bytes of the answer are there.
   * @param signal ends the query
   * @throws Exception
   */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** null: it is not at work. */
  progress(queryId: string): Promise<Progress | null>;
  close(): void;
}

/** Where the engine writes backups to: a service may write nowhere else. */
export const backupsIn = (folder: string): string => join(folder, "backups");

export interface EngineOptions {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** The folder that backups are written to and read from. */
  backups: string;
  more: readonly string[];
  /** A query could not be ended: only a new process mends that. */
  onStuck(): void;
}

/** Formats of which every piece stands for itself, so that an answer may be sent as it comes. */
const IN_PIECES =
  /^(?:JSON(?:Strings)?EachRow|JSONLines|NDJSON|JSONCompact(?:Strings)?EachRow|CSV|TSV|TSVRaw|TabSeparated|TabSeparatedRaw|LineAsString)$/i;
const SELECT = /^\s*(?:SELECT|WITH)\b/i;

/** So many at once, then so many in a queue, and no more. */
function createLane(most: number) {
  let atWork = 0;
  const queue: (() => void)[] = [];
  return {
    async enter(): Promise<() => void> {
      if (queue.length >= WAITING)
        throw exception(
          202,
          "TOO_MANY_SIMULTANEOUS_QUERIES",
          "Too many queries wait for the embedded warehouse",
        );
      if (atWork >= most) await new Promise<void>((resolve) => queue.push(resolve));
      else atWork += 1;
      return () => {
        const next = queue.shift();
        // the place is handed on
        if (next) next();
        else atWork -= 1;
      };
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Caches that would grow to gigabytes are given a share of the memory that there is. */
const argumentsOf = ({ memoryBytes, threads, backups, more }: EngineOptions) => [
  `--max_server_memory_usage=${memoryBytes}`,
  `--mark_cache_size=${Math.floor(memoryBytes / 16)}`,
  `--primary_index_cache_size=${Math.floor(memoryBytes / 16)}`,
  `--query_condition_cache_size=${Math.floor(memoryBytes / 64)}`,
  `--compiled_expression_cache_size=${Math.floor(memoryBytes / 64)}`,
  `--background_pool_size=${threads}`,
  `--backups.allowed_path=${backups}`,
  ...more,
];

/**
 * For each session anew: what stands among the arguments holds for the first one only.
 * @param threads an insert has one: it comes without end, and ingest wants the other processors
 */
const settingsOf = ({ memoryBytes }: EngineOptions, threads: number) =>
  new Map([
    ["max_threads", String(threads)],
    // or it would be a thread for each GiB that is free, which is one
    ["max_threads_min_free_memory_per_thread", "0"],
    ["max_insert_threads", "1"],
    ["max_memory_usage", String(Math.floor(memoryBytes / 2))],
  ]);

/** @throws when the folder is in use by another process */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { Session } = await import("chdb");
  const open = () => new Session(options.folder);
  // holds the engine; the others come and go
  const control: ChdbSession = new Session(options.folder, { connectionArgs: argumentsOf(options) });
  await control.queryAsync("SELECT 1");
  const [ofReads, ofWrites] = [settingsOf(options, options.threads), settingsOf(options, 1)];
  const reads = createLane(READS);
  const writes = createLane(WRITES);

  /** Ends the query when the signal comes; what it returns is to be called when the query has ended. */
  const endOn = (signal: AbortSignal, queryId: string) => {
    let patience: NodeJS.Timeout | undefined;
    const end = () => {
      patience = setTimeout(options.onStuck, STUCK_MS);
      void control.queryAsync(killOf(queryId)).catch(() => undefined);
    };
    signal.addEventListener("abort", end, { once: true });
    return () => {
      clearTimeout(patience);
      signal.removeEventListener("abort", end);
    };
  };

  async function* pieces(session: ChdbSession, question: Question, done: () => void) {
    try {
      for await (const chunk of session.queryStream(question.sql, { format: question.format }))
        yield chunk.raw();
    } catch (error) {
      throw exceptionOf(error);
    } finally {
      done();
    }
  }

  return {
    async ask(question, signal) {
      const [lane, defaults] = isInsert(question.sql) ? [writes, ofWrites] : [reads, ofReads];
      const leave = await lane.enter();
      const session = open();
      const forget = endOn(signal, question.queryId);
      const done = () => {
        forget();
        session.close();
        leave();
      };
      const mustBeWanted = () => {
        if (signal.aborted) throw exception(394, "QUERY_WAS_CANCELLED", "Query was cancelled");
      };
      let isStreaming = false;
      try {
        mustBeWanted();
        await session.queryAsync(preludeOf(question, defaults));
        // what would end the question has found none if it was told meanwhile
        mustBeWanted();
        if (!question.isWhole && IN_PIECES.test(question.format) && SELECT.test(question.sql)) {
          const chunks = pieces(session, question, done);
          isStreaming = true;
          return await begun(chunks);
        }
        const result = await session.queryAsync(question.sql, { format: question.format });
        const { rowsRead: rows, bytesRead: bytes, elapsed: elapsedSeconds } = result;
        return { chunks: once(result.bytes()), figures: { rows, bytes, elapsedSeconds } };
      } catch (error) {
        throw exceptionOf(error);
      } finally {
        if (!isStreaming) done();
      }
    },
    progress: async (queryId) => {
      const result = await control.queryAsync(progressOf(queryId), { format: "JSONEachRow" });
      const text = Buffer.from(result.bytes()).toString("utf8").trim();
      return text === "" ? null : JSON.parse(text.split("\n")[0]!);
    },
    close: () => control.close(),
  };
}

/** Waits for the first piece, so that what fails at once fails before an answer has begun. */
async function begun(pieces: AsyncGenerator<Uint8Array>): Promise<Answer> {
  const first = await pieces.next();
  async function* all() {
    if (first.done) return;
    try {
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  }
  return { chunks: all(), figures: null };
}
