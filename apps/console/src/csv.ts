import { toCsvCell } from "@headwater/contract/csv";

/** @returns the rows as CSV (RFC 4180), each in one line */
export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map((cells) =>
      cells.map((cell) => (typeof cell === "string" ? toCsvCell(cell) : String(cell))).join(","),
    )
    .join("\r\n");
