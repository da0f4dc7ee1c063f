/** Where a file ends that broke off: with its last whole line. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { CommandFailed } from "../../src/cli/failure.ts";

/** Longer than any line. */
const TAIL_BYTES = 4 * 1_048_576;
const LINE_END = 10;
const ID = /^(?:\{"analyticsEventId":")?(evt_[0-9a-f]{32})/;

const HEAD = /^\ufeff?analyticsEventId/;
const BEGINNINGS = { ndjson: '{"analyticsEventId":"evt_', csv: "analyticsEventId" } as const;
type Format = keyof typeof BEGINNINGS;

/** As far as it goes: of a first line that broke off there may be a letter. */
function beginsAs(format: Format, file: number): boolean {
  const longest = Buffer.alloc(BEGINNINGS.ndjson.length);
  const text = longest
    .toString("utf8", 0, readSync(file, longest, 0, longest.length, 0))
    .replace("\ufeff", "");
  const beginning = BEGINNINGS[format];
  return beginning.startsWith(text) || text.startsWith(beginning);
}

/**
 * Cuts off what came of the line that broke off.
 * @returns the id of the last event that is there; null: there is none, and the file is empty now
 * @throws CommandFailed when the file holds lines that no export in this format has written: it stays as it is
 */
export function cutToWholeLines(path: string, format: Format): string | null {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const end = tail.lastIndexOf(LINE_END);
    const start = end < 1 ? 0 : tail.lastIndexOf(LINE_END, end - 1) + 1;
    const cursor = end < 0 ? null : (ID.exec(tail.toString("utf8", start, end))?.[1] ?? null);
    const last = end < 0 ? "" : tail.toString("utf8", start, end);
    const isStrange = cursor === null && last !== "" && !HEAD.test(last);
    if (isStrange || !beginsAs(format, file))
      throw new CommandFailed(
        `${path} holds lines that are not of an export in ${format}: name another file, or the --format that it has.`,
      );
    ftruncateSync(file, cursor === null ? 0 : size - tail.length + end + 1);
    return cursor;
  } finally {
    closeSync(file);
  }
}
