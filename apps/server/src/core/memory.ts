/**
 * Returns memory to the operating system. A start leaves garbage and half-empty pages behind, a sixth of the process's
 * memory, and V8 does not collect them while the process has little to do.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type CollectGarbage = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** While `work` runs, `releaseMemory` works in every thread of the process. Call it in the main thread, once at a time. */
export async function whileCollectable(work: () => Promise<void>): Promise<void> {
  setFlagsFromString("--expose-gc");
  try {
    await work();
  } finally {
    // V8's code cache is only valid for the flags that it was written with
    setFlagsFromString("--no-expose-gc");
  }
}

/** Returns what this thread does not use to the operating system. It blocks the thread for about 50 ms. */
export function releaseMemory(): void {
  // `gc` exists in a context made while the flag is set
  const collect: CollectGarbage | undefined = runInNewContext("globalThis.gc");
  collect?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
