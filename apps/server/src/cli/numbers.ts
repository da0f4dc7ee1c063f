/** Flags that are numbers and times, and what is told while a command works. */
import { parseTime } from "../ingest/parse-time.ts";
import { UsageError } from "./failure.ts";

/** @throws UsageError */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(
    `${flag} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`,
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A day is its first moment in UTC. @throws UsageError */
export function moment(flag: string, text: string): number {
  const time = parseTime(DAY.test(text) ? `${text}T00:00:00.000Z` : text)?.time;
  if (time !== undefined) return time;
  throw new UsageError(
    `${flag} must be a day or a date-time such as 2026-11-21T12:00:00Z, not ${JSON.stringify(text)}.`,
  );
}

const TELL_MS = 2_000;

/** A line on standard error now and then, so that whoever waits sees that it goes on. */
export function createProgress(isSilent: boolean): (line: () => string) => void {
  let toldAt = performance.now();
  return (line) => {
    if (isSilent || performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    process.stderr.write(`${line()}\n`);
  };
}
