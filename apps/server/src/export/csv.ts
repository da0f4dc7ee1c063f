/** Rows as CSV (RFC 4180). Each row is one line, so that a client can see where an interrupted download ended. */
import { COLUMNS, type ExportedEvent, readColumn } from "./columns.ts";

/**
 * Spreadsheets execute a cell that begins like this. In many countries they also split a line at semicolons. An apostrophe
 * in front prevents the execution, and `headwater import` removes it.
 */
const FORMULA = /^(?='*[=+\-@\t])|;(?=['"]*[=+\-@\t])/g;
const LINE_BREAK = /\r\n|[\r\n]/g;

function toCell(value: unknown): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const line = text.replace(LINE_BREAK, " ");
  const safe = line.replace(FORMULA, "$&'");
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const CSV_HEADER = `${COLUMNS.map(({ name }) => name).join(",")}\n`;
export const toCsvLine = (event: ExportedEvent): string =>
  `${COLUMNS.map((column) => toCell(readColumn(event, column))).join(",")}\n`;
