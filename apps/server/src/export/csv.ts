/** Rows as CSV. Each row is one line, so that a client can see where an interrupted download ended. */
import { toCsvCell } from "@headwater/contract/csv";
import { COLUMNS, type ExportedEvent, readColumn } from "./columns.ts";

function toCell(value: unknown): string {
  if (value === null) return "";
  // a number is no formula, also below zero
  if (typeof value === "number") return String(value);
  return toCsvCell(typeof value === "object" ? JSON.stringify(value) : String(value));
}

export const CSV_HEADER = `${COLUMNS.map(({ name }) => name).join(",")}\n`;
export const toCsvLine = (event: ExportedEvent): string =>
  `${COLUMNS.map((column) => toCell(readColumn(event, column))).join(",")}\n`;
