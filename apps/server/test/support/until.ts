/** The one way a test waits: it asks again until the answer is there. */
import { setTimeout as pause } from "node:timers/promises";

/** How long anything may take on a busy machine. It bounds a test that would hang; it is not a promise of the service. */
export const PATIENCE_MS = process.env.TEST_LONG ? 900_000 : 120_000;
/** Asks again after so long at first, and then ever later: asking takes the processor from what is waited for. */
const FIRST_WAIT_MS = 5;
const MAX_WAIT_MS = 100;

type NotYet = false | null | undefined;

/**
 * Repeats `ask` until it returns a truthy value.
 * @throws Error that says what was waited for
 */
export async function until<T>(what: string, ask: () => Promise<T | NotYet> | T | NotYet): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(1.5 * waitMs, MAX_WAIT_MS)) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`Not within ${PATIENCE_MS / 1_000} s: ${what}`);
    await pause(waitMs);
  }
}
