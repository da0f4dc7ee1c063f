/** Lines on standard error that show how far a long command has come. */

/** @param line is called only when a line is due */
export type ProgressWriter = (line: () => string) => void;

const INTERVAL_MS = 2_000;

/** Prints a line at most every two seconds. */
export function createProgress(isSilent: boolean): ProgressWriter {
  let printedAt = performance.now();
  return (line) => {
    if (isSilent || performance.now() - printedAt < INTERVAL_MS) return;
    printedAt = performance.now();
    process.stderr.write(`${line()}\n`);
  };
}
