/**
 * Returns memory to the operating system. Starting the service leaves garbage and half-empty V8 heap pages, together a sixth
 * of the process's memory. V8 does not return it while the process is idle.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type CollectGarbage = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Lets `releaseMemory` work in every thread of the process while `work` runs. For the main thread; calls must not overlap. */
export async function withGcEnabled(work: () => Promise<void>): Promise<void> {
  setFlagsFromString("--expose-gc");
  try {
    await work();
  } finally {
    // V8 rejects code caches that were written under other flags
    setFlagsFromString("--no-expose-gc");
  }
}

/** Returns this thread's unused memory to the operating system. It blocks the thread for about 50 ms. */
export function releaseMemory(): void {
  // `gc` exists in a context made while the flag is set
  const collect: CollectGarbage | undefined = runInNewContext("globalThis.gc");
  collect?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
