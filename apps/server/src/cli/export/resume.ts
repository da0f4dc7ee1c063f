/** Where a file ends that broke off: with its last whole line. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";

/** Longer than any line. */
const TAIL_BYTES = 4 * 1_048_576;
const LINE_END = 10;
const ID = /^(?:\{"analyticsEventId":")?(evt_[0-9a-f]{32})/;

/**
 * Cuts off what came of the line that broke off.
 * @returns the id of the last event that is there; null: there is none, and the file is empty now
 */
export function cutToWholeLines(path: string): string | null {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const end = tail.lastIndexOf(LINE_END);
    const start = end < 1 ? 0 : tail.lastIndexOf(LINE_END, end - 1) + 1;
    const cursor = end < 0 ? null : (ID.exec(tail.toString("utf8", start, end))?.[1] ?? null);
    ftruncateSync(file, cursor === null ? 0 : size - tail.length + end + 1);
    return cursor;
  } finally {
    closeSync(file);
  }
}
