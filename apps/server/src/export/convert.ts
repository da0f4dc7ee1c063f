/** Converts lines of JSON to CSV or Parquet, a slice at a time. */
import type { ExportedEvent } from "./columns.ts";
import { CSV_HEADER, toCsvLine } from "./csv.ts";

export interface Converter {
  /**
   * @param lines JSON, each with its line end
   * @returns the bytes that are ready; empty when the converter needs more lines first
   */
  convert(lines: Uint8Array): Uint8Array<ArrayBuffer>;
  /** The end of the file. */
  end(): Uint8Array<ArrayBuffer>;
}

/** Parses all lines as one array, which is faster than line by line. */
const parseLines = (lines: Uint8Array): ExportedEvent[] =>
  JSON.parse(`[${Buffer.from(lines).toString("utf8").trimEnd().replaceAll("\n", ",")}]`);

function csvConverter(isContinued: boolean): Converter {
  let header = isContinued ? "" : CSV_HEADER;
  const withHeader = (text: string) => {
    const whole = header + text;
    header = "";
    return new TextEncoder().encode(whole);
  };
  return {
    convert: (lines) => withHeader(parseLines(lines).map(toCsvLine).join("")),
    end: () => withHeader(""),
  };
}

/** @param isContinued the client has the beginning of the file: it gets no header */
export async function createConverter(format: "csv" | "parquet", isContinued: boolean): Promise<Converter> {
  if (format === "csv") return csvConverter(isContinued);
  // the library is loaded only when it is needed
  const { createParquetWriter } = await import("./parquet.ts");
  const writer = createParquetWriter();
  return { convert: (lines) => writer.add(parseLines(lines), lines.length), end: writer.end };
}
