/** What a command answers: the same facts for programs and for people. Plain text without colours. */

export interface Report {
  json: unknown;
  /** For standard output. */
  text: string;
  /** For standard error, so that the text can be piped: a warning, or what to do next. */
  note?: string;
  /** Where the answer itself is bad news; default 0. */
  exitCode?: number;
}

type Cell = string | number | null;

const NOTHING = "-";
const LINE = /[\r\n\t]+/g;

/** Columns as wide as their widest cell; a missing value is a dash. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => String(cell ?? "").replace(LINE, " ") || NOTHING));
  const lines = [head.map((title) => title.toUpperCase()), ...cells];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A list for people; an empty one says so, and what to do next. */
export const listing = (
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  whenEmpty: string,
): string => (rows.length === 0 ? whenEmpty : table(head, rows));

/** One thing for people: a field a line. */
export const fields = (pairs: readonly (readonly [string, Cell])[]): string => {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${String(value ?? "") || NOTHING}`).join("\n");
};

/** To the minute: `2026-11-21 12:00Z`. */
export const minute = (time: string | null): string | null =>
  time === null ? null : `${time.slice(0, 16).replace("T", " ")}Z`;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
