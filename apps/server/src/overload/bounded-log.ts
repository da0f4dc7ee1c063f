/** The log for lines that strangers can cause, so that a flood of requests does not fill the disk. */
import { SECOND_MS } from "../core/time.ts";

/** Lines about refused requests. Further ones of the same second are only counted. */
const MAX_LOG_LINES_PER_SECOND = 50;

type WriteLine = (fields: object, message: string) => void;
export type BoundedLog = Readonly<Record<"info" | "warn" | "error", WriteLine>>;

class MessageCount {
  second = -1;
  lines = 0;
  notWritten = 0;
}

/**
 * Writes of each message at most `MAX_LOG_LINES_PER_SECOND` lines a second. How many were left out is written a second later.
 * A message is a constant; what differs is in its fields.
 */
export function boundLog(log: BoundedLog, clock: () => number): BoundedLog {
  const counts = new Map<string, MessageCount>();

  function reportLeftOut(count: MessageCount, message: string): void {
    const { notWritten } = count;
    count.notWritten = 0;
    if (notWritten > 0) log.info({ notWritten, line: message }, "further lines in that second");
  }

  function mayWrite(message: string): boolean {
    const count = counts.get(message) ?? new MessageCount();
    counts.set(message, count);
    const second = Math.floor(clock() / SECOND_MS);
    if (second !== count.second) {
      reportLeftOut(count, message);
      Object.assign(count, { second, lines: 0 });
    }
    count.lines += 1;
    if (count.lines <= MAX_LOG_LINES_PER_SECOND) return true;
    count.notWritten += 1;
    // the flood may end before another line is written
    if (count.notWritten === 1) setTimeout(() => reportLeftOut(count, message), SECOND_MS).unref();
    return false;
  }

  const bounded =
    (level: keyof BoundedLog): WriteLine =>
    (fields, message) => {
      if (mayWrite(message)) log[level](fields, message);
    };
  return { info: bounded("info"), warn: bounded("warn"), error: bounded("error") };
}
