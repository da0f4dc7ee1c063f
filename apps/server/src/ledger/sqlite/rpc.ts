/** Verbs across a thread boundary: each is one message there and one back, answered in the order they were sent. */
import { parentPort, Worker } from "node:worker_threads";
import { releaseMemory } from "../../core/memory.ts";
import { StorageError } from "../ledger.ts";
import { storageFailure } from "./failure.ts";

interface Question {
  id: number;
  verb: string;
  argument: unknown;
}
interface Failure {
  name: string;
  message: string;
  storage: boolean;
  full: boolean;
}
type Answer = { id: number; value: unknown } | { id: number; failure: Failure };
type Notice = { notice: string };

/** The one verb that every thread has. */
const RELEASE = "releaseMemory";

/** Short-lived garbage of a thread: the default of 48 MB is grown into before it is collected. */
const YOUNG_MB = 8;

/** The calling side of a thread. */
export interface Thread {
  call<T>(verb: string, argument: unknown, transfer?: ArrayBuffer[]): Promise<T>;
  onNotice(listener: (notice: string) => void): void;
  /** Calls back when the thread ends without having been closed: every call is rejected from then on. */
  onEnd(listener: (cause: Error) => void): void;
  releaseMemory(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a thread and waits until its first verb, `open`, has answered.
 * @param name as the operating system and the log show it
 */
export async function startThread(name: string, module: URL, opening: unknown): Promise<Thread> {
  const worker = new Worker(module, { name, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners: ((notice: string) => void)[] = [];
  const mourners: ((cause: Error) => void)[] = [];
  let lastId = 0;
  let ended: Error | null = null;
  let closing = false;

  worker.on("message", (message: Answer | Notice) => {
    if ("notice" in message) {
      for (const listener of listeners) listener(message.notice);
      return;
    }
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if ("value" in message) caller?.resolve(message.value);
    else caller?.reject(errorOf(message.failure));
  });
  const end = (cause: Error) => {
    if (ended) return;
    ended = new StorageError(`the ${name} thread has ended: ${cause.message}`, false, cause);
    for (const caller of waiting.values()) caller.reject(ended);
    waiting.clear();
    if (!closing) for (const listener of mourners) listener(ended);
  };
  worker.on("error", end);
  worker.on("exit", (code) => end(new Error(`exit code ${code}`)));

  const call = <T>(verb: string, argument: unknown, transfer: ArrayBuffer[] = []): Promise<T> => {
    if (ended) return Promise.reject(ended);
    return new Promise<T>((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, verb, argument } satisfies Question, transfer);
    });
  };
  try {
    await call("open", opening);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    call,
    onNotice: (listener) => listeners.push(listener),
    onEnd: (listener) => mourners.push(listener),
    releaseMemory: () => call(RELEASE, null),
    close: async () => {
      closing = true;
      // what a full disk keeps from being tidied up now is tidied up by the next start
      if (!ended) await call("close", null).catch(() => undefined);
      await worker.terminate();
    },
  };
}

function errorOf({ name, message, storage, full }: Failure): Error {
  return storage ? new StorageError(message, full) : Object.assign(new Error(message), { name });
}

function failureOf(thrown: unknown): Failure {
  const error = storageFailure(thrown);
  if (error instanceof StorageError)
    return { name: error.name, message: error.message, storage: true, full: error.full };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message, storage: false, full: false };
}

/**
 * The answering side: runs one verb at a time, so that a verb's transaction is never shared with another's.
 * @param onFailure called before a failed verb is answered
 */
export function serveThread(
  run: (verb: string, argument: unknown) => unknown,
  onFailure: (error: unknown) => void = () => undefined,
): (notice: string) => void {
  const port = parentPort;
  if (!port) throw new Error("this module is the inside of a thread");
  let last: Promise<void> = Promise.resolve();
  const answer = async ({ id, verb, argument }: Question) => {
    try {
      const value = verb === RELEASE ? releaseMemory() : await run(verb, argument);
      port.postMessage({ id, value } satisfies Answer);
    } catch (error) {
      onFailure(error);
      port.postMessage({ id, failure: failureOf(error) } satisfies Answer);
    }
  };
  port.on("message", (question: Question) => {
    last = last.then(() => answer(question));
  });
  return (notice) => port.postMessage({ notice } satisfies Notice);
}
