import { SERVER_LIMITS } from "./limits.ts";
import { SECOND_MS } from "./time.ts";

/**
 * Limits log lines per second, so that a flood of requests does not fill the disk.
 * @param onSkipped called in a later second with the number of lines that were not written
 * @returns a function that says whether one more line may be written
 */
export function createLineLimit(clock: () => number, onSkipped: (lines: number) => void): () => boolean {
  let second = 0;
  let lines = 0;
  return () => {
    const now = Math.floor(clock() / SECOND_MS);
    if (now !== second) {
      const skipped = lines - SERVER_LIMITS.maxLogLinesPerSecond;
      if (skipped > 0) onSkipped(skipped);
      second = now;
      lines = 0;
    }
    lines += 1;
    return lines <= SERVER_LIMITS.maxLogLinesPerSecond;
  };
}
