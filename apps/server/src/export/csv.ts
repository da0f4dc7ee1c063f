/** Rows as CSV. Each row is one line, so that a client can see where an interrupted download ended. */
import { toCsvCell } from "@headwater/contract/csv";
import { COLUMNS, type ExportedEvent, readColumn } from "./columns.ts";

/** Where spreadsheets split a cell. JSON has them in strings only, so that their escapes are the same JSON. */
const SPLITS = /[;；，]/g;
const escapeSplit = (split: string) => `\\u${split.charCodeAt(0).toString(16).padStart(4, "0")}`;

function toCell(value: unknown): string {
  if (value === null) return "";
  // a number is not a formula, even below zero
  if (typeof value === "number") return String(value);
  if (typeof value !== "object") return toCsvCell(String(value));
  // without an apostrophe within the JSON, any reader finds the exact values
  return toCsvCell(JSON.stringify(value).replace(SPLITS, escapeSplit));
}

export const CSV_HEADER = `${COLUMNS.map(({ name }) => name).join(",")}\n`;
export const toCsvLine = (event: ExportedEvent): string =>
  `${COLUMNS.map((column) => toCell(readColumn(event, column))).join(",")}\n`;
