/**
 * Memory that V8 keeps: a start leaves garbage and half-empty pages behind, a sixth of the process, and as long as
 * little is asked of it nothing collects them.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Lets every thread of the process collect while `work` is done; the main thread's to call, once at a time. */
export async function whileCollectable(work: () => Promise<void>): Promise<void> {
  setFlagsFromString("--expose-gc");
  try {
    await work();
  } finally {
    // compiled code is taken from the cache only by a process with the flags that it was written with
    setFlagsFromString("--no-expose-gc");
  }
}

/** Gives what this thread does not use back to the operating system; stops it for some 50 ms. */
export function releaseMemory(): void {
  const collect = runInNewContext("globalThis.gc") as Collect | undefined;
  collect?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
