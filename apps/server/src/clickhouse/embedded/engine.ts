/**
 * The engine: chDB on one folder. A session of chDB runs one query at a time and keeps its settings, so every request gets
 * a session of its own (2 ms). Reads and inserts have separate limits, so that inserts never wait for reads.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Session } from "chdb";
import { AdmissionFull, createAdmission } from "../../overload/admission.ts";
import { exception, toException } from "./exception.ts";
import { type EngineRequest, intoFile, isInsert, killQuery, prepareSession } from "./request.ts";

const MAX_READS = 3;
/** Answers that are files wait for their readers, who may be slow. Exports have a limit of their own (`maxExports`). */
const MAX_FILES = 4;
const MAX_INSERTS = 2;
const MAX_WAITING = 100;
/** If a killed query has not ended after this time, the process is restarted. */
const KILL_TIMEOUT_MS = 10_000;

export interface Engine {
  /**
   * Runs a request. Resolves with the answer's chunks once the first of them is there. Leaving the iteration early ends
   * the query.
   * @param signal kills the query
   * @throws ClickHouseException, from the call or from the iteration
   */
  run(request: EngineRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

/** The subfolder of request bodies and of the pipes of answers. It is emptied at each start. */
export const FILES = "inbox";

/** The folder of backups, the only one that the engine may write them to. */
export const backupsIn = (folder: string): string => join(folder, "backups");

interface EngineOptions {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** The folder that backups are written to and read from. */
  backups: string;
  moreArguments: readonly string[];
  /** Called when a killed query does not end: only a new process helps then. */
  onStuck(): void;
}

/** Formats whose answers can be cut into chunks of whole rows, so that they can be streamed. */
const STREAMABLE_FORMATS =
  /^(?:JSON(?:Strings)?EachRow|JSONLines|NDJSON|JSONCompact(?:Strings)?EachRow|CSV|TSV|TSVRaw|TabSeparated|TabSeparatedRaw|LineAsString)$/i;
/** The answer is one file. chDB returns it only as a whole, so the engine writes it to a pipe. */
const FILE_FORMATS = /^Parquet$/i;
const SELECT = /^\s*(?:SELECT|WITH)\b/i;

/** Each cache gets a share of the memory; by default they would grow to gigabytes. */
const argumentsOf = ({ memoryBytes, threads, backups, moreArguments }: EngineOptions) => [
  `--max_server_memory_usage=${memoryBytes}`,
  `--mark_cache_size=${Math.floor(memoryBytes / 16)}`,
  `--primary_index_cache_size=${Math.floor(memoryBytes / 16)}`,
  `--query_condition_cache_size=${Math.floor(memoryBytes / 64)}`,
  `--compiled_expression_cache_size=${Math.floor(memoryBytes / 64)}`,
  `--background_pool_size=${threads}`,
  `--backups.allowed_path=${backups}`,
  ...moreArguments,
];

/** Settings of every session: settings among the engine's arguments apply only to its first session. */
const sessionSettings = ({ memoryBytes }: EngineOptions, threads: number) =>
  new Map([
    ["max_threads", String(threads)],
    // by default the engine allows one thread for each GiB of free memory
    ["max_threads_min_free_memory_per_thread", "0"],
    ["max_insert_threads", "1"],
    ["max_memory_usage", String(Math.floor(memoryBytes / 2))],
  ]);

/** Limits how many requests of one kind run at once. */
function createLane(maxActive: number, defaults: ReadonlyMap<string, string>) {
  const admission = createAdmission({ maxActive, maxAdmitted: maxActive + MAX_WAITING });
  const enter = (signal: AbortSignal) =>
    admission.enter("", signal).catch((error: unknown) => {
      throw error instanceof AdmissionFull
        ? exception(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many queries wait for the embedded warehouse")
        : cancelled();
    });
  return { defaults, enter };
}

const cancelled = () => exception(394, "QUERY_WAS_CANCELLED", "Query was cancelled");

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** @param onEnd called when the iteration ends, however it ends */
async function* streamRows(session: Session, { statement, format }: EngineRequest, onEnd: () => void) {
  try {
    for await (const chunk of session.queryStream(statement, { format })) yield chunk.raw();
  } catch (error) {
    throw toException(error);
  } finally {
    onEnd();
  }
}

const runProgram = promisify(execFile);

/** A named pipe. Its reader gets the end of the file when `writer` and the engine have closed it. */
async function openPipe(path: string): Promise<{ reader: Socket; writer: number }> {
  await runProgram("mkfifo", ["-m", "600", path]);
  // otherwise each end would wait for the other
  const open = (flag: number) => openSync(path, flag | constants.O_NONBLOCK);
  const reader = new Socket({ fd: open(constants.O_RDONLY), readable: true, writable: false });
  return { reader, writer: open(constants.O_WRONLY) };
}

/**
 * Lets the engine write the answer to a pipe, so that it waits for its reader.
 * @param onEnd called when the query has ended
 */
async function* streamFile(
  session: Session,
  { statement, format }: EngineRequest,
  path: string,
  onEnd: () => void,
) {
  const { reader, writer } = await openPipe(path).catch((error: unknown) => {
    onEnd();
    throw toException(error);
  });
  const writing = session.queryAsync(intoFile(statement, path), { format }).finally(async () => {
    onEnd();
    closeSync(writer);
    await rm(path);
  });
  // thrown below; without this it would count as unhandled until then
  writing.catch(() => undefined);
  try {
    yield* reader;
    await writing;
  } catch (error) {
    throw toException(error);
  } finally {
    // without a reader the query ends
    reader.destroy();
  }
}

const isFile = ({ statement, format, isWhole }: EngineRequest) =>
  !isWhole && SELECT.test(statement) && FILE_FORMATS.test(format);

/** @returns null when the answer has to be read as a whole */
function stream(session: Session, request: EngineRequest, path: string, onEnd: () => void) {
  const { statement, format, isWhole } = request;
  if (isFile(request)) return streamFile(session, request, path, onEnd);
  if (isWhole || !SELECT.test(statement)) return null;
  return STREAMABLE_FORMATS.test(format) ? streamRows(session, request, onEnd) : null;
}

/** Waits for the first chunk, so that a query that fails at once fails before its answer has started. */
async function afterFirst(chunks: AsyncGenerator<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const first = await chunks.next();
  return (async function* () {
    if (first.done) return;
    try {
      yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
}

/** @throws Error when another process uses the folder */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { Session } = await import("chdb");
  // this session keeps the engine open; each request has another one
  const control = new Session(options.folder, { connectionArgs: argumentsOf(options) });
  await control.queryAsync("SELECT 1");
  const reads = createLane(MAX_READS, sessionSettings(options, options.threads));
  const files = createLane(MAX_FILES, sessionSettings(options, options.threads));
  // one thread: inserts come all the time, and ingest needs the other processors
  const inserts = createLane(MAX_INSERTS, sessionSettings(options, 1));

  /** Kills the query when the signal aborts. @returns what to call when the query has ended */
  const killOnAbort = (signal: AbortSignal, queryId: string) => {
    let timer: NodeJS.Timeout | undefined;
    const kill = () => {
      timer = setTimeout(options.onStuck, KILL_TIMEOUT_MS);
      void control.queryAsync(killQuery(queryId)).catch(() => undefined);
    };
    signal.addEventListener("abort", kill, { once: true });
    return () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
    };
  };

  let pipes = 0;
  const run = async (request: EngineRequest, signal: AbortSignal) => {
    const { statement, format } = request;
    const lane = isInsert(statement) ? inserts : isFile(request) ? files : reads;
    const leave = await lane.enter(signal);
    const session = new Session(options.folder);
    const stopListening = killOnAbort(signal, request.queryId);
    const end = () => {
      stopListening();
      session.close();
      leave();
    };
    let isStreaming = false;
    try {
      await session.queryAsync(prepareSession(request, lane.defaults));
      // an abort before this point found no query to kill
      if (signal.aborted) throw cancelled();
      pipes += 1;
      const chunks = stream(session, request, join(options.folder, FILES, `answer-${pipes}`), end);
      if (chunks) {
        isStreaming = true;
        return await afterFirst(chunks);
      }
      const result = await session.queryAsync(statement, { format });
      return once(result.bytes());
    } catch (error) {
      throw toException(error);
    } finally {
      if (!isStreaming) end();
    }
  };
  return { run, close: () => control.close() };
}
