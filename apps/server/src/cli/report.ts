/** The output of a command, for programs and for people. Text has no colours. */

export interface CommandReport {
  json: unknown;
  /** For standard output. */
  text: string;
  /** For standard error, so that the text can be piped: a warning, or the next step. */
  note?: string;
  /** For a command that worked and whose result is a failure; default 0. */
  exitCode?: number;
}

export type ReportCell = string | number | null;

const MISSING = "-";
const LINE_BREAKS = /[\r\n\t]+/g;

/** Columns as wide as their widest cell; a missing value is a dash. */
export function table(head: readonly string[], rows: readonly (readonly ReportCell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => String(cell ?? "").replace(LINE_BREAKS, " ") || MISSING));
  const lines = [head.map((title) => title.toUpperCase()), ...cells];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return lines.map((line) => pad(line).join("  ").trimEnd()).join("\n");
}

/** A table; an empty one is replaced by a sentence that says what to do next. */
export const tableOr = (
  whenEmpty: string,
  head: readonly string[],
  rows: readonly (readonly ReportCell[])[],
): string => (rows.length === 0 ? whenEmpty : table(head, rows));

/** One object: a line for each field. */
export function fieldLines(pairs: readonly (readonly [name: string, value: ReportCell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${String(value ?? "") || MISSING}`).join("\n");
}

/** An ISO 8601 time cut to the minute: `2026-11-21 12:00Z`. */
export const toMinute = (time: string | null): string | null =>
  time === null ? null : `${time.slice(0, 16).replace("T", " ")}Z`;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

/** Shows on standard error how far a long command has come. @param line is called only when a line is due */
export type ProgressWriter = (line: () => string) => void;

const PROGRESS_INTERVAL_MS = 2_000;

/** Prints a line at most every two seconds. */
export function createProgress(isSilent: boolean): ProgressWriter {
  let printedAt = performance.now();
  return (line) => {
    if (isSilent || performance.now() - printedAt < PROGRESS_INTERVAL_MS) return;
    printedAt = performance.now();
    process.stderr.write(`${line()}\n`);
  };
}
