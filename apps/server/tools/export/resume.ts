/** Finds where an interrupted export ends: at its last whole line. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { CommandFailed } from "../../src/cli/errors.ts";

/** More than the longest line. */
const TAIL_BYTES = 4 * 1_048_576;
const LINE_END = 10;
const EVENT_ID = /^evt_[0-9a-f]{32}$/;

const CSV_HEAD = "analyticsEventId";
const BEGINNINGS = { ndjson: '{"', csv: CSV_HEAD } as const;
type TextFormat = keyof typeof BEGINNINGS;
const MAX_BEGINNING_BYTES = 25;

/** Whether the file begins as an export in this format. A file may be shorter than the beginning. */
function hasBeginning(format: TextFormat, file: number): boolean {
  const bytes = Buffer.alloc(MAX_BEGINNING_BYTES);
  const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0)).replace("\ufeff", "");
  const beginning = BEGINNINGS[format];
  return beginning.startsWith(text) || text.startsWith(beginning);
}

/** The id of the event in a line, or null. In CSV the id is the first cell. */
function eventIdOf(line: string, format: TextFormat): string | null {
  const id = format === "csv" ? line.split(",", 1)[0] : parseLine(line)?.analyticsEventId;
  return typeof id === "string" && EVENT_ID.test(id) ? id : null;
}

function parseLine(line: string): { analyticsEventId?: unknown } | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Cuts off an incomplete last line.
 * @returns the id of the last event in the file; null: the file has none, and is empty now
 * @throws CommandFailed when the file is not an export in this format; it is left as it is
 */
export function truncateToWholeLines(path: string, format: TextFormat): string | null {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const end = tail.lastIndexOf(LINE_END);
    const start = end < 1 ? 0 : tail.lastIndexOf(LINE_END, end - 1) + 1;
    const lastLine = end < 0 ? "" : tail.toString("utf8", start, end);
    const cursor = eventIdOf(lastLine, format);
    const isForeign =
      cursor === null && lastLine !== "" && !lastLine.replace("\ufeff", "").startsWith(CSV_HEAD);
    if (isForeign || !hasBeginning(format, file))
      throw new CommandFailed(
        `${path} is not an export in ${format}. Choose another file, or the --format that it has.`,
      );
    ftruncateSync(file, cursor === null ? 0 : size - tail.length + end + 1);
    return cursor;
  } finally {
    closeSync(file);
  }
}
