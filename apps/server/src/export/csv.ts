/** Rows as CSV (RFC 4180). A line is a record, so that what came of a download that broke off can be told. */
import { COLUMNS, type Json, valueAt } from "./columns.ts";

/** A spreadsheet computes what begins like this; an apostrophe in front makes it text, and is taken away by an import. */
const FORMULA = /^'*[=+\-@\t]/;
const LINE_BREAK = /\r\n|[\r\n]/g;

function cell(value: unknown): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const line = text.replace(LINE_BREAK, " ");
  const harmless = FORMULA.test(line) ? `'${line}` : line;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const CSV_HEAD = `${COLUMNS.map(({ name }) => name).join(",")}\n`;
export const csvLine = (event: Json): string =>
  `${COLUMNS.map((column) => cell(valueAt(event, column))).join(",")}\n`;
