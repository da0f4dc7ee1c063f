/**
 * Typed calls to a worker thread. The thread serves methods by name; the caller gets the same methods, which return
 * promises. Calls run one at a time, in the order in which they were made.
 */
import { parentPort, type ResourceLimits, Worker } from "node:worker_threads";
import type { StorageFailure } from "./errors.ts";
import { releaseMemory } from "./memory.ts";

/** A method that a thread serves: it takes one value that can be cloned, or none, and may return a promise. */
export type ThreadMethod = (argument: never) => unknown;

/** The methods of a thread as their caller sees them. */
export type Calls<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...argument: infer Argument) => infer Result
    ? (...argument: Argument) => Promise<Awaited<Result>>
    : never;
};

/** An error in the form in which it is sent between threads: its class cannot be sent. */
export interface ThreadFailure {
  name: string;
  message: string;
  /** Set when the storage failed. */
  storage?: StorageFailure;
  /** Whether only a person can mend it. */
  needsOperator?: boolean;
}

/** The `name` of the failure of every call once the thread has ended. */
export const THREAD_ENDED = "ThreadEnded";

interface CallMessage {
  id: number;
  method: string;
  argument: unknown;
}
type CallReply = { id: number; value: unknown } | { id: number; failure: ThreadFailure };
interface Notice {
  notice: string;
}

const transferLists = new WeakMap<object, ArrayBuffer[]>();

/** Marks buffers of an argument or a result that are moved to the other thread instead of copied. */
export function transfer<T extends object>(value: T, buffers: ArrayBuffer[]): T {
  transferLists.set(value, buffers);
  return value;
}
const buffersOf = (value: unknown): ArrayBuffer[] =>
  (typeof value === "object" && value !== null ? transferLists.get(value) : undefined) ?? [];

interface ThreadOptions {
  /** For the operating system, the log and error messages. */
  name: string;
  /** Calls `serveThread`. */
  module: URL;
  /** The argument of the thread's `open`. */
  opening: unknown;
  limits?: ResourceLimits;
  /** Called with each notice of the thread, including those that it sends while it opens. */
  onNotice?(notice: string): void;
  /** Makes an error of a failure. Default: an `Error` with that name. */
  toError?(failure: ThreadFailure): Error;
}

/** The caller's side of a thread. */
export interface Thread<Methods> {
  readonly calls: Calls<Methods>;
  /** Registers a listener for when the thread ends without having been closed. Every call fails from then on. */
  onEnd(listener: (cause: Error) => void): void;
  releaseMemory(): Promise<void>;
  /** Has the thread close what it opened, then ends it. */
  close(): Promise<void>;
}

const toPlainError = ({ name, message }: ThreadFailure): Error => Object.assign(new Error(message), { name });

type CallMethod = (method: string, argument?: unknown) => Promise<unknown>;

/** An object that has every method. */
function toCalls<Methods>(call: CallMethod): Calls<Methods> {
  const get = (_: object, method: string | symbol) =>
    // an object with a `then` would be treated as a promise
    typeof method === "string" && method !== "then"
      ? (argument: unknown) => call(method, argument)
      : undefined;
  // the type says which methods there are; the thread rejects all others
  return new Proxy({}, { get }) as Calls<Methods>;
}

/** Starts a thread and waits until it has opened what it works on. */
export async function startThread<Methods>(options: ThreadOptions): Promise<Thread<Methods>> {
  const { name, module, opening, limits = {}, toError = toPlainError, onNotice } = options;
  const worker = new Worker(module, { name, resourceLimits: limits });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let endListeners: ((cause: Error) => void)[] = [];
  let lastId = 0;
  let ended: Error | null = null;

  worker.on("message", (message: CallReply | Notice) => {
    if ("notice" in message) return onNotice?.(message.notice);
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if ("value" in message) call?.resolve(message.value);
    else call?.reject(toError(message.failure));
  });
  const end = (cause: Error) => {
    if (ended) return;
    ended = toError({ name: THREAD_ENDED, message: `the ${name} thread has ended: ${cause.message}` });
    ended.cause = cause;
    for (const call of waiting.values()) call.reject(ended);
    waiting.clear();
    for (const listener of endListeners) listener(ended);
  };
  worker.on("error", end);
  worker.on("exit", (code) => end(new Error(`exit code ${code}`)));

  const call: CallMethod = (method, argument) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      worker.postMessage({ id: lastId, method, argument } satisfies CallMessage, buffersOf(argument));
    });
  const close = async () => {
    endListeners = [];
    // if closing fails, as on a full disk, the next start repairs what was left
    if (!ended) await call("close").catch(() => undefined);
    await worker.terminate();
  };
  await call("open", opening).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  return {
    calls: toCalls<Methods>(call),
    onEnd: (listener) => endListeners.push(listener),
    releaseMemory: async () => void (await call("releaseMemory")),
    close,
  };
}

/** The thread's own side. */
interface ThreadInside<Opening> {
  open(opening: Opening): unknown;
  /** The method with that name. */
  find(name: string): ThreadMethod | undefined | Promise<ThreadMethod | undefined>;
  close?(): unknown;
  /** Called with what a method has thrown, before the caller gets the failure. */
  describeError?(thrown: unknown): ThreadFailure;
}

const describePlainError = (thrown: unknown): ThreadFailure => {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, message };
};

/** Answers the calls of the thread's starter, one at a time. @returns a function that sends the starter a notice */
export function serveThread<Opening>(inside: ThreadInside<Opening>): (notice: string) => void {
  const port = parentPort;
  if (!port) throw new Error("this module must run in a worker thread");
  const lifecycle: Readonly<Record<string, ThreadMethod>> = {
    open: inside.open,
    close: () => inside.close?.(),
    releaseMemory,
  };
  const run = async ({ method: name, argument }: CallMessage): Promise<unknown> => {
    const method = lifecycle[name] ?? (await inside.find(name));
    if (!method) throw new Error(`this thread has no method ${name}`);
    // the caller's type for this method is derived from the method itself
    return method(argument as never);
  };
  const answer = async (call: CallMessage): Promise<void> => {
    try {
      const value = await run(call);
      port.postMessage({ id: call.id, value } satisfies CallReply, buffersOf(value));
    } catch (error) {
      const failure = (inside.describeError ?? describePlainError)(error);
      port.postMessage({ id: call.id, failure } satisfies CallReply);
    }
  };
  let last: Promise<void> = Promise.resolve();
  port.on("message", (call: CallMessage) => {
    last = last.then(() => answer(call));
  });
  return (notice) => port.postMessage({ notice } satisfies Notice);
}
